import 'react';

declare module 'react' {
  /** Custom properties are valid in a style. React's types lack them. */
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}

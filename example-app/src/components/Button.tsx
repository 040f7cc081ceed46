// A button that can be unavailable and keep the focus. Browsers remove the focus from a `disabled` button, which
// makes keyboard users start again.

import type { ComponentProps } from 'react';

interface Props extends Omit<ComponentProps<'button'>, 'disabled' | 'type'> {
  type: 'button' | 'submit';
  isOff: boolean;
}

export function Button({ isOff, onClick, ...rest }: Props) {
  return (
    <button
      {...rest}
      aria-disabled={isOff}
      onClick={(event) => {
        if (isOff) event.preventDefault(); // Also covers Enter in a field, which presses the button.
        else onClick?.(event);
      }}
    />
  );
}

// A button that cannot be pressed at the moment and keeps the focus: from one that is `disabled` the browser takes it, and
// whoever works with the keyboard begins anew.

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
        if (isOff) event.preventDefault(); // Of Enter in a field, too: the browser presses the button then.
        else onClick?.(event);
      }}
    />
  );
}

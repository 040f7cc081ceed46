// A button that opens content below it. The browser closes the content on Escape and on a click elsewhere.

import { useState, type ReactNode } from 'react';

interface Props {
  id: string;
  label: string;
  button: ReactNode;
  children: (close: () => void) => ReactNode;
}

export function Popover({ id, label, button, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => document.getElementById(`popover-${id}`)?.hidePopover();
  return (
    <>
      <button
        type="button"
        className="icon-button"
        popoverTarget={`popover-${id}`}
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        data-popover={id}
      >
        {button}
      </button>
      <div
        id={`popover-${id}`}
        className="popover"
        popover="auto"
        role="dialog"
        aria-label={label}
        onToggle={(event) => setIsOpen(event.newState === 'open')}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}

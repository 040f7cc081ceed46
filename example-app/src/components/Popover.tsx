// A button with something that opens below it. The browser closes it on Escape and on a click elsewhere.

import { useRef, useState, type ReactNode } from 'react';

interface Props {
  id: string;
  label: string;
  button: ReactNode;
  children: (close: () => void) => ReactNode;
}

export function Popover({ id, label, button, children }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
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
        ref={box}
        id={`popover-${id}`}
        className="popover"
        popover="auto"
        role="dialog"
        aria-label={label}
        onToggle={(event) => setIsOpen(event.newState === 'open')}
      >
        {isOpen && children(() => box.current?.hidePopover())}
      </div>
    </>
  );
}

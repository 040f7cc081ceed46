// The browser's own dialog. It traps the focus, closes with Escape, and restores the focus. The first control has
// `autoFocus`.

import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { X } from 'lucide-react';
import { Button } from './Button.tsx';

interface Props {
  title: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ title, className = '', onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  /** A press that starts inside and ends outside, as in a text selection, does not close the dialog. */
  const isPressedOutside = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Otherwise the browser focuses the first focusable element, which is the close button.
    element?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
    return () => element?.close(); // While it is in the page: the browser then gives the focus back.
  }, []);

  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        isPressedOutside.current = event.target === event.currentTarget;
      }}
      onClick={(event) => {
        if (isPressedOutside.current && event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-box">
        <div className="dialog-head">
          <h2>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <X size={18} aria-hidden="true" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  action: string;
  isDanger?: boolean;
  isRunning?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode;
}

export function Confirm({
  title,
  action,
  isDanger = false,
  isRunning = false,
  onConfirm,
  onCancel,
  children,
}: ConfirmProps) {
  return (
    <Dialog title={title} className="dialog-small" onClose={onCancel}>
      <p className="dialog-text">{children}</p>
      <div className="form-actions">
        <Button
          type="button"
          className={`button ${isDanger ? 'button-danger-main' : 'button-main'}`}
          isOff={isRunning}
          onClick={onConfirm}
        >
          {action}
        </Button>
        <button type="button" className="button" onClick={onCancel} data-first-focus>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

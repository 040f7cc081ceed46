// The keyboard shortcuts. Single letters can be switched off, because speech input sends them too.

import { useEffect } from 'react';
import { useStored, write } from '../stored.ts';
import { Dialog } from './Dialog.tsx';

interface Actions {
  onNew: () => void;
  onHelp: () => void;
  onEscape: () => void;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null;

const focusOn = (shortcut: string): boolean => {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${shortcut}"]`);
  element?.focus();
  return element !== null;
};

export function useShortcuts({ onNew, onHelp, onEscape }: Actions): void {
  const isOff = useStored('local', 'shortcuts') === 'off';
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.isComposing) return; // Keys that choose a character are not the page's.
      if (document.querySelector('dialog[open], :popover-open') !== null) return;
      if (event.key === 'Escape') {
        if (!isTyping(event.target) || !(event.target instanceof HTMLElement)) onEscape();
        else event.target.closest<HTMLElement>('.detail, .list, main')?.focus();
        return;
      }
      if (isOff || isTyping(event.target)) return;
      if (event.key === '/') focusOn('search');
      else if (event.key === 'n') onNew();
      else if (event.key === '?') onHelp();
      else if (event.key === 'r') {
        if (!focusOn('reply')) return;
      } else if (event.key === 'ArrowDown' || event.key === 'j') {
        // Moves the focus from anywhere into the list. The list handles the following keys.
        const row = document.querySelector<HTMLElement>('[data-row]');
        if (
          row === null ||
          (event.target instanceof HTMLElement && event.target.dataset['row'] !== undefined)
        )
          return;
        row.focus();
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOff, onNew, onHelp, onEscape]);
}

const keys: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['n', 'New ticket'],
  ['↓ ↑ or j k', 'Move through the list'],
  ['Enter', 'Open the ticket, then move into it'],
  ['x', 'Select the ticket'],
  ['Shift + ↓ ↑', 'Extend the selection'],
  ['r', 'Write a comment'],
  ['Ctrl + Enter', 'Send the comment'],
  ['Esc', 'Close the ticket'],
  ['?', 'Show this list'],
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const isOff = useStored('local', 'shortcuts') === 'off';
  return (
    <Dialog title="Keyboard" className="dialog-small" onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="form-check">
        <input
          type="checkbox"
          checked={!isOff}
          onChange={(event) => write('local', 'shortcuts', event.target.checked ? null : 'off')}
        />
        <span>Single letters are shortcuts</span>
      </label>
    </Dialog>
  );
}

// Short notices at the edge of the page, and announcements for screen readers.

import { messageOf } from './api.ts';
import { createSignal } from './signal.ts';

export interface Notice {
  id: number;
  kind: 'error' | 'done';
  text: string;
  /** Undoes the change. Shown as a button. */
  undo?: (() => void) | undefined;
}

/** Confirmations disappear after a while, later if they offer a choice. Errors stay until the user dismisses them. */
const stayMs = 6000;
const stayWithUndoMs = 10_000;
let nextId = 1;
let notices: readonly Notice[] = [];
let spoken = '';
const { subscribe, announce } = createSignal();

export function notify(kind: Notice['kind'], text: string, undo?: () => void): void {
  const id = nextId++;
  notices = [...notices.filter((one) => one.text !== text), { id, kind, text, undo }];
  announce();
  if (kind === 'done') setTimeout(() => dismiss(id), undo === undefined ? stayMs : stayWithUndoMs);
}

export function dismiss(id: number): void {
  if (!notices.some((one) => one.id === id)) return;
  notices = notices.filter((one) => one.id !== id);
  announce();
}

/** For the live region: announced politely, and not visible. */
export function announceText(text: string): void {
  // Screen readers do not announce the same words twice, so an invisible space makes them different.
  spoken = spoken === text ? `${text}\u00A0` : text;
  announce();
}

/** For a failed mutation. `what` names it if it is no longer on the screen. */
export function notifyError(error: unknown, what = ''): void {
  notify('error', `${what} ${messageOf(error)}`.trim());
}

export const noticeStore = {
  subscribe,
  notices: (): readonly Notice[] => notices,
  spoken: (): string => spoken,
  noNotices: (): readonly Notice[] => none,
  silence: (): string => '',
};
const none: readonly Notice[] = [];

// Short messages at the edge of the page, and what a screen reader is told in passing.

export interface Notice {
  id: number;
  kind: 'error' | 'done';
  text: string;
}

const stayMs = 6000;
let nextId = 1;
let notices: readonly Notice[] = [];
let spoken = '';
const listeners = new Set<() => void>();

function announceAll(): void {
  for (const listener of [...listeners]) listener();
}

export function notify(kind: Notice['kind'], text: string): void {
  const id = nextId++;
  notices = [...notices.filter((one) => one.text !== text), { id, kind, text }];
  announceAll();
  setTimeout(() => dismiss(id), stayMs);
}

export function dismiss(id: number): void {
  if (!notices.some((one) => one.id === id)) return;
  notices = notices.filter((one) => one.id !== id);
  announceAll();
}

/** For the live region: polite, and not shown. */
export function say(text: string): void {
  // The same words twice are silence; an invisible space makes them new.
  spoken = spoken === text ? `${text}\u00A0` : text;
  announceAll();
}

/** For the end of a failed mutation. */
export function notifyError(error: unknown): void {
  notify('error', error instanceof Error ? error.message : 'Something went wrong.');
}

export const noticeStore = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  notices: (): readonly Notice[] => notices,
  spoken: (): string => spoken,
  noNotices: (): readonly Notice[] => none,
  silence: (): string => '',
};
const none: readonly Notice[] = [];

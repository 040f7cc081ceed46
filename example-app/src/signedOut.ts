// Whether the session has ended while the page is open. Nothing is discarded then, and drafts are kept.

import { createSignal } from './signal.ts';

/** `noted`: the user has seen the notice and continues to read. */
type State = 'in' | 'out' | 'noted';

let state: State = 'in';
const { subscribe, announce } = createSignal();

function become(next: State): void {
  if (state === next) return;
  state = next;
  announce();
}

export const signedOut = {
  subscribe,
  get: (): boolean => state === 'out',
  report: (): void => become(state === 'noted' ? 'noted' : 'out'),
  note: (): void => become('noted'),
  /** Another sign-in, perhaps in another window. If that session ends too, the user is notified again. */
  end: (): void => become('in'),
};

/** The windows of a browser share the cookie. This does not apply to the server. */
const windows = typeof window === 'undefined' ? null : new BroadcastChannel('desk-session');

export const tellOtherWindows = (): void => windows?.postMessage('changed');

/** @returns what ends it. */
export function onOtherWindow(listener: () => void): () => void {
  windows?.addEventListener('message', listener);
  return () => windows?.removeEventListener('message', listener);
}

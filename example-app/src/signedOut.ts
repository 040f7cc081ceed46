// Whether the session has ended while the page is open. Nothing is discarded then, and drafts are kept.

import { createSignal } from './signal.ts';

/** `noted`: the user has seen the notice and continues to read. */
type State = 'in' | 'out' | 'noted';

let state: State = 'in';
const { subscribe, announce } = createSignal();

/** @returns whether the state has changed. */
function become(next: State): boolean {
  if (state === next) return false;
  state = next;
  announce();
  return true;
}

export const signedOut = {
  subscribe,
  get: (): boolean => state === 'out',
  report: (): void => void become(state === 'noted' ? 'noted' : 'out'),
  note: (): void => void become('noted'),
  /**
   * Another sign-in, perhaps in another window. If that session ends too, the user is notified again.
   * @returns whether the session had ended.
   */
  end: (): boolean => become('in'),
};

/** The windows of a browser share the cookie. This does not apply to the server. */
const windows = typeof window === 'undefined' ? null : new BroadcastChannel('desk-session');

export const notifyOtherWindows = (): void => windows?.postMessage('changed');

/** @returns what ends it. */
export function onOtherWindow(listener: () => void): () => void {
  windows?.addEventListener('message', listener);
  return () => windows?.removeEventListener('message', listener);
}

// Small values in the browser's storage: drafts for the session, and preferences permanently. Without storage, or
// in private windows that forbid it, they last as long as the page.

import { useSyncExternalStore } from 'react';
import { createSignal } from './signal.ts';

type Where = 'session' | 'local';

const { subscribe, announce } = createSignal();
const inMemory = new Map<string, string>();

function storage(where: Where): Storage | null {
  try {
    return where === 'session' ? sessionStorage : localStorage;
  } catch {
    return null;
  }
}

export function read(where: Where, key: string): string | null {
  try {
    return inMemory.get(key) ?? storage(where)?.getItem(key) ?? null;
  } catch {
    return null;
  }
}

export function write(where: Where, key: string, value: string | null): void {
  if (value === null) inMemory.delete(key);
  else inMemory.set(key, value);
  try {
    if (value === null) storage(where)?.removeItem(key);
    else storage(where)?.setItem(key, value);
  } catch {
    // The storage is full or forbidden, so the copy in memory is used until the user leaves the page.
  }
  announce();
}

/** The stored value; null if there is none, and always null on the server. */
export function useStored(where: Where, key: string): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(where, key),
    () => null,
  );
}

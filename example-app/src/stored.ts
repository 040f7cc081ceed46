// Small things that the browser keeps: drafts for the session, preferences for ever. Without storage (or in
// private windows that forbid it) they live as long as the page.

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
    // Full or forbidden: the copy in memory serves until the page is left.
  }
  announce();
}

/** Its value, null where there is none, and always null on the server. */
export function useStored(where: Where, key: string): string | null {
  return useSyncExternalStore(
    subscribe,
    () => read(where, key),
    () => null,
  );
}

// The delay of this window's stream from the weather menu, in milliseconds.

import { useSyncExternalStore } from 'react';
import { createSignal } from './signal.ts';

let lateMs = 0;
const { subscribe, announce } = createSignal();

export function setLateMs(next: number): void {
  lateMs = next;
  announce();
}

export const useLateMs = (): number =>
  useSyncExternalStore(
    subscribe,
    () => lateMs,
    () => 0,
  );

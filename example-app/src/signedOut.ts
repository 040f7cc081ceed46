// Whether the session has ended under the page. Nothing is thrown away when it has: drafts stay where they are.

import { createSignal } from './signal.ts';

let isOut = false;
const { subscribe, announce } = createSignal();

export function reportSignedOut(): void {
  if (isOut) return;
  isOut = true;
  announce();
}

export const signedOut = {
  subscribe,
  get: (): boolean => isOut,
};

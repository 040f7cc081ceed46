// The time as the page shows it: one clock for all, and the server's moment until the page is hydrated.

import { createContext, use, useSyncExternalStore, type ReactNode } from 'react';

const everyMs = 20_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of [...listeners]) listener();
}

const RenderedAt = createContext(0);

export function Clock({ renderedAt, children }: { renderedAt: number; children: ReactNode }) {
  return <RenderedAt value={renderedAt}>{children}</RenderedAt>;
}

export function useNow(): number {
  const renderedAt = use(RenderedAt);
  return useSyncExternalStore(
    subscribe,
    () => now,
    () => renderedAt,
  );
}

// The time that the page shows. All components share one clock. Until the page is hydrated, it shows the server's
// time.

import { createContext, use, useSyncExternalStore, type ReactNode } from 'react';
import { createSignal } from './signal.ts';

const everyMs = 20_000;
let now = Date.now();
const { subscribe, announce } = createSignal();

/**
 * `renderedAt`: the times on the page and the clock are those of the server, because the clock of the computer may
 * be wrong by hours.
 */
export function startClock(renderedAt: number): void {
  const aheadMs = renderedAt - Date.now();
  const tick = (): void => {
    now = Date.now() + aheadMs;
    announce();
  };
  tick();
  setInterval(tick, everyMs);
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

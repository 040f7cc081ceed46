// A simulated browser with several tabs. The tabs share locks and channels. A tab can freeze, crash, and miss messages of the others.

import type { TabChannel, Tabs } from '@edict/core';
import type { Chance } from './chance.ts';
import type { SimulatedClient } from './client.ts';
import type { SimulatedClock } from './clock.ts';

/** A tab of a simulated browser. */
export interface SimulatedTab extends SimulatedClient {
  /**
   * Holds back timers, messages, and responses until `resume`. With `isSudden`, the page is not notified, as in a
   * tab that a long-running script blocks.
   */
  freeze: (options?: { isSudden?: boolean }) => void;
  /** Ends `freeze`. Everything that was held back arrives. */
  resume: () => void;
  /** Closes the tab without notice. Its data layer never runs again. */
  crash: () => void;
  /** True between `freeze` and `resume`, and after `crash`. */
  isFrozen: () => boolean;
}

/** A simulated browser. Its tabs share locks and channels, so `sse.share` works between them. */
export interface SimulatedBrowser {
  /** Opens another tab, with its own link, page, storage, and log. */
  createTab: () => SimulatedTab;
  /** Loses the next messages between tabs (default one). A message to two tabs counts twice. */
  drop: (count?: number) => void;
  /** Loses messages between tabs at this rate, from 0 to 1. */
  dropRate: (rate: number) => void;
  /** Sets how long messages between tabs take: milliseconds, or a range of them. Default 0. */
  delay: (ms: number | readonly [min: number, max: number]) => void;
}

/** The environment of a tab. While the tab is frozen, all callbacks wait. */
export interface Gate {
  run: (run: () => void) => void;
  setTimeout: (run: () => void, ms: number) => unknown;
  clearTimeout: (handle: unknown) => void;
  freeze: () => void;
  resume: () => void;
  /** Nothing runs any more. */
  shut: () => void;
  isOpen: () => boolean;
}

export function createGate(clock: SimulatedClock): Gate {
  let state: 'open' | 'frozen' | 'shut' = 'open';
  let waiting: { run: () => void; handle: unknown }[] = [];
  const timers = new Set<unknown>();

  function pass(run: () => void, handle: unknown): void {
    if (state === 'open') run();
    else if (state === 'frozen') waiting.push({ run, handle });
  }

  return {
    run: (run) => pass(run, null),
    setTimeout(run, ms) {
      if (state === 'shut') return null;
      const handle = clock.setTimeout(
        () => {
          timers.delete(handle);
          pass(run, handle);
        },
        ms,
        'env',
      );
      timers.add(handle);
      return handle;
    },
    clearTimeout(handle) {
      timers.delete(handle);
      clock.clearTimeout(handle);
      waiting = waiting.filter((one) => handle === null || one.handle !== handle);
    },
    freeze() {
      if (state === 'open') state = 'frozen';
    },
    resume() {
      if (state !== 'frozen') return;
      state = 'open';
      // A callback that runs may cancel a later one.
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next.run();
    },
    shut() {
      state = 'shut';
      waiting = [];
      for (const handle of timers) clock.clearTimeout(handle);
      timers.clear();
    },
    isOpen: () => state === 'open',
  };
}

interface Request {
  readonly gate: Gate;
  readonly onGranted: () => void;
  readonly onLost: () => void;
  isOver: boolean;
}

interface Endpoint {
  readonly gate: Gate;
  readonly channel: TabChannel;
  lastAt: number;
}

/** The locks and channels of one browser. */
export interface BrowserParts {
  controls: Omit<SimulatedBrowser, 'createTab'>;
  tabsOf: (gate: Gate) => Tabs;
  /** The tab is gone, so its locks are released. */
  forget: (gate: Gate) => void;
  /** Messages between tabs, and locks that change hands. */
  inTransit: () => number;
}

export function createBrowserParts(clock: SimulatedClock, chance: Chance): BrowserParts {
  const locks = new Map<string, Request[]>();
  const channels = new Map<string, Set<Endpoint>>();
  let latency: readonly [number, number] = [0, 0];
  let rate = 0;
  let toDrop = 0;
  let inTransit = 0;

  function later(ms: number, run: () => void): void {
    inTransit += 1;
    clock.setTimeout(
      () => {
        inTransit -= 1;
        run();
      },
      ms,
      'world',
    );
  }

  /** The first request of a list has the lock. */
  function grant(queue: Request[]): void {
    const [first] = queue;
    if (first !== undefined)
      later(0, () => {
        if (queue[0] === first) first.gate.run(() => first.isOver || first.onGranted());
      });
  }

  function remove(queue: Request[], request: Request): void {
    const at = queue.indexOf(request);
    if (at === -1) return;
    queue.splice(at, 1);
    if (at === 0) grant(queue);
  }

  function isLost(): boolean {
    if (toDrop === 0) return chance.happens(rate);
    toDrop -= 1;
    return true;
  }

  return {
    inTransit: () => inTransit,
    controls: {
      drop: (count = 1) => void (toDrop += count),
      dropRate: (next) => void (rate = next),
      delay: (ms) => void (latency = typeof ms === 'number' ? [ms, ms] : ms),
    },
    forget(gate) {
      for (const queue of locks.values())
        for (const request of queue.filter((one) => one.gate === gate)) remove(queue, request);
      for (const endpoints of channels.values())
        for (const endpoint of endpoints) if (endpoint.gate === gate) endpoints.delete(endpoint);
    },
    tabsOf: (gate) => ({
      lock(name, steal, onGranted, onLost) {
        const queue = locks.get(name) ?? [];
        locks.set(name, queue);
        const request: Request = { gate, onGranted, onLost, isOver: false };
        if (steal) {
          const robbed = queue.shift();
          queue.unshift(request);
          if (robbed !== undefined) later(0, () => robbed.gate.run(() => robbed.isOver || robbed.onLost()));
        } else queue.push(request);
        if (queue[0] === request) grant(queue);
        return () => {
          request.isOver = true;
          remove(queue, request);
        };
      },
      channel(name) {
        const endpoints = channels.get(name) ?? new Set();
        channels.set(name, endpoints);
        const channel: TabChannel = {
          onmessage: null,
          postMessage(message) {
            if (!gate.isOpen()) return;
            const data: unknown = structuredClone(message);
            for (const endpoint of endpoints) {
              if (endpoint === own || isLost()) continue;
              endpoint.lastAt = Math.max(
                endpoint.lastAt,
                clock.now() + chance.between(latency[0], latency[1]),
              );
              later(endpoint.lastAt - clock.now(), () =>
                endpoint.gate.run(() => {
                  if (endpoints.has(endpoint)) endpoint.channel.onmessage?.({ data });
                }),
              );
            }
          },
          close: () => void endpoints.delete(own),
        };
        const own: Endpoint = { gate, channel, lastAt: 0 };
        endpoints.add(own);
        return channel;
      },
    }),
  };
}

// @vitest-environment jsdom
// The adapter for SWR, with the real package in React, a simulated hub and simulated time.

import { createDataLayer, type DataLayer } from '@edict/core';
import { connectSwr, type SwrOptions } from '@edict/core/adapters/swr';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { act, cleanup, render } from '@testing-library/react';
import { createElement, useEffect, type ReactElement } from 'react';
import useSWR, { SWRConfig, useSWRConfig, type ScopedMutator } from 'swr';
import { describe, expect, it, onTestFinished } from 'vitest';

interface World {
  sim: Simulation;
  dl: DataLayer;
  truth: { value: number; hangs: boolean; ms: number };
  requests: unknown[];
  /** Shows these keys and no others. */
  show: (...keys: unknown[]) => Promise<void>;
  text: () => string;
  /** Advances the time and lets React render. */
  pass: (ms: number) => Promise<void>;
  emit: (directive: object) => Promise<void>;
}

const requestMs = 100;

async function setup(options: SwrOptions = {}, init: 'init' | 'later' = 'init'): Promise<World> {
  const sim = createSimulation();
  const dl = createDataLayer({ env: sim.env });
  const truth = { value: 1, hangs: false, ms: requestMs };
  const requests: unknown[] = [];
  const cache = new Map();
  let mutate: ScopedMutator | undefined;
  const take = (its: ScopedMutator): void => void (mutate = its);

  function Row({ its }: { its: unknown }): ReactElement {
    const { data } = useSWR(its as string, async (key: unknown) => {
      requests.push(key);
      const { value } = truth;
      if (truth.hangs) return new Promise<number>(() => undefined);
      await sim.sleep(truth.ms);
      return value;
    });
    return createElement('i', null, `${String(data)} `);
  }
  function Rows({ keys }: { keys: readonly unknown[] }): ReactElement {
    const { mutate: its } = useSWRConfig();
    useEffect(() => take(its), [its]);
    return createElement(
      'p',
      null,
      keys.map((key) => createElement(Row, { key: JSON.stringify(key), its: key })),
    );
  }
  const page = (keys: readonly unknown[]): ReactElement =>
    createElement(
      SWRConfig,
      { value: { provider: () => cache, shouldRetryOnError: false } },
      createElement(Rows, { keys }),
    );

  const view = render(page([]));
  if (mutate === undefined) throw new Error('nothing was rendered');
  const own: ScopedMutator = mutate;
  const end = connectSwr(dl, { mutate: own }, { env: sim.env, ...options });
  onTestFinished(() => {
    end();
    cleanup();
    dl.dispose();
  });
  const pass = (ms: number): Promise<void> => act(() => sim.advance(ms));
  const world: World = {
    sim,
    dl,
    truth,
    requests,
    pass,
    async show(...keys) {
      await act(async () => view.rerender(page(keys)));
      await pass(0);
    },
    text: () => view.container.textContent?.trim() ?? '',
    async emit(directive) {
      sim.hub.emit([directive as { op: 'force_reload_page' }]); // Any directive: the hub passes it on.
      await pass(0);
    },
  };
  if (init === 'init') {
    dl.init();
    await pass(10);
  }
  return world;
}

const ticket = (id: number, more = {}): object => ({ op: 'refresh_item', name: 'ticket', id, ...more });

describe('a directive', () => {
  it('revalidates its keys once for all directives of its window', async () => {
    const { show, emit, pass, text, truth, requests } = await setup();
    await show(['ticket', 7], ['ticket', 8]);
    await pass(requestMs);
    expect(text()).toBe('1 1');
    truth.value = 2;
    for (let count = 0; count < 10; count++) await emit(ticket(7));
    await pass(50 + requestMs);
    expect(text()).toBe('2 1');
    await emit(ticket(8));
    await pass(50 + requestMs);
    expect(text()).toBe('2 2');
    expect(requests.slice(2)).toEqual([
      ['ticket', 7],
      ['ticket', 8],
    ]);
  });

  it('finds string keys with the functions of the application', async () => {
    const { show, emit, pass, text, truth } = await setup({
      item: (_, id) => `/api/tickets/${id}`,
      collection: () => (key) => typeof key === 'string' && key.startsWith('/api/tickets?'),
    });
    await show('/api/tickets/7', '/api/tickets?page=1');
    await pass(requestMs);
    truth.value = 2;
    await emit(ticket(7));
    await pass(50 + requestMs);
    expect(text()).toBe('2 1');
    await emit({ op: 'refresh_collection', name: 'tickets' });
    await pass(50 + requestMs);
    expect(text()).toBe('2 2');
  });

  it('is applied once if it arrives in a response and on the stream', async () => {
    const { sim, dl, show, pass, requests } = await setup();
    await show(['ticket', 7]);
    await pass(requestMs);
    sim.route('POST /tickets/7', ({ clientId }) => ({
      directives: sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source: clientId }),
    }));
    const answered = dl.fetch('/tickets/7', { method: 'POST' });
    await pass(500);
    await answered;
    expect(requests).toHaveLength(2);
  });
});

describe('a change while a request is in flight', () => {
  it('D-FETCH-2 is not lost during the first load', async () => {
    const { show, emit, pass, text, truth } = await setup({ delayMs: 0 });
    await show(['ticket', 7]);
    await pass(requestMs / 2);
    truth.value = 2;
    await emit(ticket(7));
    await pass(2 * requestMs);
    expect(text()).toBe('2');
  });

  it('D-FETCH-2 does not starve the screen under a steady stream of changes', async () => {
    const { show, emit, pass, text, truth, requests } = await setup({ delayMs: 0 });
    await show(['ticket', 7]);
    await pass(requestMs);
    const shown = new Set<string>();
    for (let value = 2; value < 42; value++) {
      truth.value = value;
      await emit(ticket(7));
      await pass(25);
      shown.add(text());
    }
    await pass(3 * requestMs);
    expect(text()).toBe('41');
    expect(shown.size).toBeGreaterThan(7);
    expect(requests.length).toBeLessThan(15);
  });

  it('waits at most 30 seconds for a response that never arrives', async () => {
    const { show, emit, pass, text, truth, requests } = await setup({ delayMs: 0 });
    await show(['ticket', 7]);
    await pass(requestMs);
    truth.hangs = true;
    await emit(ticket(7));
    await pass(20_000);
    await emit(ticket(7));
    expect(requests).toHaveLength(2);
    Object.assign(truth, { hangs: false, value: 2 });
    await pass(9000);
    expect(text()).toBe('1');
    await pass(1000 + requestMs);
    expect([text(), requests.length]).toEqual(['2', 3]);
    truth.hangs = true;
    await emit(ticket(7));
    await emit(ticket(7));
    Object.assign(truth, { hangs: false, value: 3 });
    await pass(30_000 + requestMs); // Not twice as long, because one has succeeded.
    expect(text()).toBe('3');
  });

  it('waits for a slow response under a steady stream of changes', async () => {
    const { show, emit, pass, text, truth } = await setup();
    await show(['ticket', 7]);
    await pass(requestMs);
    truth.ms = 40_000;
    for (let value = 2; value < 20; value++) {
      truth.value = value;
      await emit(ticket(7));
      await pass(10_000);
    }
    expect(Number(text())).toBeGreaterThan(1);
    await pass(100_000);
    expect(text()).toBe('19');
  });

  it('does not take the time of an earlier request into account', async () => {
    const { show, emit, pass, truth, requests } = await setup();
    await show(['ticket', 7]);
    await pass(requestMs);
    truth.ms = 20_000;
    for (let count = 0; count < 12; count++) {
      await emit(ticket(7));
      await pass(3000);
    }
    expect(requests).toHaveLength(3);
  });

  it('D-ADAPT-5 causes no request after the data layer was disposed', async () => {
    const { dl, sim, show, emit, pass, requests } = await setup({ delayMs: 0 });
    await show(['ticket', 7]);
    await pass(requestMs);
    await emit(ticket(7));
    await emit(ticket(7));
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
    await pass(60_000);
    expect(requests).toHaveLength(2);
  });
});

describe('a missed change', () => {
  it('D-SSE-9 is revalidated by a resync when a message was lost', async () => {
    const { sim, show, emit, pass, text, truth } = await setup({
      owns: (key) => Array.isArray(key) && key[0] !== 'weather',
    });
    await show(['ticket', 7], ['weather', 1]);
    await pass(requestMs);
    truth.value = 2;
    sim.hub.lose();
    await emit(ticket(8));
    await pass(3500 + requestMs);
    expect(text()).toBe('2 1');
  });

  it('D-SSE-8 is replayed when it happened between the first request and the first connection', async () => {
    const { dl, show, emit, pass, text, truth } = await setup({}, 'later');
    await show(['ticket', 7]);
    await pass(requestMs);
    truth.value = 2;
    await emit(ticket(7));
    await pass(4000);
    expect(text()).toBe('1');
    dl.init();
    await pass(500);
    expect(text()).toBe('2');
  });
});

describe('an inline result', () => {
  it('is shown without a request if `itemData` returns the value of the key', async () => {
    const { show, emit, pass, text, requests } = await setup({
      itemData: (_type, _id, _level, result) => result,
    });
    await show(['ticket', 7], ['ticket', 7, 'full']);
    await pass(requestMs);
    await emit(ticket(7, { result: 5 }));
    await pass(500);
    expect(text()).toBe('5 1');
    expect(requests.slice(2)).toEqual([['ticket', 7, 'full']]);
  });
});

describe('connectSwr', () => {
  const cache = { mutate: () => Promise.resolve() };
  it.each<[string, (dl: DataLayer) => unknown[], string]>([
    ['no data layer', () => [undefined, cache], 'the first argument must be a data layer'],
    ['swapped arguments', (dl) => [cache, dl], 'the first argument must be a data layer'],
    ['no cache', (dl) => [dl, {}], 'the second argument must be { mutate }'],
    [
      'a misspelled option',
      (dl) => [dl, cache, { itme: () => [] }],
      'itme is not an option. Use one of: item',
    ],
    ['an option of another type', (dl) => [dl, cache, { item: [] }], 'item must be a function'],
    ['no options', (dl) => [dl, cache, null], 'the options must be an object, but it is null'],
  ])('throws an error that names the problem: %s', (_, given, message) => {
    const { createDataLayer: make } = createSimulation();
    const connect = connectSwr as (...all: unknown[]) => void;
    expect(() => connect(...given(make()))).toThrow(`connectSwr: ${message}`);
  });
});

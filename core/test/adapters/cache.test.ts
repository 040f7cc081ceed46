// A cache of any kind, with a simulated hub and simulated time.

import { createDataLayer, type DataLayer } from '@edict/core';
import { connectCache, type CacheOptions, type Change } from '@edict/core/adapters/cache';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

async function setup(options: CacheOptions = {}, init: 'init' | 'later' = 'init') {
  const sim = createSimulation();
  const dl = createDataLayer({ env: sim.env });
  const told: (readonly Change[] | 'resync')[] = [];
  const connect = (): (() => void) =>
    connectCache(
      dl,
      { changed: (changes) => told.push(changes), resync: () => told.push('resync') },
      { env: sim.env, ...options },
    );
  const end = connect();
  onTestFinished(() => dl.dispose());
  if (init === 'init') {
    dl.init();
    await sim.advance(10);
  }
  const emit = (...directives: object[]): void => void sim.hub.emit(directives as never); // The hub passes them on.
  return { sim, dl, told, emit, connect, end };
}

const ticket = (id: number | string, more = {}): object => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});
const tickets = { op: 'refresh_collection', name: 'tickets' };
const item = (id: number | string | null, level: string | null = null): Change => ({
  kind: 'item',
  type: 'ticket',
  id,
  level,
  result: null,
});
const collection = (
  params: Record<string, unknown> | null,
  mode: 'exact' | 'contains' = 'exact',
): Change => ({
  kind: 'collection',
  name: 'tickets',
  params,
  mode,
  result: null,
});

describe('a change', () => {
  it('is passed on once per window, oldest first', async () => {
    const { sim, told, emit } = await setup();
    emit(ticket(7), { ...tickets, params: { team: 'a' }, params_mode: 'contains' });
    await sim.advance(30);
    emit(ticket(8, { level: 'full' }), tickets);
    expect(told).toEqual([]);
    await sim.advance(30);
    expect(told).toEqual([
      [item(7), collection({ team: 'a' }, 'contains'), item(8, 'full'), collection(null)],
    ]);
    emit(ticket(7));
    await sim.advance(60);
    expect(told.slice(1)).toEqual([[item(7)]]);
  });

  it('is passed on once per record, with the last directive', async () => {
    const { sim, told, emit } = await setup();
    emit(ticket(7, { result: { title: 'old' } }), ticket(8), ticket('7', { result: { title: 'new' } }));
    emit({ ...tickets, params: { b: 1, a: 2 } }, { ...tickets, params: { a: 2, b: 1 } });
    await sim.advance(60);
    expect(told).toEqual([
      [item(8), { ...item('7'), result: { value: { title: 'new' } } }, collection({ a: 2, b: 1 })],
    ]);
  });

  it('is passed on separately for each level and each kind', async () => {
    const { sim, told, emit } = await setup();
    emit(ticket(7), ticket(7, { level: 'full' }), { op: 'refresh_collection', name: 'ticket' });
    emit({ op: 'invalidate', kind: 'item', name: 'ticket' });
    await sim.advance(60);
    expect(told).toEqual([[item(7), item(7, 'full'), { ...collection(null), name: 'ticket' }, item(null)]]);
  });

  it('of an item whose id is the text of a special number does not replace that of all items', async () => {
    const { sim, told, emit } = await setup();
    emit({ op: 'invalidate', kind: 'item', name: 'ticket' }, ticket('NaN'), ticket('Infinity'));
    await sim.advance(60);
    expect(told).toEqual([[item(null), item('NaN'), item('Infinity')]]);
  });

  it('waits for `delayMs`', async () => {
    const { sim, told, emit } = await setup({ delayMs: 500 });
    emit(ticket(7));
    await sim.advance(499);
    expect(told).toEqual([]);
    await sim.advance(20);
    expect(told).toEqual([[item(7)]]);
  });

  it('is passed to markStale immediately if the cache has it', async () => {
    const { sim, dl, told } = await setup();
    const marked: Change[] = [];
    const cache = {
      changed: () => undefined,
      resync: () => undefined,
      markStale: (one: Change) => void marked.push(one),
    };
    onTestFinished(connectCache(dl, cache, { env: sim.env }));
    void dl.applyDirectives([ticket(7), tickets]);
    expect([marked, told]).toEqual([[item(7), collection(null)], []]);
  });

  it('is not passed on after the adapter was disconnected, even if it waited for its window', async () => {
    const { sim, told, emit, end } = await setup();
    emit(ticket(7));
    await sim.advance(10);
    end();
    emit(ticket(8));
    await sim.advance(5000);
    expect(told).toEqual([]);
  });
});

describe('a missed change', () => {
  it('D-SSE-9 causes one resync, which includes all waiting changes', async () => {
    const { sim, told, emit } = await setup({ delayMs: 4000 });
    sim.hub.lose();
    emit(ticket(7));
    emit(ticket(8));
    await sim.advance(10_000);
    expect(told).toEqual(['resync']);
  });

  it('D-SSE-8 before the first connection is replayed', async () => {
    const { sim, dl, told, emit } = await setup({}, 'later');
    await sim.advance(1000);
    emit(ticket(7));
    await sim.advance(4000);
    dl.init();
    await sim.advance(500);
    expect(told).toEqual([[item(7)]]);
  });

  it('causes an immediate resync when the cache connects to an open stream', async () => {
    const { told, connect } = await setup();
    connect();
    expect(told).toEqual(['resync']);
  });
});

describe('connectCache', () => {
  const cache = { changed: () => undefined, resync: () => undefined };
  it.each<[string, (dl: DataLayer) => unknown[], string]>([
    ['no data layer', () => [undefined, cache], 'the first argument must be a data layer'],
    [
      'half a cache',
      (dl) => [dl, { changed: cache.changed }],
      'the second argument must be { changed, resync, markStale? }',
    ],
    [
      'a markStale that is not a function',
      (dl) => [dl, { ...cache, markStale: true }],
      'markStale must be a function, but it is true',
    ],
    [
      'an option of another adapter',
      (dl) => [dl, cache, { item: () => [] }],
      'item is not an option. Use one of: delayMs',
    ],
    [
      'an option of another type',
      (dl) => [dl, cache, { delayMs: 'soon' }],
      'delayMs must be a number of milliseconds from 0 to 2147483647, but it is "soon"',
    ],
    [
      'a negative delay',
      (dl) => [dl, cache, { delayMs: -1 }],
      'delayMs must be a number of milliseconds from 0',
    ],
    [
      'half a clock',
      (dl) => [dl, cache, { env: { now: () => 0 } }],
      'env must have now, setTimeout, and clearTimeout',
    ],
  ])('throws an error that names the problem: %s', (_, given, message) => {
    const { createDataLayer: make } = createSimulation();
    const connect = connectCache as (...all: unknown[]) => void;
    expect(() => connect(...given(make()))).toThrow(`connectCache: ${message}`);
  });
});

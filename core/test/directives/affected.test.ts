// The entries that a directive marks stale, and those that it refetches.

import { createSimulation } from '@edict/core/testing';
import type { DataLayer, Target } from '@edict/core';
import { markedBy } from '@edict/core/internal';
import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';

async function setup(
  refetch: 'held' | 'watched',
): Promise<{ dl: DataLayer; marks: () => readonly (readonly Target[])[] }> {
  const sim = createSimulation({ seed: 1 });
  const dl = sim.createDataLayer();
  dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
  dl.createCollection('tickets', { fetch: () => Promise.resolve({ ids: [1] }) });
  dl.init({ sse: { enabled: false }, bulk: { refetch } });
  dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
  dl.fetchItem('ticket', 2);
  dl.fetchCollection('tickets', { params: { status: 'open' } });
  await sim.advance(10);
  const marks: Target[][] = [];
  dl.onLifecycle('directive:processed', ({ detail }) => void marks.push([...markedBy(dl, detail)]));
  return { dl, marks: () => marks };
}

const list: Target = { kind: 'collection', name: 'tickets', params: { status: 'open' } };
const two: Target = { kind: 'item', type: 'ticket', id: 2, level: 'default' };

it('D-REG-3 with bulk.refetch "watched", entries without subscribers are only marked stale', async () => {
  const { dl, marks } = await setup('watched');
  void dl.applyDirectives([
    { op: 'refresh_item', name: 'ticket', id: 1 },
    { op: 'refresh_item', name: 'ticket', id: 2 },
    { op: 'refresh_collection', name: 'tickets' },
    { op: 'refresh_item', name: 'ticket', id: 3 },
  ]);
  expect(marks()).toEqual([[], [two], [list], []]);
});

it('D-DIR-1 the legacy invalidate marks every item of a type and refetches the watched ones', async () => {
  const { dl, marks } = await setup('held');
  void dl.applyDirectives([{ op: 'invalidate', kind: 'item', name: 'ticket' }]);
  expect(marks()).toEqual([[two]]);
});

it('D-DIR-4 entries that are refetched or have an inline result are not reported as marked, and the detail has no other field', async () => {
  const { dl, marks } = await setup('held');
  const seen: object[] = [];
  dl.onLifecycle('directive:processed', ({ detail }) => void seen.push(detail));
  void dl.applyDirectives([
    { op: 'refresh_item', name: 'ticket', id: 2, result: { id: 2 } },
    { op: 'refresh_collection', name: 'tickets' },
  ]);
  expect(marks()).toEqual([[], []]);
  expect(seen.map((detail) => Object.keys(detail))).toEqual([
    ['directive', 'triggered', 'satisfied'],
    ['directive', 'triggered', 'satisfied'],
  ]);
});

describe('a directive for more items than a function call can have arguments', () => {
  it('is applied', () => {
    const dl = createSimulation().createDataLayer({ sse: { enabled: false }, memory: { enabled: false } });
    const many = 150_000; // A call can have about 125,000 arguments.
    dl.createType('ticket', { fetch: () => new Promise(() => {}), bulkFetch: () => new Promise(() => {}) });
    const items = Array.from({ length: many }, (_, id) => ({
      type: 'ticket',
      id,
      payloads: [{ levels: ['default'], data: id, ageMs: 0 }],
    }));
    hydrate(dl, { v: 1, items, collections: [], cursors: [] });
    for (let id = 0; id < many; id += 1) dl.onRefChange(dl.getItemRef('ticket', id), () => {});
    void dl.applyDirectives([{ op: 'invalidate', kind: 'item', name: 'ticket' }]);
    expect(dl.getItemRef('ticket', many - 1).meta.isStale).toBe(true);
    dl.dispose();
  });
});

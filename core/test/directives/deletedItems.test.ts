// Items that no longer exist: `removeItem`, `result: null` without a level, and fetch functions that return null.

import type { Id } from '@edict/core';
import { refreshItem, removeItem } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { missOne, refreshItem as loose, refreshList } from '../directives.ts';
import { createStage, untyped } from '../world.ts';

const removal = (name: string, id: number): unknown => refreshItem(name, id, untyped({ result: null }));

/** A document with two cached levels, and a card whose levels have checks. */
async function setup() {
  const stage = createStage();
  await stage.hold(
    () => stage.item('doc', 7, 'full'),
    () => stage.item('doc', 7),
    () => stage.item('card', 7, 'head'),
    () => stage.item('card', 7, 'body'),
    () => stage.list('tickets'),
  );
  return { ...stage, doc: stage.dl.getItemRef('doc', 7), card: stage.dl.getItemRef('card', 7) };
}

/** The levels that have a payload. */
const fetched = ({ meta }: { meta: { levelStamps: Readonly<Record<string, string | null>> } }): string[] =>
  Object.keys(meta.levelStamps).filter((level) => meta.levelStamps[level] !== null);

describe.each([
  ['removeItem', (name: string, id: number): unknown => removeItem(name, id)],
  ['refreshItem with the result null and no level', removal],
])('%s', (_, build) => {
  it.each(['push', 'pull'] as const)('covers every cached level and requests nothing (%s)', async (path) => {
    const { dl, sim, doc, card, taken, of } = await setup();
    const levels = [fetched(doc), fetched(card)];
    void dl.applyDirectives([build('doc', 7), build('card', 7)], { path });
    await sim.advance(200);
    expect([doc.data, doc.meta.isStale, card.data, card.meta.isStale]).toEqual([null, false, null, false]);
    expect([fetched(doc), fetched(card)]).toEqual(levels);
    expect(taken()).toEqual([]);
    expect(
      of('directive:processed').map(({ triggered, satisfied }) => [triggered.length, satisfied.length]),
    ).toEqual(levels.map((cached) => [0, cached.length]));
  });

  it('creates no entry and requests nothing if the item is not cached', async () => {
    const { dl, sim, taken } = await setup();
    void dl.applyDirectives([build('doc', 8)]);
    await sim.advance(200);
    expect(Object.keys(dl.devtools().items['doc'] ?? {})).toEqual(['7']);
    expect(taken()).toEqual([]);
  });

  it('creates no level if the item has a reference but was never fetched', async () => {
    const { dl, sim, taken } = await setup();
    const ref = dl.getItemRef('doc', 8);
    void dl.applyDirectives([build('doc', 8)]);
    await sim.advance(200);
    expect([ref.meta.levelStamps, taken()]).toEqual([{}, []]);
  });

  it('ends the request in flight without showing its response', async () => {
    const { dl, sim, doc, item } = await setup();
    dl.fetchItem('doc', 7, null, { force: true });
    void dl.applyDirectives([build('doc', 7)]);
    await sim.advance(200);
    expect([doc.data, doc.meta.isLoading]).toEqual([null, false]);
    expect(item('doc', 7).data).toBeNull();
  });

  it('does not refresh the collections that list the item', async () => {
    const { dl, sim, taken } = await setup();
    void dl.applyDirectives([build('ticket', 1)]);
    await sim.advance(200);
    expect(taken()).toEqual([]);
    void dl.applyDirectives([build('ticket', 1), refreshList('tickets')]);
    await sim.advance(200);
    expect(taken()).toEqual(['tickets {}']);
  });

  it('is a plain refresh if it is older than another directive', async () => {
    const { dl, sim, doc, taken, of } = await setup();
    const at = (seq: number, directive: unknown): void =>
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq, directives: [directive] });
    at(5, loose('doc', 7));
    at(4, build('doc', 7));
    await sim.advance(200);
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['outdated']);
    expect(doc.data).not.toBeNull();
    expect(taken().length).toBeGreaterThan(0);
  });

  it.each<[name: string, directive: object]>([
    ['an inline result', loose('doc', 7, { level: 'full', result: { id: 7, full: 9 } })],
    ['a refresh directive', loose('doc', 7)],
  ])('is undone by %s with data', async (_name, directive) => {
    const { dl, sim, doc } = await setup();
    void dl.applyDirectives([build('doc', 7)]);
    expect(doc.data).toBeNull();
    void dl.applyDirectives([directive]);
    await sim.advance(200);
    expect(doc.data).toMatchObject({ id: 7 });
  });

  it('does not prevent a resync from refetching the item', async () => {
    const { dl, sim, doc, taken } = await setup();
    dl.onRefChange(doc, () => undefined);
    void dl.applyDirectives([build('doc', 7)]);
    missOne(dl);
    await sim.advance(4000);
    expect(taken().filter((call) => call.startsWith('doc 7'))).not.toEqual([]);
    expect(doc.data).toMatchObject({ id: 7 });
  });
});

it('refreshItem with the result null and a level covers that level only', async () => {
  const { dl, doc, taken, of } = await setup();
  void dl.applyDirectives([loose('doc', 7, { level: 'default', result: null })]);
  expect(of('directive:processed')[0]?.satisfied).toEqual([
    { kind: 'item', type: 'doc', id: 7, level: 'default' },
  ]);
  expect(fetched(doc)).toContain('full');
  expect(taken()).toEqual([]);
});

it('an item whose fetch function returned null is shown again when it exists again', async () => {
  const { dl, sim, server, item } = createStage();
  server.item = () => null;
  const ref = item('ticket', 7);
  await sim.advance(100);
  expect([ref.data, ref.meta.error, ref.meta.isStale, fetched(ref)]).toEqual([
    null,
    null,
    false,
    ['default'],
  ]);
  server.item = (_type, id) => ({ id });
  dl.fetchItem('ticket', 7, null, { force: true });
  await sim.advance(100);
  expect(ref.data).toEqual({ id: 7 });
});

it('an item that is null at one level is gone at the levels that a directive left stale', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false }, bulk: { refetch: 'watched' } });
  let isThere = true;
  const calls: string[] = [];
  const fetchAt = (level: string) => (id: Id) => {
    calls.push(level);
    return isThere ? { id, [level]: 1 } : null;
  };
  dl.createType('doc', {
    fetch: fetchAt('default'),
    levels: { full: { fetch: fetchAt('full') } },
    levelConversionMap: { full: ['default'] },
  });
  const ref = dl.fetchItem('doc', 1, 'full');
  await sim.settled();
  isThere = false;
  await dl.applyDirectives([{ op: 'refresh_item', name: 'doc', id: 1 }]); // Nothing watches the item.
  dl.onRefChange(ref, () => undefined);
  dl.fetchItem('doc', 1);
  await sim.settled();
  expect(calls).toEqual(['full', 'default', 'full']);
  expect([ref.data, ref.meta.isStale]).toEqual([null, false]);
});

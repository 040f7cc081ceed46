// The events of a list of directives, and what ends a list.

import { createDataLayer } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage } from '../world.ts';
import { apply } from './setup.ts';

describe('§6.2 D-DIR-4 the events of directives', () => {
  const list = [refreshList('tickets'), refreshItem('ticket', 7)];

  it('directive:received contains the list, the audience and the source', () => {
    const { dl, of } = createStage();
    void dl.applyDirectives(list);
    dl.ingestEnvelope(envelope(1, list, { source: 'c9' }));
    expect(of('directive:received')).toEqual([
      { directives: list, audience: null, source: null },
      { directives: list, audience: 'global', source: 'c9' },
    ]);
  });

  it('directive:processed follows directive:received for each directive', () => {
    const { dl, names, of } = createStage();
    void dl.applyDirectives(list);
    expect(names()).toEqual(['directive:received', 'directive:processed', 'directive:processed']);
    expect(of('directive:processed').map(({ directive }) => directive)).toEqual(list);
    expect(of('directive:processed').every((detail) => !('kind' in detail))).toBe(true);
  });

  it('directive:processed lists the entries to refetch: items with type, id and level, collections with name and params', async () => {
    const { dl, hold, item, list, of } = createStage();
    await hold(
      () => item('ticket', 7),
      () => item('doc', 7, 'full'),
      () => list('tickets'),
      () => list('tickets', { page: 1 }),
    );
    const directives = [refreshItem('ticket', 7), refreshItem('doc', 7), refreshList('tickets')];
    void dl.applyDirectives(directives);
    const [first, second, third] = of('directive:processed');
    expect(first).toEqual({
      directive: directives[0],
      triggered: [{ kind: 'item', type: 'ticket', id: 7, level: 'default' }],
      satisfied: [],
    });
    expect(second?.triggered).toEqual([{ kind: 'item', type: 'doc', id: 7, level: 'full' }]);
    expect(third?.triggered).toEqual([
      { kind: 'collection', name: 'tickets', params: undefined },
      { kind: 'collection', name: 'tickets', params: { page: 1 } },
    ]);
  });

  it('directive:skipped has the reason', async () => {
    const stage = await createCachedStage({ init: { sse: { connectOnInit: false } } });
    const { dl, of } = stage;
    const own = refreshItem('ticket', 7, { source: dl.clientId() });
    const elsewhere = refreshItem('ticket', 7, { audience: 'team-1' });
    const first = refreshItem('ticket', 8, { idempotency_key: 'k', seq: 5 });
    const old = refreshItem('ticket', 9, { result: { id: 9 }, seq: 4 });
    await apply(stage, own, elsewhere, first, first, old);
    expect(of('directive:skipped')).toEqual([
      { directive: own, reason: 'own-source' },
      { directive: elsewhere, reason: 'audience' },
      { directive: first, reason: 'duplicate' },
      { directive: old, reason: 'outdated' },
    ]);
    expect(of('directive:processed').map(({ directive }) => directive)).toEqual([first, old]);
    expect(stage.taken()).toEqual([]);
  });
});

describe('a list of directives', () => {
  it('D-DIR-5 causes no request after dispose()', async () => {
    const { sim, dl, calls } = await createCachedStage();
    void dl.applyDirectives([refreshItem('ticket', 7)]);
    dl.dispose();
    await sim.advance(1000);
    expect(calls).toEqual([]);
  });

  it('D-DIR-3 does not affect another data layer', async () => {
    const stage = await createCachedStage();
    const other = createDataLayer({ env: stage.sim.env });
    await other.applyDirectives([refreshItem('ticket', 7)]);
    await stage.sim.advance(100);
    expect(stage.calls).toEqual([]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
  });
});

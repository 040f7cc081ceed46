// When events are emitted, and what they contain. The tests of fetching and of the stream show the other fields.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { createStage } from '../world.ts';

describe('§6.2 fetch events', () => {
  it('intent is emitted before the fetch function is called, success after the data is set', async () => {
    const { dl, sim, calls, list } = createStage();
    const order: unknown[] = [];
    dl.onLifecycle('collection:fetch:intent', () => order.push(calls.length));
    dl.onLifecycle('collection:fetch:success', () => order.push(dl.getCollectionRef('tickets').data.ids));
    list('tickets');
    await sim.advance(100);
    expect(order).toEqual([0, [1]]);
  });

  it('of a collection have force: true for a forced fetch and for the refetch of a directive', async () => {
    const { dl, sim, hold, list, of } = createStage();
    await hold(() => list('tickets'));
    dl.fetchCollection('tickets', { force: true });
    await sim.advance(100);
    void dl.applyDirectives([refreshList('tickets')]);
    await sim.advance(100);
    expect(of('collection:fetch:intent').map(({ force }) => force)).toEqual([true, true]);
  });

  it('D-NAME-4 contain the type of an item and the name of a collection', async () => {
    const { dl, sim, server, events, item, list } = createStage();
    const read = () => [item('ticket', 1), list('tickets')];
    read();
    read();
    await sim.advance(100);
    read();
    server.item = server.collection = () => {
      throw new Error('down');
    };
    void dl.applyDirectives([refreshItem('ticket', 1), refreshList('tickets')]);
    await sim.advance(100);
    for (const { event, detail } of events) {
      if (event.startsWith('item:')) expect(detail).toMatchObject({ type: 'ticket', id: 1 });
      if (event.startsWith('collection:')) expect(detail).toMatchObject({ name: 'tickets' });
    }
    const ends = [
      'fetch:intent',
      'fetch:success',
      'fetch:error',
      'fetch:complete',
      'fetch:skip',
      'cache-hit',
    ];
    const seen = new Set(events.map(({ event }) => event));
    for (const kind of ['item', 'collection'])
      for (const end of ends) expect(seen).toContain(`${kind}:${end}`);
  });
});

describe('§6.2 directive events', () => {
  const list = [refreshList('tickets'), refreshItem('ticket', 7)];

  it('directive:received contains the list, the audience and the source', () => {
    const { dl, of } = createStage();
    void dl.applyDirectives(list);
    dl.ingestEnvelope({ type: 'directives', seq: 1, audience: 'global', source: 'c9', directives: list });
    expect(of('directive:received')).toEqual([
      { directives: list, audience: null, source: null },
      { directives: list, audience: 'global', source: 'c9' },
    ]);
  });

  it('directive:processed is emitted for each directive after directive:received', () => {
    const { dl, names, of } = createStage();
    void dl.applyDirectives(list);
    expect(names()).toEqual(['directive:received', 'directive:processed', 'directive:processed']);
    expect(of('directive:processed').map(({ directive }) => directive)).toEqual(list);
    expect(of('directive:processed').every((detail) => !('kind' in detail))).toBe(true);
  });
});

// A state that is hydrated while requests for its entries are in flight: their responses replace it.

import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { envelope, refreshItem } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';
import { cursor, itemState, rendered, stateOf } from './setup.ts';

const down = (): never => {
  throw new Error('down');
};

/** The data, `isStale`, and the error of the ticket. */
function seen({ dl }: Stage): unknown[] {
  const { data, meta } = dl.getItemRef('ticket', 7);
  return [data, meta.isStale, meta.error];
}

describe('D-REACT-10 the response of a request in flight', () => {
  it('D-FETCH-4 replaces the state, which is shown until then, and is reported as a success', async () => {
    const server = await rendered();
    const client = createStage();
    client.server.version = 2;
    const ref = client.item('ticket', 7);
    const listRef = client.list('tickets');
    hydrate(client.dl, stateOf(server));
    expect(ref.data).toEqual({ id: 7, default: 1 });
    expect(listRef.data.ids).toEqual([1]);
    await client.sim.advance(100);
    expect(ref.data).toEqual({ id: 7, default: 2 });
    expect(listRef.data.ids).toEqual([2]);
    expect(client.taken()).toEqual(['ticket 7', 'tickets {}']);
    expect([ref.meta.isLoading, listRef.meta.isLoading]).toEqual([false, false]);
    expect(client.of('item:fetch:success')).toHaveLength(1);
    expect(client.of('item:fetch:aborted')).toEqual([]);
  });

  it('replaces the state at the levels that it converts to', async () => {
    const client = createStage();
    client.server.item = () => ({ v: 2 });
    client.item('doc', 7, 'full');
    hydrate(client.dl, itemState('doc', { levels: ['simplified'], data: { v: 1 }, ageMs: 5000 }));
    await client.sim.advance(100);
    expect(client.dl.getItemRef('doc', 7).data).toEqual({ v: 2 });
  });

  it('replaces the state even if another response replaced it at another level before', async () => {
    const client = createStage();
    client.server.item = (_type, _id, level) => ({ [level]: 'asked here' });
    client.item('card', 7, 'head');
    client.item('card', 7, 'body');
    hydrate(client.dl, itemState('card', { levels: ['head', 'body'], data: { head: 1, body: 1 } }));
    await client.sim.advance(100);
    expect(client.dl.getItemRef('card', 7).data).toEqual({ head: 'asked here', body: 'asked here' });
  });

  it('replaces the state even if another level is already newer', async () => {
    const client = createStage();
    client.server.item = (_type, _id, level) => ({ [level]: 'asked here' });
    client.server.latencyMs = 100;
    client.item('card', 7, 'head');
    client.server.latencyMs = 10;
    client.item('card', 7, 'body');
    await client.sim.advance(10);
    hydrate(client.dl, itemState('card', { levels: ['head'], data: { head: 1 }, ageMs: 5000 }));
    await client.sim.advance(100);
    expect(client.dl.getItemRef('card', 7).data).toEqual({ head: 'asked here', body: 'asked here' });
  });

  it.each([
    ['was marked stale', { stale: true as const }, []],
    ['is behind the stream', {}, [cursor(5)]],
  ])('ends the staleness of a state that %s, unless the request fails', async (_, payload, cursors) => {
    for (const [item, after] of [
      [down, ['old', true, 'down']],
      [() => 'newer', ['newer', false, null]],
    ] as const) {
      const client = createStage();
      client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7)]));
      client.server.item = item;
      client.item('ticket', 7);
      hydrate(client.dl, itemState('ticket', payload, cursors));
      expect(seen(client)).toEqual(['old', true, null]);
      await client.sim.advance(1000);
      expect(seen(client)).toEqual(after);
      expect(client.taken()).toEqual(['ticket 7']);
    }
  });
});

it('D-REACT-10 a request in flight leaves the payloads of a state in their order, so the newest wins', async () => {
  const { dl, sim, item } = createStage();
  item('card', 7);
  const payloads = [
    { levels: ['head'], data: { title: 'older' }, ageMs: 20 },
    { levels: ['body'], data: { title: 'newer' }, ageMs: 10 },
  ];
  hydrate(dl, { ...itemState('card'), items: [{ type: 'card', id: 7, payloads }] });
  expect(dl.getItemRef('card', 7).data).toEqual({ title: 'newer' });
  await sim.advance(100);
  expect(dl.getItemRef('card', 7).data).toEqual({ title: 'newer', id: 7, default: 1 });
});

describe('D-REACT-10 a request in flight that is older than a directive', () => {
  const stale = (levels: string[]) => itemState('doc', { levels, ageMs: 9, stale: true });

  it('leaves the refetch of the directive pending', async () => {
    const client = createStage();
    await client.hold(() => client.item('doc', 7, 'full'));
    client.server.latencyMs = 200;
    client.dl.fetchItem('doc', 7, 'full', { force: true });
    void client.dl.applyDirectives([refreshItem('doc', 7)]);
    hydrate(client.dl, stale(['full']));
    await client.sim.advance(1000);
    expect(client.taken()).toEqual(['doc 7 full', 'doc 7 full']);
    expect(client.dl.getItemRef('doc', 7).meta.isStale).toBe(false);
  });

  it('makes no other level fresh that its response converts to', async () => {
    const client = createStage({ init: { sse: { enabled: false }, bulk: { refetch: 'watched' } } });
    await client.hold(() => client.item('doc', 7));
    client.server.latencyMs = 200;
    client.item('doc', 7, 'full');
    void client.dl.applyDirectives([refreshItem('doc', 7, { level: 'full' })]);
    hydrate(client.dl, stale(['default']));
    await client.sim.advance(1000);
    client.taken();
    client.item('doc', 7, 'simplified');
    await client.sim.advance(1000);
    expect(client.taken()).toEqual(['doc 7 simplified']);
  });
});

describe('D-REACT-10 the refetch of a directive', () => {
  it('leaves a state behind the stream stale while it is in flight, and if it fails', async () => {
    const client = createStage();
    await client.hold(() => client.item('ticket', 7));
    client.server.item = down;
    client.dl.ingestEnvelope(envelope(6, [refreshItem('ticket', 7)]));
    await client.sim.advance(50);
    hydrate(client.dl, itemState('ticket', {}, [cursor(5)]));
    expect(seen(client)).toEqual(['old', true, null]);
    await client.sim.advance(1000);
    expect(seen(client)).toEqual(['old', true, 'down']);
  });

  it('leaves a state without cursors stale while it is in flight, and if it fails', async () => {
    const client = createStage();
    await client.hold(() => client.item('ticket', 7));
    await client.sim.advance(1000);
    client.server.item = down;
    void client.dl.applyDirectives([refreshItem('ticket', 7)]);
    await client.sim.advance(50);
    expect(client.dl.getItemRef('ticket', 7).meta.isLoading).toBe(true);
    hydrate(client.dl, itemState('ticket'));
    expect(seen(client)).toEqual(['old', true, null]);
    await client.sim.advance(1000);
    expect(seen(client)).toEqual(['old', true, 'down']);
  });
});

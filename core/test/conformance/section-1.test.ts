// Specification §1: the responsibilities of server and client.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';

async function held(sse: object): Promise<Stage> {
  const stage = await createCachedStage({ init: { sse } });
  return stage;
}

describe('§1 responsibilities of server and client', () => {
  it('1 a directive names the data that changed, and the client refetches that data', async () => {
    const stage = await held({ enabled: false });
    stage.server.version = 2;
    void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
    expect(stage.dl.getCollectionRef('tickets').data.ids).toEqual([1]);
  });

  it('2 the client caches, tracks staleness and coalesces refetches', async () => {
    const stage = await held({ enabled: false });
    stage.item('ticket', 7);
    expect(stage.taken()).toEqual([]);
    for (let count = 0; count < 5; count += 1) void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(true);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('3 the client decides what it fetches: a directive for data that is not cached sends no request', async () => {
    const stage = createStage();
    void stage.dl.applyDirectives([refreshItem('ticket', 7), refreshList('tickets')]);
    await stage.sim.advance(1000);
    expect(stage.taken()).toEqual([]);
  });

  it('4 there are no optimistic updates: the data changes only after the server confirmed the mutation', async () => {
    const stage = await held({ enabled: false });
    const before = stage.dl.getItemRef('ticket', 7).data;
    stage.sim.route('PATCH /tickets/7', async () => {
      await stage.sim.sleep(500);
      return { id: 7, title: 'new', directives: [refreshItem('ticket', 7)] };
    });
    const mutation = stage.dl.fetch('/tickets/7', { method: 'PATCH', body: '{"title":"new"}' });
    await stage.sim.advance(499);
    expect(stage.dl.getItemRef('ticket', 7).data).toBe(before);
    expect(stage.dl.getItemRef('ticket', 7).meta.isStale).toBe(false);
    stage.server.version = 2;
    await Promise.all([mutation, stage.sim.advance(1)]);
    expect(stage.dl.getItemRef('ticket', 7).data).toBe(before);
    await stage.sim.advance(100);
    expect(stage.dl.getItemRef('ticket', 7).data).toEqual({ id: 7, default: 2 });
  });

  it('4 a mutation that the server rejects changes no data', async () => {
    const stage = await held({ enabled: false });
    const before = stage.dl.getItemRef('ticket', 7).data;
    stage.sim.route('PATCH /tickets/7', () => Response.json({ error: 'no' }, { status: 422 }));
    await Promise.all([stage.dl.fetch('/tickets/7', { method: 'PATCH' }), stage.sim.advance(100)]);
    expect(stage.dl.getItemRef('ticket', 7).data).toBe(before);
    expect(stage.taken()).toEqual([]);
  });

  it.each<[string, object, (stage: Stage) => unknown]>([
    [
      'pull, in the response of a mutation',
      { enabled: false },
      ({ dl }) => dl.fetch('/act', { method: 'POST' }),
    ],
    [
      'push, over the event stream',
      {},
      ({ sim }) => sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]),
    ],
    [
      'a custom transport',
      { enabled: false },
      ({ dl }) =>
        dl.configureDirectiveSource({
          type: 'websocket',
          connect: ({ applyDirectives }) => void applyDirectives([refreshItem('ticket', 7)]),
        }),
    ],
  ])('5 directives travel by %s', async (_title, sse, send) => {
    const stage = await held(sse);
    stage.sim.route('POST /act', () => ({ directives: [refreshItem('ticket', 7)] }));
    void send(stage);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    stage.dl.dispose();
  });
});

// Document §6: the stream's one event, and the lifecycle events with their fields.

import { describe, expect, it } from 'vitest';
import type { LifecycleEvent } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';

const qid = expect.any(String) as string;
const names = ({ events }: Stage): LifecycleEvent[] => events.map(({ event }) => event);

describe('§6.1 the event of the stream', () => {
  const data = (seq: number): string =>
    JSON.stringify({ type: 'directives', seq, audience: 'global', directives: [refreshList('tickets')] });

  async function connected(): Promise<Stage & { next: () => number }> {
    const stage = createStage({ init: { sse: {} } });
    await stage.hold(() => stage.list('tickets'));
    let { seq } = stage.sim.hub.cursor();
    return { ...stage, next: () => ++seq };
  }

  it('is named message; its data is the envelope', async () => {
    const stage = await connected();
    stage.sim.hub.write(`event: message\ndata: ${data(stage.next())}\n\n`);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    stage.dl.dispose();
  });

  it('without a name is message', async () => {
    const stage = await connected();
    stage.sim.hub.write(`data: ${data(stage.next())}\n\n`);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    stage.dl.dispose();
  });

  it('of another name is not the protocol', async () => {
    const stage = await connected();
    stage.sim.hub.write(`event: weather\ndata: ${data(stage.next())}\n\n`);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    stage.dl.dispose();
  });

  it('over several data lines is one envelope', async () => {
    const stage = await connected();
    const lines = JSON.stringify(JSON.parse(data(stage.next())), null, 1).split('\n');
    stage.sim.hub.write(`event: message\n${lines.map((line) => `data: ${line}\n`).join('')}\n`);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    stage.dl.dispose();
  });
});

describe('§6.2 collection events', () => {
  it('intent, success and complete of a fetch, in this order, with one qid', async () => {
    const stage = createStage();
    const ref = stage.list('tickets', { page: 1 });
    await stage.sim.advance(100);
    const base = { name: 'tickets', params: { page: 1 }, qid };
    expect(stage.events).toEqual([
      { event: 'collection:fetch:intent', detail: { ...base, force: false } },
      { event: 'collection:fetch:success', detail: base },
      { event: 'collection:fetch:complete', detail: base },
    ]);
    expect(stage.events.map(({ detail }) => (detail as { qid: string }).qid)).toEqual(
      Array.from({ length: 3 }, () => ref.meta.activeQueryId),
    );
  });

  it('intent is emitted before the fetch function is called, success after the data is there', async () => {
    const stage = createStage();
    const order: unknown[] = [];
    stage.dl.onLifecycle('collection:fetch:intent', () => order.push(stage.calls.length));
    stage.dl.onLifecycle('collection:fetch:success', () =>
      order.push(stage.dl.getCollectionRef('tickets').data.ids),
    );
    stage.list('tickets');
    await stage.sim.advance(100);
    expect(order).toEqual([0, [1]]);
  });

  it('force tells a forced fetch', async () => {
    const stage = createStage();
    await stage.hold(() => stage.list('tickets'));
    stage.dl.fetchCollection('tickets', { force: true });
    await stage.sim.advance(100);
    void stage.dl.applyDirectives([refreshList('tickets')]);
    await stage.sim.advance(100);
    expect(stage.of('collection:fetch:intent').map(({ force }) => force)).toEqual([true, true]);
  });

  it('a read served from cache emits cache-hit and skip with name, params and the same reason', async () => {
    const stage = createStage();
    await stage.hold(() => stage.list('tickets'));
    stage.list('tickets');
    const detail = { name: 'tickets', params: undefined, reason: 'fresh' };
    expect(stage.of('collection:cache-hit')).toEqual([detail]);
    expect(stage.of('collection:fetch:skip')).toEqual([detail]);
    expect(stage.events).toHaveLength(2);
  });

  it('a read that joins a request emits skip and no intent', () => {
    const stage = createStage();
    stage.list('tickets');
    stage.list('tickets');
    expect(stage.of('collection:fetch:intent')).toHaveLength(1);
    expect(stage.of('collection:fetch:skip')).toEqual([
      { name: 'tickets', params: undefined, reason: 'in-flight' },
    ]);
  });

  it('a failure emits intent, error and complete, and no success', async () => {
    const stage = createStage();
    const reason = new Error('down');
    stage.server.collection = () => {
      throw reason;
    };
    stage.list('tickets');
    await stage.sim.advance(100);
    expect(names(stage)).toEqual([
      'collection:fetch:intent',
      'collection:fetch:error',
      'collection:fetch:complete',
    ]);
    expect(stage.of('collection:fetch:error')).toEqual([
      { name: 'tickets', params: undefined, qid, error: reason },
    ]);
  });
});

describe('§6.2 item events', () => {
  it('intent, success and complete of a fetch, in this order, with one qid', async () => {
    const stage = createStage();
    const ref = stage.item('doc', 7, 'full');
    await stage.sim.advance(100);
    const base = { type: 'doc', id: 7, level: 'full', qid };
    expect(stage.events).toEqual([
      { event: 'item:fetch:intent', detail: base },
      { event: 'item:fetch:success', detail: { ...base, strategy: 'direct' } },
      { event: 'item:fetch:complete', detail: base },
    ]);
    expect(stage.of('item:fetch:intent')[0]?.qid).toBe(ref.meta.activeQueryId);
  });

  it('level is default where none was given', async () => {
    const stage = createStage();
    stage.item('ticket', 7);
    await stage.sim.advance(100);
    expect(stage.events.map(({ detail }) => (detail as { level: string }).level)).toEqual([
      'default',
      'default',
      'default',
    ]);
  });

  it('strategy tells a bulk fetch from a direct one; each item has events of its own', async () => {
    const stage = createStage();
    stage.item('note', 1);
    stage.item('note', 2);
    stage.item('ticket', 3);
    await stage.sim.advance(100);
    expect(
      stage
        .of('item:fetch:success')
        .map(({ id, strategy }) => `${id} ${strategy}`)
        .toSorted(),
    ).toEqual(['1 bulk', '2 bulk', '3 direct']);
    expect(stage.of('item:fetch:intent')).toHaveLength(3);
    expect(stage.of('item:fetch:complete')).toHaveLength(3);
  });

  it('a read served from cache emits cache-hit and skip with type, id, level and the same reason', async () => {
    const stage = createStage();
    await stage.hold(() => stage.item('doc', 7, 'full'));
    stage.item('doc', 7, 'simplified');
    const detail = { type: 'doc', id: 7, level: 'simplified', reason: 'fresh' };
    expect(stage.of('item:cache-hit')).toEqual([detail]);
    expect(stage.of('item:fetch:skip')).toEqual([detail]);
  });

  it('a read of a failed level emits them with the reason failed', async () => {
    const stage = createStage();
    stage.server.item = () => {
      throw new Error('down');
    };
    await stage.hold(() => stage.item('ticket', 7));
    stage.item('ticket', 7);
    expect(stage.of('item:cache-hit')).toEqual([
      { type: 'ticket', id: 7, level: 'default', reason: 'failed' },
    ]);
    expect(stage.of('item:fetch:skip')).toEqual([
      { type: 'ticket', id: 7, level: 'default', reason: 'failed' },
    ]);
  });

  it('a failure emits intent, error and complete, and no success', async () => {
    const stage = createStage();
    const reason = new Error('down');
    stage.server.item = () => {
      throw reason;
    };
    stage.item('ticket', 7);
    await stage.sim.advance(100);
    expect(names(stage)).toEqual(['item:fetch:intent', 'item:fetch:error', 'item:fetch:complete']);
    expect(stage.of('item:fetch:error')[0]?.error).toBe(reason);
  });
});

describe('§6.2 directive events', () => {
  it('directive:received carries the list, the audience and the source', () => {
    const stage = createStage();
    const list = [refreshList('tickets'), refreshItem('ticket', 7)];
    void stage.dl.applyDirectives(list);
    stage.dl.ingestEnvelope({
      type: 'directives',
      seq: 1,
      audience: 'global',
      source: 'c9',
      directives: list,
    });
    expect(stage.of('directive:received')).toEqual([
      { directives: list, audience: null, source: null },
      { directives: list, audience: 'global', source: 'c9' },
    ]);
  });

  it('directive:processed is emitted for each directive, after received', () => {
    const stage = createStage();
    const list = [refreshList('tickets'), refreshItem('ticket', 7)];
    void stage.dl.applyDirectives(list);
    expect(names(stage)).toEqual(['directive:received', 'directive:processed', 'directive:processed']);
    expect(stage.of('directive:processed').map(({ directive }) => directive)).toEqual(list);
    expect(stage.of('directive:processed').every((detail) => !('kind' in detail))).toBe(true);
  });

  it('directive:processed of force_reload_page carries kind page_reload', () => {
    const stage = createStage();
    void stage.dl.applyDirectives([{ op: 'force_reload_page' }]);
    expect(stage.of('directive:processed')).toMatchObject([
      { directive: { op: 'force_reload_page' }, kind: 'page_reload' },
    ]);
  });
});

describe('§6.2 stream events', () => {
  it('sse:open carries the audience and the url', async () => {
    const stage = createStage({ init: { sse: { audience: 'team' } } });
    await stage.sim.advance(10);
    expect(stage.of('sse:open')).toMatchObject([
      { audience: 'team', url: expect.stringContaining('/api/events') as string },
    ]);
    stage.dl.dispose();
  });

  it('sse:error carries when it tries again', async () => {
    const stage = createStage({ init: { sse: { retryJitter: 0 } } });
    await stage.sim.advance(10);
    stage.sim.hub.stop();
    await stage.sim.advance(10);
    expect(stage.of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
    stage.dl.dispose();
  });

  it('sse:gap carries the audience, the last number and the incoming one; sse:resync-dispatch the context', async () => {
    const stage = createStage();
    const envelope = (seq: number): object => ({
      type: 'directives',
      seq,
      audience: 'global',
      directives: [refreshList('notes')],
    });
    stage.dl.ingestEnvelope(envelope(41));
    stage.dl.ingestEnvelope(envelope(44));
    expect(stage.of('sse:gap')).toEqual([{ audience: 'global', lastSeq: 41, incomingSeq: 44 }]);
    await stage.sim.advance(3500);
    const context = { reason: 'gap', audience: 'global', lastSeq: 41, incomingSeq: 44 };
    expect(stage.of('sse:resync-scheduled')).toEqual([{ waitMs: expect.any(Number), context }]);
    expect(stage.of('sse:resync-dispatch')).toEqual([{ context }]);
  });
});

describe('§6.2 subscribing', () => {
  it('to * receives all, to one event that one alone', async () => {
    const stage = createStage();
    const one: string[] = [];
    stage.dl.onLifecycle('item:fetch:success', ({ event }) => void one.push(event));
    stage.item('ticket', 7);
    stage.list('tickets');
    await stage.sim.advance(100);
    void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
    await stage.sim.advance(100);
    expect(one).toEqual(['item:fetch:success', 'item:fetch:success']);
    expect(new Set(names(stage))).toEqual(
      new Set([
        'item:fetch:intent',
        'item:fetch:success',
        'item:fetch:complete',
        'collection:fetch:intent',
        'collection:fetch:success',
        'collection:fetch:complete',
        'directive:received',
        'directive:processed',
      ]),
    );
  });

  it('a callback may read, apply and unsubscribe while it is called', async () => {
    const stage = createStage();
    const stop = stage.dl.onLifecycle('item:fetch:success', () => {
      stop();
      stage.list('tickets');
      void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
    });
    stage.item('ticket', 7);
    await stage.sim.advance(200);
    expect(stage.taken()).toEqual(['ticket 7', 'tickets {}', 'ticket 7']);
  });
});

// The resync after a gap: D-SSE-3 and D-SSE-9.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { envelope, greeting, setup } from './setup.ts';

const gap = { reason: 'gap', audience: 'global', lastSeq: 41, incomingSeq: 44 };

/** An open connection with a gap. */
async function withGap(): Promise<ReturnType<typeof setup>> {
  const one = setup();
  await one.opened();
  await one.world.last().envelope(envelope(41));
  await one.world.last().envelope(envelope(44));
  return one;
}

describe('a resync', () => {
  it.each([
    [{}, 0, 1500],
    [{}, 0.5, 2500],
    [{}, 0.999_999, 3500],
    [{ resyncJitterMinMs: 70, resyncJitterMaxMs: 170 }, 0, 70],
    [{ resyncJitterMinMs: 70, resyncJitterMaxMs: 170 }, 0.5, 120],
    [{ resyncJitterMinMs: 70, resyncJitterMaxMs: 70 }, 0.5, 70],
  ])('D-SSE-9 §2.8 §8 with %j and the random number %d waits %d ms', async (options, random, waitMs) => {
    const { dl, of, world } = setup(options, { env: { random: () => random } });
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope(envelope(44));
    expect(of('sse:resync-scheduled')).toEqual([{ waitMs, context: gap }]);
    await world.sim.advance(waitMs - 1);
    expect(of('sse:resync-dispatch')).toHaveLength(0);
    await world.sim.advance(1);
    expect(of('sse:resync-dispatch')).toEqual([{ context: gap }]);
  });

  it('D-SSE-9 covers every gap that is detected while it is pending', async () => {
    const { of, world } = await withGap();
    await world.last().envelope(envelope(50));
    await world.last().envelope(greeting(60, { recovered: false }));
    await world.sim.advance(10_000);
    expect(of('sse:gap')).toHaveLength(3);
    expect(of('sse:resync-scheduled')).toHaveLength(1);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
  });

  it('D-SSE-9 is followed by another resync for a later gap', async () => {
    const { of, world } = await withGap();
    await world.sim.advance(2500);
    await world.last().envelope(envelope(50));
    await world.sim.advance(2500);
    expect(of('sse:resync-dispatch')).toHaveLength(2);
  });

  it('requests nothing if a listener of its event disposes the data layer', async () => {
    const { dl, world } = setup();
    let calls = 0;
    dl.createCollection('tickets', { fetch: () => ({ ids: [calls++] }) });
    const ref = dl.fetchCollection('tickets');
    dl.onRefChange(ref, () => undefined);
    dl.onLifecycle('sse:resync-dispatch', () => dl.dispose());
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope(envelope(44));
    await world.sim.advance(2500);
    expect(calls).toBe(1);
  });

  it('D-SSE-3 is not canceled by an automatic reconnect', async () => {
    const { of, world } = await withGap();
    await world.last().cut();
    await world.sim.advance(2500);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
  });

  it('D-SSE-3 is stopped by disconnectSse and scheduled again at the next open', async () => {
    const { dl, of, world } = await withGap();
    dl.disconnectSse();
    expect(world.sim.pendingTimers()).toBe(0);
    await world.sim.advance(60_000);
    expect(of('sse:resync-dispatch')).toHaveLength(0);
    dl.connectSse();
    await world.rest();
    expect(of('sse:resync-scheduled')).toHaveLength(1);
    await world.last().open();
    expect(of('sse:resync-scheduled')).toEqual([
      { waitMs: 2500, context: gap },
      { waitMs: 2500, context: gap },
    ]);
    await world.sim.advance(2500);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
    expect(of('sse:resync-dispatch')).toEqual([{ context: gap }]);
  });

  it('D-SSE-3 stays pending if a listener of sse:open disconnects', async () => {
    const { dl, world, of } = await withGap();
    dl.disconnectSse();
    const stop = dl.onLifecycle('sse:open', () => dl.disconnectSse());
    dl.connectSse();
    await world.rest();
    await world.last().open();
    stop();
    expect(world.sim.pendingTimers()).toBe(0);
    expect(of('sse:resync-scheduled')).toHaveLength(1);
  });

  it('D-SSE-3 that is scheduled again reports the first gap', async () => {
    const { dl, of, world } = await withGap();
    await world.last().envelope(envelope(50));
    dl.disconnectSse();
    dl.connectSse();
    await world.rest();
    await world.last().open();
    expect(of('sse:resync-scheduled').at(-1)?.context).toEqual(gap);
  });

  it('D-SSE-3 that was dispatched is not scheduled again', async () => {
    const { dl, of, world } = await withGap();
    await world.sim.advance(2500);
    dl.disconnectSse();
    dl.connectSse();
    await world.rest();
    await world.last().open();
    await world.sim.advance(60_000);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
  });

  it('D-SSE-3 continues when a custom source replaces the stream', async () => {
    const { dl, of, world } = await withGap();
    dl.disconnectSse();
    dl.configureDirectiveSource({ type: 'test', connect: () => undefined });
    await world.sim.advance(2500);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
  });

  it('§7 D-SSE-9 refetches watched entries immediately and marks the others stale', async () => {
    const { dl, world } = setup();
    const asked: string[] = [];
    dl.createCollection('tickets', {
      fetch: (params) => {
        asked.push(`tickets ${JSON.stringify(params ?? null)}`);
        return { ids: [] };
      },
    });
    dl.createType('ticket', {
      fetch: (id) => Promise.resolve({ id }),
      bulkFetch: (ids, level) => {
        asked.push(`${level} ${ids.join(' ')}`);
        return ids.map((id) => ({ id }));
      },
      stalenessMs: 3_600_000,
    });
    const watched = [dl.fetchCollection('tickets'), dl.fetchItem('ticket', 1), dl.fetchItem('ticket', 2)];
    const others = [dl.fetchCollection('tickets', { params: { page: 2 } }), dl.fetchItem('ticket', 3)];
    for (const ref of watched) dl.onRefChange(ref, () => undefined);
    await world.sim.advance(0);
    asked.length = 0;
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope(envelope(44));
    await world.sim.advance(2500);
    expect(asked.toSorted()).toEqual(['default 1 2', 'tickets null']);
    expect(others.map((ref) => ref.meta.isStale)).toEqual([true, true]);
    expect(watched.map((ref) => ref.meta.isStale)).toEqual([false, false, false]);
  });
});

describe('a pending resync of a custom source', () => {
  it('D-SSE-3 is not stopped by disconnecting the unused stream', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { connectOnInit: false } });
    let fetches = 0;
    dl.createCollection('tickets', { fetch: () => ({ ids: [(fetches += 1)] }) });
    const ref = dl.fetchCollection('tickets');
    dl.onRefChange(ref, () => {});
    await sim.settled();
    let ingest: (envelope: unknown) => void = () => {};
    dl.configureDirectiveSource({
      type: 'socket',
      connect(api) {
        ingest = api.ingestEnvelope;
      },
    });
    const envelope = { type: 'directives', audience: 'global' };
    ingest({ ...envelope, seq: 1, directives: [] });
    ingest({ ...envelope, seq: 5, directives: [{ op: 'refresh_item', name: 'unknown', id: 1 }] });
    dl.disconnectSse();
    await sim.advance(60_000);
    expect(fetches).toBe(2);
  });
});

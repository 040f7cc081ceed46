import { describe, expect, it } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { envelopesOf, idsOf, readStream, type StreamReader } from '../support/stream.ts';
import { simulate } from '../support/simulated.ts';
import { createWorld, type World } from '../support/world.ts';

describe('heartbeats', () => {
  it('D-HUB-4 are empty envelopes with the current sequence number, sent after exactly heartbeatMs without a frame', async () => {
    const { open, emit, world } = simulate();
    const stream = await open();
    await world.advance(10_000);
    const seq = await emit(1);
    await world.advance(14_999);
    expect(stream.frames).toHaveLength(2);
    await world.advance(1);
    expect(envelopesOf(stream.frames).at(-1)).toEqual({
      type: 'directives',
      seq,
      audience: 'global',
      directives: [],
    });
    await world.advance(15_000);
    expect(stream.frames).toHaveLength(4);
  });

  it('D-HUB-4 are not sent while other frames are', async () => {
    const { open, emit, world } = simulate({ heartbeatMs: 1000 });
    const stream = await open();
    for (let id = 1; id <= 5; id += 1) {
      await world.advance(900);
      await emit(id);
    }
    expect(idsOf(stream.frames)).toEqual([1, 2, 3, 4, 5]);
    expect(stream.frames).toHaveLength(6);
  });

  it('D-HUB-4 are timed for each audience of a connection, and several are joined into one write', async () => {
    const { open, emit, world } = simulate({ authorize: () => true });
    const stream = await open('?audience=a&audience=b&audience=c');
    await world.advance(5000);
    await emit(1, 'b');
    const before = stream.chunks();
    await world.advance(10_000);
    expect(stream.chunks()).toBe(before + 1);
    expect(
      envelopesOf(stream.frames)
        .slice(-2)
        .map(({ audience }) => audience),
    ).toEqual(['a', 'c']);
    await world.advance(5000);
    expect(envelopesOf(stream.frames).at(-1)?.audience).toBe('b');
  });

  it('D-HUB-4 need one timer for any number of connections, and none without connections', async () => {
    const { open, world, hub } = simulate({ replay: { maxAgeMs: 1000 } });
    const streams = await Promise.all(Array.from({ length: 20 }, () => open()));
    expect(world.timers()).toBe(1);
    await world.advance(15_000);
    for (const { frames } of streams) expect(frames).toHaveLength(2);
    for (const stream of streams) await stream.cancel();
    await world.advance(60_000);
    expect(hub.metrics()).toMatchObject({ connections: 0, audiences: 0 });
    expect(world.timers()).toBe(0);
  });
});

/** Opens a stream that is not read, and fills it. Resolves to its body. */
async function openFull(hub: Hub, world: World): Promise<ReadableStream<Uint8Array> | null> {
  const { body } = await hub.fetchHandler(new Request('http://hub.test/'));
  for (const id of [1, 2, 3]) {
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id, result: 'x'.repeat(40_000) }]);
    await world.drain();
  }
  return body;
}

describe('a client that does not read', () => {
  it('D-HUB-4 receives heartbeats again once it reads', async () => {
    const { hub, world } = simulate();
    const body = await openFull(hub, world);
    await world.advance(20_000);
    const stream = readStream(body);
    await world.drain();
    const { length } = stream.frames;
    await world.advance(15_000);
    expect(stream.frames).toHaveLength(length + 1);
  });

  it('D-HUB-2 is ended when its authorization expires', async () => {
    const world = createWorld();
    const { hub } = simulate({ authorize: () => ({ expiresAt: world.now() + 20_000 }) }, world);
    await openFull(hub, world);
    await world.advance(20_000);
    expect(hub.metrics().connections).toBe(0);
  });
});

describe('a clock that is set back', () => {
  it('D-HUB-4 does not extend the life of a stream', async () => {
    const world = createWorld();
    let back = 0;
    const { open } = simulate({ maxAgeMs: 900_000 }, { ...world, now: () => world.now() - back });
    const stream = await open();
    await world.advance(60_000);
    back = 3_600_000;
    await world.advance(1_100_000);
    expect(stream.isEnded()).toBe(true);
  });

  it('D-HUB-3 does not keep a client that stopped reading', async () => {
    const world = createWorld();
    let back = 0;
    const { hub } = simulate({}, { ...world, now: () => world.now() - back });
    await openFull(hub, world);
    back = 3_600_000;
    await world.advance(61_000);
    await world.advance(61_000); // The first deadline shows that the clock was set back.
    expect(hub.metrics()).toMatchObject({ connections: 0, destroyed: 1 });
  });

  it('does not stop the heartbeats', async () => {
    const world = createWorld();
    let back = 0;
    const { open } = simulate({}, { ...world, now: () => world.now() - back });
    const stream = await open();
    back = 3_600_000;
    await world.advance(15_000);
    expect(stream.frames).toHaveLength(2);
    await world.advance(15_000);
    expect(stream.frames).toHaveLength(3);
  });

  it('does not stop the heartbeats of older streams when a client connects afterwards', async () => {
    const world = createWorld();
    let back = 0;
    const { open } = simulate({}, { ...world, now: () => world.now() - back });
    const older = await open();
    await world.advance(5000);
    back = 3_600_000;
    const newer = await open();
    await world.advance(1000);
    expect(older.frames).toHaveLength(2); // The hub cannot tell how long the stream was idle, so a heartbeat is due immediately.
    await world.advance(14_000);
    expect(older.frames).toHaveLength(3);
    expect(newer.frames).toHaveLength(2);
  });
});

describe('a connection', () => {
  it.each([
    [0, 800_000, 50],
    [0.5, 1_000_000, 150],
    [0.999, 1_199_600, 250],
  ])(
    'D-HUB-4 ends after maxAgeMs, spread by 20 percent, behind a retry: random %d',
    async (chance, ms, retry) => {
      const world = createWorld(undefined, () => chance);
      const { open } = simulate({ maxAgeMs: 1_000_000 }, world);
      const stream = await open();
      await world.advance(ms - 1);
      expect(stream.isEnded()).toBe(false);
      await world.advance(1);
      expect(stream.isEnded()).toBe(true);
      expect(await stream.ended).toBeNull();
      expect(stream.frames.at(-1)?.retry).toBe(retry);
    },
  );

  it('D-HUB-4 loses no directive when it ends after maxAgeMs and its client resumes', async () => {
    const { open, emit, world } = simulate({ maxAgeMs: 1000 });
    const first = await open();
    const seq = await emit(1);
    await world.advance(1000);
    expect(first.isEnded()).toBe(true);
    await emit(2);
    const second = await open(`?last_seq=${seq}`);
    expect(idsOf(second.frames)).toEqual([2]);
    expect(envelopesOf(second.frames).at(-1)?.recovered).toBe(true);
  });

  it('D-HUB-2 ends when the authorization expires', async () => {
    const world = createWorld();
    const { open } = simulate({ authorize: () => ({ expiresAt: world.now() + 5000 }) }, world);
    const stream = await open('?audience=a&audience=b');
    await world.advance(4999);
    expect(stream.isEnded()).toBe(false);
    await world.advance(1);
    expect(stream.isEnded()).toBe(true);
    expect(stream.frames.at(-1)?.retry).toBeGreaterThanOrEqual(50);
  });

  it('D-HUB-2 ends at its own time among many, whatever the order of connects and disconnects', async () => {
    const world = createWorld();
    const start = world.now();
    const { open } = simulate(
      {
        authorize: (_, { audience }) => ({ expiresAt: start + Number(audience) }),
        limits: { maxConnections: 500 },
      },
      world,
    );
    // 1 to 100 in mixed order: 11 and 101 have no common divisor.
    const ends = Array.from({ length: 100 }, (_, at) => (((at + 1) * 11) % 101) * 10);
    const streams = new Map<number, StreamReader>();
    for (const end of ends) streams.set(end, await open(`?audience=${end}`));
    expect(world.timers()).toBe(1);
    for (const end of ends.filter((_, at) => at % 3 === 0)) {
      await streams.get(end)?.cancel();
      streams.delete(end);
    }
    for (let ms = 10; ms <= 1000; ms += 10) {
      await world.advance(9);
      expect(streams.get(ms)?.isEnded() ?? false).toBe(false);
      await world.advance(1);
      expect(streams.get(ms)?.isEnded() ?? true).toBe(true);
    }
  });

  it('D-HUB-2 ends at the earliest expiry of several audiences', async () => {
    const world = createWorld();
    const start = world.now();
    const { open } = simulate(
      { authorize: (_, { audience }) => (audience === 'b' ? { expiresAt: start + 1000 } : true) },
      world,
    );
    const stream = await open('?audience=a&audience=b');
    await world.advance(1000);
    expect(stream.isEnded()).toBe(true);
  });
});

describe('a fan-out to many streams', () => {
  it('D-HUB-3 is split over turns of the event loop, and reaches every stream once', async () => {
    const { open, emit, world, hub } = simulate({ limits: { maxConnections: 5000 } });
    const streams = await Promise.all(Array.from({ length: 2000 }, () => open()));
    const before = world.turns();
    await emit(1);
    expect(world.turns() - before).toBeGreaterThanOrEqual(4);
    for (const { frames } of streams) expect(idsOf(frames)).toEqual([1]);
    expect(hub.metrics().deliveries).toBe(2000);
  });

  it.each([
    ['time: the clock advances 1 ms at each read', 1, 1],
    ['bytes: each stream receives 50 KB', 0, 50_000],
  ])('D-HUB-3 is split by %s', async (_, msEachLook, bytes) => {
    const world = createWorld();
    let looks = 0;
    const env = { ...world, now: () => world.now() + looks++ * msEachLook };
    const { hub, open } = simulate({}, env);
    const streams = await Promise.all(Array.from({ length: 200 }, () => open()));
    const before = world.turns();
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1, result: 'x'.repeat(bytes) }]);
    await world.drain();
    expect(world.turns() - before).toBeGreaterThanOrEqual(4);
    for (const { frames } of streams) expect(idsOf(frames)).toEqual([1]);
  });

  it('D-HUB-4 is split over turns of the event loop for heartbeats too', async () => {
    const { open, world } = simulate();
    const streams = await Promise.all(Array.from({ length: 1000 }, () => open()));
    const before = world.turns();
    await world.advance(15_000);
    expect(world.turns() - before).toBeGreaterThanOrEqual(3);
    for (const { frames } of streams) expect(frames).toHaveLength(2);
  });

  it('D-HUB-3 joins waiting frames into one write', async () => {
    const { hub, open, world } = simulate();
    const stream = await open();
    const before = stream.chunks();
    for (let id = 0; id < 20; id += 1) await hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
    await world.drain();
    expect(idsOf(stream.frames)).toHaveLength(20);
    expect(stream.chunks()).toBe(before + 1);
  });

  it('D-HUB-3 delivers a list that is emitted during a pass to the streams that the pass has already served', async () => {
    const { hub, open, world } = simulate();
    const streams = await Promise.all(Array.from({ length: 600 }, () => open()));
    const { deliveries } = hub.metrics();
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    while (hub.metrics().deliveries === deliveries) await new Promise((done) => setImmediate(done));
    expect(hub.metrics().deliveries - deliveries).toBeLessThan(600);
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 2 }]);
    await world.drain();
    for (const { frames } of streams) expect(idsOf(frames)).toEqual([1, 2]);
  });

  it.each([
    ['one audience', ['crowd']],
    ['several audiences', ['quiet', 'crowd']],
  ])(
    'D-HUB-5 loses nothing if more is emitted to %s during a pass than the ring keeps',
    async (_, audience) => {
      const { hub, open, world } = simulate({ authorize: () => true, replay: { maxEnvelopes: 8 } });
      const streams = await Promise.all(Array.from({ length: 1200 }, () => open('?audience=crowd')));
      const ids = Array.from({ length: 30 }, (_, id) => id);
      for (const id of ids) await hub.emit([{ op: 'refresh_item', name: 'ticket', id }], { audience });
      await world.drain();
      for (const { frames } of streams) expect(idsOf(frames)).toEqual(ids);
    },
  );

  it('delivers every list once when subscribers come and go during a pass', async () => {
    const { hub, open, world } = simulate();
    const { seq } = await hub.cursor();
    const streams = await Promise.all(Array.from({ length: 1200 }, () => open()));
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    const leaving = streams.filter((_, index) => index % 3 === 0).map((stream) => stream.cancel());
    const late = open(`?last_seq=${seq}`);
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 2 }]);
    await Promise.all(leaving);
    await world.drain();
    for (const [index, { frames }] of streams.entries())
      if (index % 3 !== 0) expect(idsOf(frames)).toEqual([1, 2]);
    expect(idsOf((await late).frames)).toEqual([1, 2]);
    expect(hub.metrics().connections).toBe(801);
  });
});

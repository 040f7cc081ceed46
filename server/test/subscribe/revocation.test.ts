import { describe, expect, it } from 'vitest';
import { memoryBackplane, type Backplane, type HubOptions } from '../../src/index.ts';
import { controlAudience } from '../../src/log/backplane.ts';
import { playedBackplane, viewAt } from '../support/recordedBackplane.ts';
import { serveHub, subscribe } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { idsOf } from '../support/stream.ts';
import { createWorld } from '../support/world.ts';

const authorize: HubOptions['authorize'] = ({ headers }) => ({ user: headers['x-user'] ?? 'nobody' });

describe('disconnect', () => {
  async function threeStreams() {
    const simulated = simulate({ authorize });
    const { open, world } = simulated;
    const streams = [
      await open('?client_id=a&audience=team-7', { 'x-user': '1' }),
      await open('?client_id=b&audience=team-7&audience=global', { 'x-user': '1' }),
      await open('?client_id=c', { 'x-user': '2' }),
    ];
    const ended = async (): Promise<boolean[]> => {
      await world.drain();
      return streams.map(({ isEnded }) => isEnded());
    };
    return { ...simulated, streams, ended };
  }

  it.each<[object, boolean[]]>([
    [{ user: '1' }, [true, true, false]],
    [{ clientId: 'b' }, [false, true, false]],
    [{ audience: 'team-7' }, [true, true, false]],
    [{ audience: 'global' }, [false, true, true]],
    [{ user: '1', audience: 'global' }, [false, true, false]],
    [{ user: '2', clientId: 'a' }, [false, false, false]],
    [{ user: undefined, clientId: 'c' }, [false, false, true]],
    [{ all: true }, [true, true, true]],
  ])('D-HUB-10 ends the streams that match %o, and resolves to their number', async (filter, expected) => {
    const { hub, ended } = await threeStreams();
    expect(await hub.disconnect(filter)).toBe(expected.filter(Boolean).length);
    expect(await ended()).toEqual(expected);
  });

  it('D-HUB-10 does not count a stream that is ending already', async () => {
    const { hub, url } = await serveHub();
    const stream = await subscribe(url);
    await stream.atLeast(1);
    expect(await Promise.all([hub.disconnect({ all: true }), hub.disconnect({ all: true })])).toEqual([1, 0]);
    await stream.ended;
  });

  it('D-HUB-10 delivers nothing to a stream after the call, and sends a short retry', async () => {
    const { hub, streams, world } = await threeStreams();
    const ending = hub.disconnect({ user: '1' });
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { audience: ['team-7', 'global'] });
    await ending;
    await world.drain();
    expect(streams.map(({ frames }) => idsOf(frames))).toEqual([[], [], [1]]);
    for (const stream of streams.slice(0, 2)) {
      expect(stream.frames.at(-1)?.retry).toBeGreaterThanOrEqual(50);
      expect(stream.frames.at(-1)?.retry).toBeLessThanOrEqual(250);
    }
  });

  it.each<[string, unknown]>([
    ['options', undefined],
    ['Pass user, clientId or audience', {}],
    ['Pass user, clientId or audience', { user: undefined }],
    ['user', { user: '' }],
    ['user', { user: 7 }],
    ['clientId', { clientId: null }],
    ['all', { all: false }],
    ['all', { all: true, user: '1' }],
    ['userId', { userId: '1' }],
  ])('D-HUB-10 rejects with a TypeError that names %s: %o', async (named, filter) => {
    const { hub, ended } = await threeStreams();
    const rejected = expect(hub.disconnect(filter as never)).rejects;
    await rejected.toThrow(TypeError);
    await expect(hub.disconnect(filter as never)).rejects.toThrow(named);
    expect(await ended()).toEqual([false, false, false]);
  });

  it('D-HUB-10 destroys a stream whose socket is full', async () => {
    const { hub, open, world } = simulate({
      authorize: () => ({ user: '1' }),
      replay: { maxBytes: 10_000_000 },
    });
    const response = await hub.fetchHandler(new Request('http://hub.test/'));
    for (let id = 0; id < 5; id += 1)
      await hub.emit([{ op: 'refresh_item', name: 'ticket', id, result: 'x'.repeat(60_000) }]);
    await world.drain();
    await open();
    expect(await hub.disconnect({ user: '1' })).toBe(2);
    await world.drain();
    expect(hub.metrics()).toMatchObject({ connections: 0, destroyed: 1 });
    await expect(response.text()).rejects.toThrow('The hub closed the stream.');
  });

  it('D-HUB-10 refuses a request that was authorized before the call and not yet admitted', async () => {
    const world = createWorld();
    const grant: (() => void)[] = [];
    const { hub, open } = simulate(
      { authorize: () => new Promise((done) => void grant.push(() => done({ user: '1' }))) },
      world,
    );
    const opened = [open('?audience=c&audience=a'), open('?audience=b')];
    await world.drain();
    expect(await hub.disconnect({ user: '1', audience: 'a' })).toBe(0);
    for (const each of grant) each();
    await expect(opened[0]).rejects.toThrow('503');
    await opened[1];
    expect(hub.metrics()).toMatchObject({ connections: 1, refusals: { revoked: 1 } });
  });

  it('D-HUB-10 leaves no stream of the user open, at whatever step its admission is', async () => {
    const statuses = new Set<number>();
    for (let steps = 0; steps < 20; steps += 1) {
      let admit = (): void => {};
      const { hub, world } = simulate({
        authorize: () => new Promise((done) => (admit = () => done({ user: '1' }))),
      });
      const opening = hub.fetchHandler(new Request('http://hub.test/'));
      await world.drain();
      admit();
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      await hub.disconnect({ user: '1' });
      const response = await opening;
      await response.text(); // Both a refusal and a stream end.
      statuses.add(response.status);
      expect(hub.metrics().connections).toBe(0);
    }
    expect(statuses).toEqual(new Set([503, 200]));
  });

  it('D-HUB-10 refuses the first request of a node if another node revokes it after authorize was called', async () => {
    const world = createWorld();
    const backplane = memoryBackplane();
    let admit = (): void => {};
    const here = simulate(
      { backplane, authorize: () => new Promise((done) => (admit = () => done({ user: '1' }))) },
      world,
    );
    const there = simulate({ backplane }, world);
    const opening = here.hub.fetchHandler(new Request('http://hub.test/'));
    await world.drain();
    await there.hub.disconnect({ user: '1' });
    admit();
    expect((await opening).status).toBe(503);
    expect(here.hub.metrics()).toMatchObject({ connects: 0, refusals: { revoked: 1 } });
  });

  it('D-HUB-10 does not call authorize for a client that left before the revocations were read', async () => {
    let isAsked = false;
    const { hub, world } = simulate({ authorize: () => (isAsked = true) });
    const left = new AbortController();
    const opening = hub.fetchHandler(new Request('http://hub.test/', { signal: left.signal }));
    left.abort();
    await opening;
    await world.drain();
    expect([isAsked, hub.metrics().connects, world.timers()]).toEqual([false, 0, 0]);
  });

  it.each([false, true])(
    'D-HUB-10 refuses a request whose authorize calls disconnect (waits: %s)',
    async (waits) => {
      const { hub, open } = simulate({
        async authorize() {
          if (waits) await Promise.resolve();
          await hub.disconnect({ user: '1' });
          return { user: '1' };
        },
      });
      await expect(open()).rejects.toThrow('503');
      expect(hub.metrics()).toMatchObject({ connects: 0, refusals: { revoked: 1 } });
    },
  );

  it('D-HUB-10 ends the streams of every node, and those that reconnect stay', async () => {
    const world = createWorld();
    const backplane = memoryBackplane();
    const [here, there] = [
      simulate({ authorize, backplane }, world),
      simulate({ authorize, backplane }, world),
    ];
    const stream = await there.open('?client_id=a', { 'x-user': '1' });
    const other = await there.open('?client_id=b', { 'x-user': '2' });
    expect(await here.hub.disconnect({ user: '1' })).toBe(0);
    await world.drain();
    expect([stream.isEnded(), other.isEnded()]).toEqual([true, false]);
    const again = await there.open('?client_id=a', { 'x-user': '1' });
    const late = await here.open('?client_id=c', { 'x-user': '1' });
    await world.advance(10_000);
    expect([again.isEnded(), late.isEnded()]).toEqual([false, false]);
  });

  it('D-HUB-10 spreads the clients of a large revocation over up to 5 s, and ends their streams in batches', async () => {
    let random = 0;
    const { hub, open, world } = simulate(
      { authorize: () => true },
      createWorld(undefined, () => (random = (random + 0.37) % 1)),
    );
    const streams = await Promise.all(Array.from({ length: 1000 }, () => open('?audience=a&audience=b')));
    const other = await open('?audience=b');
    const turns = world.turns();
    const ending = hub.disconnect({ audience: 'a' });
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { audience: 'b' });
    expect(await ending).toBe(1000);
    await world.drain();
    expect(idsOf(other.frames)).toEqual([1]);
    expect(streams.flatMap(({ frames }) => idsOf(frames))).toEqual([]);
    expect(world.turns() - turns).toBeGreaterThanOrEqual(9);
    const waits = streams.map(({ frames }) => frames.at(-1)?.retry ?? Number.NaN);
    expect(Math.max(...waits)).toBeGreaterThan(900);
    expect(Math.min(...waits)).toBeLessThan(150);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1000);
  });

  it('D-HUB-10 rejects as not confirmed while the backplane is away, after the streams here have ended', async () => {
    const backplane = playedBackplane();
    const { hub, open, world } = simulate({ backplane });
    const stream = await open('?client_id=a');
    backplane.setAway(true);
    await expect(hub.disconnect({ clientId: 'a' })).rejects.toThrow(
      /^\[edict\] disconnect: the revocation is not confirmed.*Repeat the call/,
    );
    await world.drain();
    expect(stream.isEnded()).toBe(true);
  });

  it('D-HUB-10 admits no stream while the revocations cannot be read', async () => {
    const played = playedBackplane();
    let isRefused = true;
    const backplane: Backplane = {
      connect(node) {
        const link = played.connect(node);
        return {
          ...link,
          open(audience, sink) {
            if (audience !== controlAudience || !isRefused) return link.open(audience, sink);
            return { ready: Promise.reject(new Error('refused')), close: () => undefined };
          },
        };
      },
    };
    const { open } = simulate({ backplane });
    await expect(open()).rejects.toThrow('503');
    isRefused = false;
    await open();
  });

  it('D-HUB-10 applies the revocations that a log contains after it was interrupted, and repeats those that it lost', async () => {
    const backplane = playedBackplane();
    const { hub, open, world } = simulate({ backplane });
    let streams = [await open('?client_id=a'), await open('?client_id=c')];
    const ended = async (): Promise<boolean[]> => {
      await world.drain();
      return streams.map(({ isEnded }) => isEnded());
    };
    await hub.disconnect({ clientId: 'b' });
    const [own] = backplane.appended.splice(0);
    const revoked = (seq: number) => ({
      seq,
      at: 0,
      payload: JSON.stringify({ from: 'another node', filter: { clientId: 'a' } }),
    });
    const control = backplane.sink(controlAudience);
    control.reset(viewAt(101, { entries: [revoked(101)], reachSeq: 100 }));
    expect(await ended()).toEqual([true, false]);
    expect(backplane.appended).toEqual([own]);

    // Neither a revocation that was received nor one that the log contains is repeated. The own one was applied by the call.
    const again = await open('?client_id=b');
    control.entries([revoked(102), { seq: 103, at: 0, payload: own?.payload ?? '' }]);
    streams = [await open('?client_id=a'), await open('?client_id=c')];
    const kept = [revoked(101), revoked(102), { seq: 103, at: 0, payload: own?.payload ?? '' }];
    control.reset(viewAt(103, { entries: kept, reachSeq: 100 }));
    control.reset(viewAt(103)); // The log has lost them.
    expect(await ended()).toEqual([false, false]);
    expect(backplane.appended).toEqual([own, own]);
    await world.advance(61_000);
    control.reset(viewAt(104));
    expect(backplane.appended).toHaveLength(2);
    expect([...(await ended()), again.isEnded()]).toEqual([false, false, false]);

    // Every stream may be concerned by the entries that were trimmed.
    control.reset(viewAt(200, { entries: [revoked(200)], reachSeq: 199 }));
    expect(await ended()).toEqual([true, true]);
  });

  it('D-HUB-7 D-HUB-10 ends every stream when the revocations can no longer be read, and admits none until they can', async () => {
    const backplane = playedBackplane();
    const { open, world } = simulate({ backplane });
    const [stream, other] = [await open(), await open()];
    const control = backplane.sink(controlAudience);
    control.end();
    await world.drain();
    expect([stream.isEnded(), other.isEnded()]).toEqual([true, true]);
    backplane.setAway(true);
    await expect(open()).rejects.toThrow('503');
    backplane.setAway(false);
    await open();
    expect(backplane.sink(controlAudience)).not.toBe(control);
  });

  it('D-HUB-10 logs a revocation that it cannot read, and continues', async () => {
    const backplane = playedBackplane();
    const { open, world } = simulate({ backplane });
    const stream = await open('?client_id=a');
    const send = (seq: number, payload: string): void =>
      backplane.sink(controlAudience).entries([{ seq, at: 0, payload }]);
    send(101, 'not JSON');
    send(102, JSON.stringify({ from: 'x', filter: { newer: true } }));
    expect(world.logged.map(({ level }) => level)).toEqual(['error', 'error']);
    send(103, JSON.stringify({ from: 'x', filter: { clientId: 'a' } }));
    await world.drain();
    expect(stream.isEnded()).toBe(true);
  });

  it('D-HUB-10 cannot be used by a client: no audience has the name of the control log', async () => {
    const { hub } = simulate({ authorize: () => true });
    const query = new URLSearchParams({ audience: controlAudience });
    expect((await hub.fetchHandler(new Request(`http://hub.test/?${query}`))).status).toBe(400);
    await expect(hub.emit([], { audience: controlAudience })).rejects.toThrow('emit: audience');
    await expect(hub.cursor(controlAudience)).rejects.toThrow('cursor: audience');
  });
});

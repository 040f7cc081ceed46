import { describe, expect, it } from 'vitest';
import type { Backplane, LogEntry } from '../../src/log/backplane.ts';
import { memoryBackplane } from '../../src/index.ts';
import { entry, playedBackplane, viewAt } from '../support/recordedBackplane.ts';
import { simulate } from '../support/simulated.ts';
import { envelopesOf, idsOf, readStream } from '../support/stream.ts';

/** A memory backplane whose appends the test confirms or fails. */
function slowBackplane(): {
  backplane: Backplane;
  /** The appended ids, in order. */
  appended: unknown[];
  /** The outcome of each append, for the test to choose. */
  answers: { confirm: () => void; fail: (error: Error) => void }[];
} {
  const appended: unknown[] = [];
  const answers: { confirm: () => void; fail: (error: Error) => void }[] = [];
  const backplane: Backplane = {
    connect(node) {
      const link = memoryBackplane().connect(node);
      return {
        ...link,
        append(items) {
          const texts = items.map(({ payload }) => payload.replaceAll('\u0000', '0'));
          appended.push(...texts.map((text) => (JSON.parse(text) as { id: unknown }[])[0]?.id)); // The tests emit directives with ids.
          return new Promise((confirm, fail) =>
            answers.push({ confirm: () => confirm(link.append(items)), fail }),
          );
        },
      };
    },
  };
  return { backplane, appended, answers };
}

/** An entry that fills a socket. */
const bigEntry = (seq: number): LogEntry => ({
  ...entry(seq, 0),
  payload: `[{"op":"refresh_item","name":"ticket","id":0,"result":"${'x'.repeat(65_536)}"}]`,
});

describe('cursor', () => {
  it('rejects with the audience and the cause while the backplane is away', async () => {
    const backplane = playedBackplane();
    const { hub } = simulate({ backplane });
    backplane.setAway(true);
    await expect(hub.cursor('team-7')).rejects.toMatchObject({
      message: expect.stringMatching(/^\[edict\] cursor: .*"team-7".* Try again\.$/),
      cause: expect.any(Error),
    });
  });
});

describe('authors', () => {
  const oneAtOnce = { maxEnvelopes: 4 };

  it('D-HUB-5 append immediately when no list waits, and otherwise behind the waiting lists', async () => {
    const { backplane, appended, answers } = slowBackplane();
    const { emit, world } = simulate({ backplane, replay: oneAtOnce });
    const emits = [emit(1), emit(2), emit(3)];
    expect(appended).toEqual([1]);
    answers[0]?.confirm();
    await emits[0];
    await world.drain();
    expect(appended).toEqual([1, 2]);
    emits.push(emit(4));
    await world.drain();
    expect(appended).toEqual([1, 2]);
    for (const at of [1, 2, 3]) {
      answers[at]?.confirm();
      await world.drain();
    }
    expect(appended).toEqual([1, 2, 3, 4]);
    await Promise.all(emits);
    void emit(5);
    expect(appended).toEqual([1, 2, 3, 4, 5]);
  });

  it('D-HUB-5 wait until the hub has read the lists before, because its subscribers need them', async () => {
    const backplane = playedBackplane();
    const { open, emit, world } = simulate({ backplane, replay: oneAtOnce });
    await emit(1);
    await emit(2); // There is no subscriber yet.
    await open();
    await emit(3);
    void emit(4);
    await world.drain();
    expect(backplane.appended).toHaveLength(3);
    backplane.sink('global').entries([entry(101, 3)]);
    await world.drain();
    expect(backplane.appended).toHaveLength(4);
  });

  it('D-HUB-5 keep their order if a list for several audiences waits for one of them', async () => {
    const { backplane, appended, answers } = slowBackplane();
    const { hub, world } = simulate({ backplane, replay: { maxEnvelopes: 4 } });
    const emit = (id: number, audience: string[]) =>
      hub.emit([{ op: 'refresh_item', name: 'ticket', id }], { audience });
    const emits = [emit(1, ['b']), emit(2, ['a', 'b']), emit(3, ['a'])];
    await world.drain();
    expect(appended).toEqual([1]);
    while (answers.length > 0) {
      answers.shift()?.confirm();
      await world.drain();
    }
    await Promise.all(emits);
    expect(appended).toEqual([1, 2, 2, 3]);
  });

  it('wait at most a second for a hub that cannot read', async () => {
    const backplane = playedBackplane();
    const { open, emit, world } = simulate({ backplane, replay: oneAtOnce });
    await open();
    void emit(1);
    void emit(2);
    await world.advance(999);
    expect(backplane.appended).toHaveLength(1);
    await world.advance(1);
    expect(backplane.appended).toHaveLength(2);
  });

  it('D-HUB-7 get "not confirmed" for every list that waits behind an unconfirmed one', async () => {
    const { backplane, appended, answers } = slowBackplane();
    const { emit } = simulate({ backplane, replay: oneAtOnce });
    const emits = [1, 2, 3].map((id) => emit(id));
    answers[0]?.fail(new Error('not confirmed'));
    for (const emitted of emits) await expect(emitted).rejects.toThrow('not confirmed');
    expect(appended).toEqual([1]);
    const next = emit(4);
    expect(appended).toEqual([1, 4]);
    answers[1]?.confirm();
    await next;
  });
});

describe('a hub and its backplane', () => {
  it('D-HUB-7 rejects emit as not confirmed while the backplane is away, and counts nothing', async () => {
    const backplane = playedBackplane();
    const { hub, emit } = simulate({ backplane });
    backplane.setAway(true);
    await expect(emit(1)).rejects.toThrow('not confirmed');
    expect(hub.metrics()).toMatchObject({ emits: 0, backplane: { healthy: false } });
  });

  it('D-HUB-7 keeps connected clients, and refuses a subscriber of an unopened audience with 503', async () => {
    const backplane = playedBackplane(30_000);
    const { hub, open, world } = simulate({ backplane, authorize: () => true });
    const stream = await open('?audience=a');
    backplane.setAway(true);
    await world.advance(15_000);
    expect(stream.isEnded()).toBe(false);
    expect(envelopesOf(stream.frames).at(-1)?.seq).toBe(100);
    await expect(open('?audience=b')).rejects.toThrow('503');
    await expect(open('?audience=a&audience=b')).rejects.toThrow('503');
    const others = [await open('?audience=a')];
    backplane.setAway(false);
    others.push(await open('?audience=b'));
    expect(hub.metrics().refusals).toEqual({ backplane_unavailable: 2 });
    for (const other of [stream, ...others]) await other.cancel();
    await world.advance(30_000);
    expect(backplane.opened()).toEqual([]);
  });

  it('D-HUB-7 closes an audience whose subscriber left before it could be read', async () => {
    const played = playedBackplane();
    let isRead = (): void => {};
    const backplane: Backplane = {
      connect(node) {
        const link = played.connect(node);
        const ready = new Promise<void>((done) => (isRead = done));
        return {
          ...link,
          open(audience, sink) {
            const reader = link.open(audience, sink);
            return audience === 'global' ? { ...reader, ready } : reader;
          },
        };
      },
    };
    const { hub, world } = simulate({ backplane });
    const leaving = new AbortController();
    const answer = hub.fetchHandler(new Request('http://hub.test/', { signal: leaving.signal }));
    await world.drain();
    expect(played.opened()).toEqual(['global']);
    leaving.abort();
    isRead();
    await world.drain();
    await answer;
    expect(played.opened()).toEqual([]);
    expect(hub.metrics().connections).toBe(0);
  });

  it('D-HUB-7 delivers the entries of its reader, not those it appended itself', async () => {
    const backplane = playedBackplane();
    const { open, emit, world } = simulate({ backplane });
    const stream = await open();
    await emit(1);
    expect(stream.frames).toHaveLength(1);
    backplane.sink('global').entries([entry(101, 5), entry(102, 6)]);
    await world.drain();
    expect(idsOf(stream.frames)).toEqual([5, 6]);
    expect(envelopesOf(stream.frames)[2]).toMatchObject({ seq: 102, directives: [{ id: 6, seq: 102 }] });
  });

  it('D-HUB-7 sends every client the new position when the log was reset', async () => {
    const backplane = playedBackplane();
    const { open, world } = simulate({ backplane });
    const streams = [await open(), await open()];
    backplane.sink('global').reset(viewAt(5000));
    await world.drain();
    for (const stream of streams) {
      expect(envelopesOf(stream.frames).at(-1)).toEqual({
        type: 'directives',
        seq: 5000,
        audience: 'global',
        directives: [],
      });
    }
    backplane.sink('global').entries([entry(5001, 1)]);
    await world.drain();
    for (const stream of streams) expect(idsOf(stream.frames)).toEqual([1]);
  });

  it('D-HUB-7 sends the entries of the new log, even if the old one had the same sequence numbers', async () => {
    const backplane = playedBackplane();
    const { open, world } = simulate({ backplane });
    const stream = await open();
    backplane.sink('global').entries([entry(101, 1)]);
    await world.drain();
    backplane.sink('global').reset(viewAt(100));
    backplane.sink('global').entries([entry(101, 2)]);
    await world.drain();
    expect(idsOf(stream.frames)).toEqual([1, 2]);
  });

  it('D-HUB-7 greets a client as not recovered if the log is replaced before the greeting', async () => {
    const backplane = playedBackplane();
    const { hub, open, world } = simulate({ backplane, authorize: () => true });
    await open('?audience=a&audience=b');
    backplane.sink('a').entries([bigEntry(101)]);
    await world.drain();
    // The replay of `a` fills the socket, so `b` waits.
    const slow = await hub.fetchHandler(
      new Request('http://hub.test/?audience=a&audience=b&last_seq=100&last_seq=&since_ms=0'),
    );
    backplane.sink('b').reset(viewAt(5000));
    await world.drain();
    const late = readStream(slow.body);
    await world.drain();
    expect(
      envelopesOf(late.frames).flatMap(({ audience, seq, recovered }) =>
        audience === 'b' ? [[seq, recovered]] : [],
      ),
    ).toEqual([[5000, false]]);
  });

  it('D-HUB-7 sends the entries that follow the new position, also to a client that did not read meanwhile', async () => {
    const backplane = playedBackplane();
    const { hub, open, world } = simulate({ backplane });
    const slow = await hub.fetchHandler(new Request('http://hub.test/'));
    const quick = await open();
    backplane.sink('global').entries([bigEntry(101)]);
    await world.drain();
    backplane.sink('global').reset(viewAt(5000));
    backplane.sink('global').entries([entry(5001, 1)]);
    await world.drain();
    backplane.sink('global').entries([entry(5002, 2)]);
    await world.drain();
    const late = readStream(slow.body);
    await world.drain();
    for (const stream of [quick, late])
      expect(envelopesOf(stream.frames).map(({ seq, directives }) => [seq, directives.length])).toEqual([
        [100, 0],
        [101, 1],
        [5000, 0],
        [5001, 1],
        [5002, 1],
      ]);
  });

  it('D-HUB-7 ends the streams of an audience that can no longer be read, and opens it again for the next one', async () => {
    const backplane = playedBackplane(30_000);
    backplane.setCounter(200);
    const { open, world } = simulate({ backplane, authorize: () => true });
    const streams = [
      await open('?audience=a'),
      await open('?audience=b&audience=a'),
      await open('?audience=b'),
    ];
    const refused = expect(open('?audience=a&last_seq=200')).rejects.toThrow('503'); // It waits for the reader.
    await world.drain();
    const ended = backplane.sink('a');
    ended.end();
    await world.drain();
    expect(streams.map(({ isEnded }) => isEnded())).toEqual([true, true, false]);
    const again = await open('?audience=a');
    const reading = backplane.sink('a');
    expect(reading).not.toBe(ended);
    await world.advance(40_000); // The channel of the refused request has closed.
    await refused;
    await open('?audience=a');
    expect(backplane.sink('a')).toBe(reading);
    reading.entries([entry(101, 1)]);
    await world.drain();
    expect(idsOf(again.frames)).toEqual([1]);
  });

  it('D-HUB-7 sends the new position even if the new log contains the sequence numbers of the clients', async () => {
    const backplane = playedBackplane();
    const { open, world } = simulate({ backplane });
    const stream = await open();
    const entries = [entry(100, 1), entry(101, 2)];
    backplane.sink('global').reset(viewAt(101, { entries, reachSeq: 99 }));
    await world.drain();
    expect(envelopesOf(stream.frames).map(({ seq, directives }) => [seq, directives.length])).toEqual([
      [100, 0],
      [101, 0],
    ]);
  });

  it('D-HUB-7 greets a new subscriber at the reader’s position, so that no later envelope is below the greeting', async () => {
    const backplane = playedBackplane();
    const { open, world, emit } = simulate({ backplane });
    await open();
    await emit(1); // The counter is at 101; the reader has not seen it.
    const stream = await open();
    backplane.sink('global').entries([entry(101, 1)]);
    await world.drain();
    expect(envelopesOf(stream.frames).map(({ seq }) => seq)).toEqual([100, 101]);
  });

  describe('a client that comes from a node that was ahead', () => {
    it('D-HUB-7 resumes without a gap once the reader has caught up', async () => {
      const backplane = playedBackplane();
      backplane.setCounter(102);
      const { open, world } = simulate({ backplane });
      const opening = open('?last_seq=102');
      await world.drain();
      await open(); // Other clients do not wait for the reader.
      backplane.sink('global').entries([entry(101, 1)]);
      await world.drain();
      backplane.sink('global').entries([entry(102, 2), entry(103, 3)]);
      const stream = await opening;
      expect(idsOf(stream.frames)).toEqual([3]);
      expect(envelopesOf(stream.frames).at(-1)).toMatchObject({ seq: 103, recovered: true });
      expect(world.timers()).toBe(1);
    });

    it('D-HUB-7 resumes even if the last other subscriber leaves meanwhile', async () => {
      const backplane = playedBackplane();
      backplane.setCounter(101);
      const { open, world } = simulate({ backplane });
      const other = await open();
      const opening = open('?last_seq=101');
      await world.drain();
      await other.cancel();
      backplane.sink('global').entries([entry(101, 1)]);
      const stream = await opening;
      backplane.sink('global').entries([entry(102, 2)]);
      await world.drain();
      expect(idsOf(stream.frames)).toEqual([2]);
    });

    it('D-HUB-7 leaves no open audience when it gives up', async () => {
      const backplane = playedBackplane();
      backplane.setCounter(101);
      const { hub, world } = simulate({ backplane });
      const leaving = new AbortController();
      const answer = hub.fetchHandler(
        new Request('http://hub.test/?last_seq=101', { signal: leaving.signal }),
      );
      await world.drain();
      leaving.abort();
      await answer;
      await world.advance(1000);
      expect(backplane.opened()).toEqual([]);
    });

    it('D-HUB-7 receives the position when the reader stays behind', async () => {
      const backplane = playedBackplane();
      backplane.setCounter(103);
      const { open, world } = simulate({ backplane });
      const opening = open('?last_seq=102');
      await world.advance(1000);
      expect(envelopesOf((await opening).frames)).toMatchObject([{ seq: 100, recovered: false }]);
    });

    it.each([
      ['has a sequence number that was never issued', false],
      ['connects while the backplane is away', true],
    ])('D-HUB-7 is greeted immediately when it %s', async (_, isAway) => {
      const backplane = playedBackplane();
      const { open } = simulate({ backplane });
      await open();
      backplane.setAway(isAway);
      const stream = await open('?last_seq=5000');
      expect(envelopesOf(stream.frames)).toMatchObject([{ seq: 100, recovered: false }]);
    });
  });

  it('D-HUB-8 reports how old the newest envelope was when this node delivered it', async () => {
    const backplane = playedBackplane();
    const { open, hub } = simulate({ backplane });
    await open();
    backplane.setNow(10_000);
    backplane.sink('global').entries([entry(101, 1, 8000), entry(102, 2, 9700)]);
    expect(hub.metrics().backplane).toEqual({ healthy: true, lagMs: 300 });
    backplane.sink('global').entries([entry(103, 3, 10_001)]); // The clocks differ.
    expect(hub.metrics().backplane.lagMs).toBe(0);
  });

  it('reads an audience once for many subscribers, and closes it some time after the last one has left', async () => {
    const backplane = playedBackplane(1000);
    const { open, world } = simulate({ backplane, authorize: () => true });
    const streams = [await open('?audience=a&audience=b'), await open('?audience=a')];
    expect(backplane.opened()).toEqual(['a', 'b']);
    for (const stream of streams) await stream.cancel();
    await world.advance(999);
    expect(backplane.opened()).toEqual(['a', 'b']);
    const again = await open('?audience=b');
    await world.advance(1);
    expect(backplane.opened()).toEqual(['b']);
    await again.cancel();
    await world.advance(1000);
    expect(backplane.opened()).toEqual([]);
  });
});

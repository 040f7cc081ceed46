import type { Envelope } from '@edict/core/protocol';
import { describe, expect, it } from 'vitest';
import { envelopesOf, idsOf, type StreamReader } from '../support/stream.ts';
import { simulate } from '../support/simulated.ts';

const greetingOf = (stream: StreamReader): Envelope | undefined =>
  envelopesOf(stream.frames).find(({ recovered }) => typeof recovered === 'boolean');

describe('replay', () => {
  it('D-HUB-3 delivers an envelope that exceeds maxBytes to connected clients', async () => {
    const { open, emit } = simulate({ replay: { maxBytes: 1 } });
    const stream = await open();
    await emit(1);
    await emit(2);
    expect(idsOf(stream.frames)).toEqual([1, 2]);
  });

  it('D-HUB-3 sends the envelopes after last_seq, and then the greeting', async () => {
    const { open, emit } = simulate();
    const first = await emit(1);
    await emit(2);
    await emit(3);
    const stream = await open(`?last_seq=${first}`);
    expect(idsOf(stream.frames)).toEqual([2, 3]);
    expect(envelopesOf(stream.frames).at(-1)).toEqual({
      type: 'directives',
      seq: first + 2,
      audience: 'global',
      directives: [],
      recovered: true,
      heartbeat_ms: 15_000,
    });
  });

  it('D-HUB-3 sends only a greeting with recovered: true when nothing was missed, however long ago the client left', async () => {
    const { open, emit, world } = simulate({ replay: { maxAgeMs: 1000 } });
    const listener = await open();
    const seq = await emit(1);
    await world.advance(10_000);
    const stream = await open(`?last_seq=${seq}`);
    expect(stream.frames).toHaveLength(1);
    expect(greetingOf(stream)).toMatchObject({ seq, recovered: true });
    await listener.cancel();
  });

  it('D-HUB-3 sends the position with recovered: false when the log does not reach back', async () => {
    const { open, emit } = simulate({ replay: { maxEnvelopes: 2 } });
    const first = await emit(1);
    for (const id of [2, 3, 4]) await emit(id);
    const stream = await open(`?last_seq=${first}`);
    expect(stream.frames).toHaveLength(1);
    expect(greetingOf(stream)).toMatchObject({ seq: first + 3, recovered: false });
    expect(idsOf((await open(`?last_seq=${first + 1}`)).frames)).toEqual([3, 4]);
  });

  it('D-HUB-3 contains nothing older than maxAgeMs, even if nothing was emitted since', async () => {
    const { open, emit, world } = simulate({ replay: { maxAgeMs: 1000 } });
    await open();
    const first = await emit(1);
    await emit(2);
    await world.advance(1001);
    const stream = await open(`?last_seq=${first}`);
    expect(idsOf(stream.frames)).toEqual([]);
    expect(greetingOf(stream)).toMatchObject({ seq: first + 1, recovered: false });
  });

  it('D-HUB-3 goes back 2 s further than the requested age', async () => {
    const { open, emit, world } = simulate();
    await world.advance(60_000);
    await emit(1);
    await world.advance(2001);
    await emit(2);
    await world.advance(1000);
    const stream = await open('?since_ms=1000');
    expect(idsOf(stream.frames)).toEqual([2]);
    expect(greetingOf(stream)?.recovered).toBe(true);
    expect(idsOf((await open('?since_ms=1001')).frames)).toEqual([1, 2]);
    expect(idsOf((await open('?since_ms=0')).frames)).toEqual([]);
  });

  it('D-HUB-3 does not claim to know the time before the start of the hub', async () => {
    const { open, world } = simulate();
    await world.advance(1000);
    expect(greetingOf(await open('?since_ms=1000'))?.recovered).toBe(true);
    expect(greetingOf(await open('?since_ms=1001'))?.recovered).toBe(false);
  });

  it('D-HUB-3 greets a client without a cursor as recovered only if nothing is known to have been emitted', async () => {
    const { open, emit } = simulate();
    expect(greetingOf(await open())?.recovered).toBe(true);
    await emit(1);
    expect(greetingOf(await open())?.recovered).toBe(false);
  });

  it('D-HUB-3 reads last_seq in the order of the audiences, empty for an unknown one', async () => {
    const { open, emit } = simulate({ authorize: () => true });
    const a = await emit(1, 'a');
    await emit(2, 'a');
    const b = await emit(3, 'b');
    await emit(4, 'b');
    const stream = await open(`?audience=a&audience=c&audience=b&last_seq=${a}&last_seq=&last_seq=${b}`);
    expect(idsOf(stream.frames)).toEqual([2, 4]);
    const greetings = envelopesOf(stream.frames).filter(({ recovered }) => recovered !== undefined);
    expect(greetings.map(({ audience, recovered }) => [audience, recovered])).toEqual([
      ['a', true],
      ['c', true],
      ['b', true],
    ]);
  });

  it('D-HUB-9 prefers Last-Event-ID to last_seq', async () => {
    const { open, emit } = simulate();
    const first = await emit(1);
    await emit(2);
    await emit(3);
    const stream = await open(`?last_seq=${first}`, { 'last-event-id': String(first + 1) });
    expect(idsOf(stream.frames)).toEqual([3]);
  });

  it('D-HUB-9 ignores an empty Last-Event-ID', async () => {
    const { open, emit } = simulate();
    const first = await emit(1);
    await emit(2);
    const stream = await open(`?last_seq=${first}`, { 'last-event-id': '' });
    expect(idsOf(stream.frames)).toEqual([2]);
  });

  it.each(['abc', '-1', '99999999999999999999', 'the newest number and .5'])(
    'D-HUB-9 treats an unreadable Last-Event-ID as a gap, not as an error: %s',
    async (id) => {
      const { open, emit } = simulate();
      const seq = await emit(1);
      const lastEventId = id.replace('the newest number and ', String(seq - 1));
      const stream = await open(`?last_seq=${seq}`, { 'last-event-id': lastEventId });
      expect(greetingOf(stream)?.recovered).toBe(false);
    },
  );

  it('D-HUB-9 ignores Last-Event-ID with several audiences', async () => {
    const { open, emit } = simulate({ authorize: () => true });
    const seq = await emit(1, 'a');
    const stream = await open(`?audience=a&audience=b&last_seq=${seq}`, { 'last-event-id': 'abc' });
    expect(envelopesOf(stream.frames).map(({ recovered }) => recovered)).toEqual([true, true]);
  });

  it('D-HUB-3 loses and repeats nothing for clients that subscribe during emits', async () => {
    const { hub, open, world } = simulate();
    const { seq: start } = await hub.cursor();
    const streams: StreamReader[] = [];
    for (let id = 1; id <= 40; id += 1) {
      const emitted = hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
      const opened = open(`?last_seq=${start}`);
      const more = hub.emit([{ op: 'refresh_item', name: 'ticket', id: id + 100 }]);
      streams.push(await opened);
      await Promise.all([emitted, more]);
    }
    await world.drain();
    const all = Array.from({ length: 40 }, (_, index) => [index + 1, index + 101]).flat();
    for (const stream of streams) {
      expect(idsOf(stream.frames)).toEqual(all);
      const seqs = envelopesOf(stream.frames)
        .filter(({ directives }) => directives.length > 0)
        .map(({ seq }) => seq);
      expect(seqs).toEqual(all.map((_, index) => start + index + 1));
      // The greeting has the position at its time, so it is between the envelopes with the adjacent numbers.
      const envelopes = envelopesOf(stream.frames);
      const at = envelopes.findIndex(({ recovered }) => recovered === true);
      expect(envelopes[at]?.seq).toBe(start + at);
    }
  });

  it('D-HUB-3 greets with a position above all known ones when the audience was forgotten', async () => {
    const { open, emit, world, hub } = simulate({ authorize: () => true, replay: { maxAgeMs: 1000 } });
    const seq = await emit(1, 'a');
    await world.advance(1000);
    expect(hub.metrics().audiences).toBe(0);
    const stream = await open(`?audience=a&last_seq=${seq}`);
    expect(greetingOf(stream)).toMatchObject({ recovered: false, seq: world.now() * 1000 });
  });

  it('D-HUB-3 keeps the audience of a cursor for maxAgeMs, and then forgets it', async () => {
    const { hub, open, emit, world } = simulate({ replay: { maxAgeMs: 1000 } });
    await hub.cursor('unused');
    await world.advance(1000);
    expect(hub.metrics().audiences).toBe(0);
    await emit(1);
    await world.advance(999);
    const { seq } = await hub.cursor();
    await world.advance(999);
    const stream = await open(`?last_seq=${seq}`);
    expect(greetingOf(stream)?.recovered).toBe(true);
  });

  it('D-REACT-10 resumes a server-rendered client from the cursor of the hub', async () => {
    const { hub, open, emit } = simulate();
    const cursor = await hub.cursor();
    expect(cursor.audience).toBe('global');
    await emit(1);
    expect(idsOf((await open(`?last_seq=${cursor.seq}`)).frames)).toEqual([1]);
    await expect(hub.cursor('a\n')).rejects.toThrow(/^\[edict\] cursor: audience .*, not "a\\n"\.$/);
  });
});

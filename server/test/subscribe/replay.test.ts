import type { Envelope } from '@edict/core/protocol';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/log/backplane.ts';
import { createRing } from '../../src/log/ring.ts';
import { judgeCursor } from '../../src/subscribe/recovery.ts';
import { envelopesOf, idsOf, type StreamReader } from '../support/stream.ts';
import { simulate } from '../support/simulated.ts';

const greetingOf = (stream: StreamReader): Envelope | undefined =>
  envelopesOf(stream.frames).find(({ recovered }) => typeof recovered === 'boolean');

describe('judgeCursor', () => {
  // The log contains 11 (at 1000) to 15 (at 5000). It reaches back to 10, and to the time 900.
  const entries = [11, 12, 13, 14, 15].map((seq) => ({ seq, at: (seq - 10) * 1000, payload: '' }));
  const ring = createRing(
    { maxEnvelopes: 100, maxAgeMs: 1e6, maxBytes: 1e6 },
    { position: 15, entries, reachSeq: 10, reachAt: 900, emitted: true },
  );
  const now = 6000;

  it.each([
    ['the position', 15, null, { from: 15, recovered: true }],
    ['the number before the position', 14, null, { from: 14, recovered: true }],
    ['the oldest covered number', 10, null, { from: 10, recovered: true }],
    ['a trimmed number', 9, null, { from: 15, recovered: false }],
    ['a number above the position', 16, null, { from: 15, recovered: false }],
    ['an unreadable number', Number.NaN, null, { from: 15, recovered: false }],
    ['a number and an age by the number', 14, 99_999, { from: 14, recovered: true }],
    ['a client without earlier requests', null, 0, { from: 15, recovered: true }],
    ['an age with 2 s added for the replay', null, 500, { from: 13, recovered: true }],
    ['the oldest covered age', null, 5100, { from: 10, recovered: true }],
    ['an age up to 2 s beyond the covered one', null, 5101, { from: 15, recovered: false }],
    ['a missing cursor after an emit', null, null, { from: 15, recovered: false }],
  ])('D-HUB-3 judges %s', (_, lastSeq, sinceMs, expected) => {
    expect(judgeCursor(ring, { lastSeq, sinceMs }, now)).toEqual(expected);
  });

  it('D-SSE-8 recovers a client without earlier requests, even if the log reaches back to no time before now', () => {
    const limits = { maxEnvelopes: 1, maxAgeMs: 1, maxBytes: 1 };
    const late = { position: 7, entries: [], reachSeq: 7, reachAt: now + 1, emitted: true };
    const none = { lastSeq: null, sinceMs: 0 };
    expect(judgeCursor(createRing(limits, late), none, now)).toEqual({ from: 7, recovered: true });
  });

  it('D-HUB-3 recovers a client without a cursor if nothing is known to have been emitted', () => {
    const limits = { maxEnvelopes: 1, maxAgeMs: 1, maxBytes: 1 };
    const fresh = createRing(limits, { position: 7, entries: [], reachSeq: 7, reachAt: 0, emitted: false });
    expect(judgeCursor(fresh, { lastSeq: null, sinceMs: null }, now)).toEqual({ from: 7, recovered: true });
  });
});

describe('the ring', () => {
  it.each([1, 255, 256, 257, 5000])(
    'finds every entry by its number after %i entries, and keeps at most maxEnvelopes',
    (count) => {
      const ring = createRing<LogEntry>(
        { maxEnvelopes: 100, maxAgeMs: 1e9, maxBytes: 1e9 },
        { position: 0, entries: [], reachSeq: 0, reachAt: 0, emitted: false },
      );
      for (let seq = 1; seq <= count; seq += 1) ring.push({ seq, at: seq, payload: 'x' }, seq);
      const oldest = Math.max(1, count - 99);
      expect(ring.position()).toBe(count);
      expect(ring.reachSeq()).toBe(oldest - 1);
      expect(ring.at(oldest - 1)).toBeUndefined();
      expect(ring.at(count + 1)).toBeUndefined();
      for (let seq = oldest; seq <= count; seq += 1) expect(ring.at(seq)?.seq).toBe(seq);
      expect(ring.before(count)).toBe(count - 1);
      expect(ring.before(0)).toBe(oldest - 1);
      expect(ring.view().entries).toHaveLength(count - oldest + 1);
    },
  );

  it('D-HUB-3 counts the bytes of the entries that it starts from', () => {
    const entries = [1, 2].map((seq) => ({ seq, at: seq, payload: 'xxxx' }));
    const ring = createRing<LogEntry>(
      { maxEnvelopes: 100, maxAgeMs: 1e9, maxBytes: 8 },
      { position: 2, entries, reachSeq: 0, reachAt: 0, emitted: true },
    );
    ring.push({ seq: 3, at: 3, payload: 'x' }, 3);
    expect(ring.view().entries.map(({ seq }) => seq)).toEqual([2, 3]);
  });
});

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

  it.each(['abc', '-1', '1.5', '99999999999999999999'])(
    'D-HUB-9 treats an unreadable Last-Event-ID as a gap, not as an error: %s',
    async (id) => {
      const { open, emit } = simulate();
      const seq = await emit(1);
      const stream = await open(`?last_seq=${seq}`, { 'last-event-id': id });
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

  it('D-REACT-10 resumes a server-rendered client from the cursor of the hub', async () => {
    const { hub, open, emit } = simulate();
    const cursor = await hub.cursor();
    expect(cursor.audience).toBe('global');
    await emit(1);
    expect(idsOf((await open(`?last_seq=${cursor.seq}`)).frames)).toEqual([1]);
    await expect(hub.cursor('a\n')).rejects.toThrow(/^\[edict\] cursor: audience .*, not "a\\n"\.$/);
  });
});

// Sequence numbers, recovery, audiences, and unreadable frames: D-SSE-6 to -8, -10 and -11.

import { hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createStage } from '../world.ts';
import { begin, directive, envelope, greeting, position, setup } from './setup.ts';

describe('the sequence', () => {
  it('D-SSE-6 §4.6 applies an envelope after a gap, reports the gap, and schedules a resync', async () => {
    const { opened, events, received, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().envelope(envelope(44));
    const detail = { audience: 'global', lastSeq: 41, incomingSeq: 44 };
    expect(events.slice(-2)).toEqual([
      { event: 'sse:gap', detail },
      { event: 'sse:resync-scheduled', detail: { waitMs: 2500, context: { ...detail, reason: 'gap' } } },
    ]);
    expect(received.map(({ id }) => id)).toEqual([41, 44]);
  });

  it('D-SSE-6 applies an envelope before it schedules the resync', () => {
    const { dl, received } = setup();
    const counts: number[] = [];
    dl.onLifecycle('sse:gap', () => counts.push(received.length));
    dl.onLifecycle('sse:resync-scheduled', () => counts.push(received.length));
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope(envelope(44));
    expect(counts).toEqual([1, 2]);
  });

  it('D-SSE-6 reports a gap even if resyncOnGap is off', async () => {
    const { dl, of, world } = setup({ resyncOnGap: false });
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope(envelope(44));
    await world.sim.advance(10_000);
    expect(of('sse:gap')).toHaveLength(1);
    expect(of('sse:resync-scheduled')).toEqual([]);
  });

  it('D-SSE-6 counts from 1 to 100 without an event', () => {
    const { dl, sse, events, received } = setup();
    for (let seq = 1; seq <= 100; seq++) dl.ingestEnvelope(envelope(seq));
    expect(events).toEqual([]);
    expect(received).toHaveLength(100);
    expect(sse().lastSeq).toEqual({ global: 100 });
  });

  it('D-SSE-6 applies a repeated envelope and keeps the sequence number', () => {
    const { dl, of, received } = setup();
    for (const seq of [41, 42, 41, 42, 43]) dl.ingestEnvelope(envelope(seq));
    expect(received).toHaveLength(5);
    expect(of('sse:out-of-order')).toEqual([
      { audience: 'global', lastSeq: 42, incomingSeq: 41 },
      { audience: 'global', lastSeq: 42, incomingSeq: 42 },
    ]);
    expect(of('sse:gap')).toEqual([]);
  });

  it('D-SSE-6 treats a lower first number on a new connection as a restart', async () => {
    const { opened, sse, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().envelope(envelope(7));
    await world.last().envelope(envelope(8));
    expect(of('sse:gap')).toEqual([{ audience: 'global', lastSeq: 41, incomingSeq: 7, reason: 'restart' }]);
    expect(of('sse:resync-scheduled')).toHaveLength(1);
    expect(sse().lastSeq).toEqual({ global: 8 });
  });

  it('D-SSE-6 applies an envelope without a sequence number and does not count it', () => {
    const { dl, events, received } = setup();
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope(envelope(null));
    dl.ingestEnvelope({ ...envelope(null), seq: '44' });
    dl.ingestEnvelope(envelope(42));
    expect(received).toHaveLength(4);
    expect(events).toEqual([]);
  });

  it.each([2 ** 53, 1e21, -1, 0.5])(
    'D-SSE-6 applies an envelope with the invalid sequence number %d and reports it',
    (seq) => {
      const { dl, sse, of, received } = setup();
      dl.ingestEnvelope(envelope(41));
      dl.ingestEnvelope(envelope(seq));
      dl.ingestEnvelope(envelope(42));
      expect(received).toHaveLength(3);
      expect(of('sse:message-error')).toEqual([{ data: envelope(seq), error: expect.any(Error) as Error }]);
      expect(of('sse:gap')).toEqual([]);
      expect(sse().lastSeq).toEqual({ global: 42 });
    },
  );

  it('D-SSE-6 never sends an invalid sequence number of an envelope or cursor', async () => {
    const { dl, world } = setup({ audience: ['global', 'team-7'] });
    dl.ingestEnvelope(envelope(2 ** 53));
    const cursors = [{ audience: 'team-7', seq: 2 ** 53 }];
    hydrate(dl, { v: 1, items: [], collections: [], cursors });
    await begin(dl);
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['', '']);
  });

  it('§2.3 D-SSE-6 counts own envelopes, whose directives inherit the source and are skipped', () => {
    const { dl, of, events } = setup();
    dl.ingestEnvelope(envelope(41));
    dl.ingestEnvelope({ ...envelope(42), source: dl.clientId() });
    dl.ingestEnvelope(envelope(43));
    expect(of('directive:skipped')).toEqual([{ directive: directive(42), reason: 'own-source' }]);
    expect(events).toEqual([]);
  });

  it('D-SSE-6 forgets the sequence number of an audience that was replaced', async () => {
    const { opened, dl, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    dl.configureSse({ audience: 'team-7' });
    dl.configureSse({ audience: 'global' });
    await world.rest();
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['']);
    await world.last().open();
    await world.last().envelope(envelope(7));
    expect(of('sse:gap')).toEqual([]);
  });

  it('D-SSE-6 keeps the sequence number of an audience that stays', async () => {
    const { opened, dl, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    dl.configureSse({ audience: ['team-7', 'global'] });
    await world.rest();
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['', '41']);
  });

  it('D-SSE-7 reads an empty list as a position', () => {
    const { dl, of, received } = setup();
    for (const one of [envelope(41), position(41), envelope(42), position(42)]) dl.ingestEnvelope(one);
    expect(of('sse:gap')).toEqual([]);
    expect(received).toHaveLength(2);
  });

  it('D-SSE-7 continues from a greeting that recovered', () => {
    const { dl, events } = setup();
    dl.ingestEnvelope(greeting(41));
    dl.ingestEnvelope(envelope(42));
    expect(events).toEqual([]);
  });
});

describe('recovery', () => {
  it('D-SSE-8 sends the last sequence number on each connection', async () => {
    const { opened, world } = setup();
    await opened();
    expect(world.last().url.searchParams.get('since_ms')).toBe('1');
    await world.last().envelope(envelope(41));
    await world.last().envelope(envelope(42));
    await world.last().cut();
    await world.sim.advance(2000);
    const { searchParams } = world.last().url;
    expect(searchParams.getAll('last_seq')).toEqual(['42']);
    expect(searchParams.has('since_ms')).toBe(false);
  });

  it('D-SSE-8 sends the current age of the oldest request while a sequence number is unknown', async () => {
    const { dl, world } = setup();
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    dl.fetchCollection('tickets');
    await world.sim.advance(300);
    await begin(dl);
    expect(world.last().url.searchParams.get('since_ms')).toBe('300');
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    expect(world.last().url.searchParams.get('since_ms')).toBe('2300');
  });

  it('D-SSE-8 uses the oldest of several requests and responses with directives', async () => {
    const { dl, world } = setup();
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    await world.sim.advance(100);
    const answer = (): Response => Response.json({ directives: [directive()] });
    await dl.applyResponse(answer());
    await world.sim.advance(300);
    dl.fetchCollection('tickets');
    await dl.applyResponse(answer());
    await world.sim.advance(50);
    dl.fetchCollection('tickets', { params: { page: 2 } });
    await world.sim.advance(7);
    await begin(dl);
    expect(world.last().url.searchParams.get('since_ms')).toBe('357');
  });

  it('D-SSE-8 counts an inline result, which is cached without a request', async () => {
    const { dl, world } = setup();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    void dl.applyDirectives([{ ...directive(), result: { id: 1 } }]);
    await world.sim.advance(300);
    await begin(dl);
    expect(world.last().url.searchParams.get('since_ms')).toBe('300');
  });

  it('D-SSE-8 does not count a GET of DL.fetch', async () => {
    const { dl, world } = setup();
    const report = dl.fetch('/api/report');
    await world.last().respond({ directives: [directive()] });
    await report;
    await world.sim.advance(300);
    await begin(dl);
    expect(world.last().url.searchParams.get('since_ms')).toBe('1');
  });

  it('D-SSE-8 uses the first of several requests', async () => {
    const { dl, world } = setup();
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    dl.fetchCollection('tickets');
    await world.sim.advance(300);
    dl.fetchCollection('tickets', { params: { page: 2 } });
    await dl.applyResponse(Response.json({ directives: [directive()] }));
    await world.sim.advance(7);
    await begin(dl);
    expect(world.last().url.searchParams.get('since_ms')).toBe('307');
  });

  it('D-SSE-8 sends at least 1 for a request of the same millisecond', async () => {
    const { dl, world } = setup();
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    dl.fetchCollection('tickets');
    await begin(dl);
    expect(world.last().url.searchParams.get('since_ms')).toBe('1');
  });

  it('D-SSE-8 does not reconnect for a first request when all sequence numbers are known', async () => {
    const { dl, opened, world } = setup();
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().cut();
    await world.sim.advance(2000);
    dl.fetchCollection('tickets');
    await world.rest();
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-8 includes the time that the headers function took', async () => {
    let resolve!: (headers: Record<string, string>) => void;
    const { dl, world } = setup({ headers: () => new Promise((done) => void (resolve = done)) });
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    dl.fetchCollection('tickets');
    await begin(dl);
    await world.sim.advance(5000);
    resolve({});
    await world.rest();
    expect(world.last().url.searchParams.get('since_ms')).toBe('5000');
  });

  it('D-SSE-8 sends a cursor of server rendering unless a sequence number is known', async () => {
    const { dl, world } = setup({ audience: ['global', 'team-7'] });
    dl.ingestEnvelope(envelope(50));
    const cursors = [
      { audience: 'global', seq: 41 },
      { audience: 'team-7', seq: 7 },
    ];
    hydrate(dl, { v: 1, items: [], collections: [], cursors });
    await begin(dl);
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['50', '7']);
    expect(world.last().url.searchParams.has('since_ms')).toBe(false);
  });

  it('D-SSE-8 applies a replay without a gap', async () => {
    const { opened, of, received, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    for (const one of [envelope(42), envelope(43), greeting(43), envelope(44)])
      await world.last().envelope(one);
    expect(received.map(({ id }) => id)).toEqual([42, 43, 44]);
    expect(of('sse:gap')).toEqual([]);
  });
});

it('§2.3 §4.2 an envelope is applied as the hub sends it, with its audience and the source of its directives', async () => {
  const { sim, dl, of, hold, list, taken } = createStage({ init: { sse: {} } });
  await hold(() => list('tickets'));
  const { global: last = 0 } = dl.state().sse.lastSeq;
  sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { source: 'c9' });
  await sim.advance(100);
  expect(taken()).toEqual(['tickets {}']);
  expect(of('directive:received')).toMatchObject([
    { audience: 'global', directives: [{ op: 'refresh_collection', name: 'tickets', source: 'c9' }] },
  ]);
  expect(dl.state().sse.lastSeq).toEqual({ global: last + 1 });
  dl.dispose();
});

describe('audiences', () => {
  it('§2.3 D-SSE-10 each have a sequence of their own', () => {
    const { dl, sse, events } = setup({ audience: ['global', 'team-7'] });
    for (const one of [envelope(41), envelope(7, 'team-7'), envelope(42), envelope(8, 'team-7')]) {
      dl.ingestEnvelope(one);
    }
    expect(events).toEqual([]);
    expect(sse().lastSeq).toEqual({ global: 42, 'team-7': 8 });
  });

  it('D-SSE-10 that were not subscribed to are neither counted nor applied', () => {
    const { dl, sse, of } = setup();
    dl.ingestEnvelope(envelope(7, 'team-7'));
    dl.ingestEnvelope(envelope(9, 'team-7'));
    dl.ingestEnvelope(greeting(99, { audience: 'team-7', recovered: false }));
    expect(of('sse:gap')).toEqual([]);
    expect(sse().lastSeq).toEqual({});
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['audience', 'audience']);
  });

  it('D-SSE-10 are compared by their whole name', () => {
    const { dl, sse, of } = setup({ audience: 'team-70' });
    dl.ingestEnvelope(envelope(7, 'team-7'));
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['audience']);
    expect(sse().lastSeq).toEqual({});
  });

  it.each<[subscribed: string | string[], counted: string | null]>([
    ['global', 'global'],
    [['team-7', 'global'], 'global'],
    ['team-7', 'team-7'],
    [['team-7', 'team-8'], null],
  ])('§4.6 with the subscription %j assign an envelope without an audience to %j', (audience, counted) => {
    const { dl, sse, of, received } = setup({ audience });
    dl.ingestEnvelope({ type: 'directives', seq: 41, directives: [directive()] });
    expect(of('directive:processed')).toHaveLength(1);
    expect(received).toMatchObject([{ audience: counted }]);
    expect(sse().lastSeq).toEqual(counted === null ? {} : { [counted]: 41 });
  });

  it('D-REG-6 may have the names of object members', () => {
    const { dl, events } = setup({ audience: ['__proto__', 'constructor'] });
    dl.ingestEnvelope(envelope(41, '__proto__'));
    dl.ingestEnvelope(envelope(42, '__proto__'));
    dl.ingestEnvelope(envelope(7, 'constructor'));
    expect(events).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('41');
  });
});

describe('D-DIR-9 an inline result on a connection', () => {
  const change = (seq: number): object =>
    envelope(seq, 'team', [{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  const result = (seq: number): object =>
    envelope(seq, 'global', [{ op: 'refresh_item', name: 'ticket', id: 7, result: { id: 7 } }]);
  const greetings = [greeting(40), greeting(1, { audience: 'team' })];

  it.each<[when: string, sent: (object | number)[], isCached: boolean]>([
    ['before the position of its audience', [greeting(1, { audience: 'team' }), result(41)], false],
    ['after the position of its audience', [greeting(40), result(41)], true],
    ['10 s after the connection opened, without a position', [10_000, result(41)], false],
    ['more than 10 s after the connection opened, without a position', [10_001, result(41)], true],
    ['9,999 ms after another audience named the record', [...greetings, change(2), 9999, result(41)], false],
    ['10 s after another audience named the record', [...greetings, change(2), 10_000, result(41)], true],
  ])('%s is cached as fresh or refetched: %#', async (_when, sent, isCached) => {
    const { dl, world, opened } = setup({ audience: ['global', 'team'] });
    dl.createType('ticket', { fetch: () => new Promise(() => undefined) });
    await opened();
    for (const one of sent) {
      if (typeof one === 'number') await world.sim.advance(one);
      else await world.last().envelope(one);
    }
    expect(dl.getItemRef('ticket', 7).data).toEqual(isCached ? { id: 7 } : null);
  });

  it('without an audience is a plain refresh until the positions of all audiences have arrived', async () => {
    const { dl, world, opened } = setup({ audience: ['global', 'team'] });
    dl.createType('ticket', { fetch: () => new Promise(() => undefined) });
    await opened();
    await world.last().envelope(greeting(1, { audience: 'team' }));
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 7, seq: 41, result: { id: 7 } }]);
    expect(dl.getItemRef('ticket', 7).data).toBeNull();
  });

  it('is a plain refresh in the replay of a later connection', async () => {
    const { dl, world, opened } = setup();
    dl.createType('ticket', { fetch: () => new Promise(() => undefined) });
    await opened();
    await world.last().envelope(greeting(40));
    await world.last().cut();
    await world.sim.advance(60_000);
    await world.last().open();
    await world.last().envelope(result(41));
    expect(dl.getItemRef('ticket', 7).data).toBeNull();
  });
});

describe('an unreadable frame', () => {
  it.each([
    '{',
    '',
    'null',
    '[]',
    '"x"',
    '{}',
    '{"type":"directives"}',
    '{"type":"directives","directives":{}}',
  ])('D-SSE-11 such as %j is reported and changes nothing', async (data) => {
    const { opened, sse, of, received, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().send(`data: ${data}\n\n`);
    await world.last().envelope(envelope(42));
    expect(of('sse:message-error')).toEqual([{ data, error: expect.any(Error) as Error }]);
    expect(of('sse:gap')).toEqual([]);
    expect(received).toHaveLength(2);
    expect(sse().connected).toBe(true);
  });

  it('D-SSE-11 of an unknown type is ignored', async () => {
    const { opened, sse, events, received, world } = setup();
    await opened();
    const before = events.length;
    await world.last().envelope({ type: 'weather', seq: 99, audience: 'global', directives: [directive()] });
    expect(events).toHaveLength(before);
    expect(received).toEqual([]);
    expect(sse().lastSeq).toEqual({});
  });

  it('D-SSE-11 is not a hello without `recovered`, which is a position', () => {
    const { dl, of } = setup();
    dl.ingestEnvelope({ type: 'hello', audience: 'global', last_seq: 41 });
    dl.ingestEnvelope(envelope(42));
    expect(of('sse:gap')).toEqual([]);
    dl.ingestEnvelope({ type: 'hello', audience: 'global', last_seq: 50 });
    expect(of('sse:gap')).toMatchObject([{ lastSeq: 42, incomingSeq: 50, reason: 'position' }]);
  });

  it('D-SSE-11 is logged with its fault if it cannot be read, such as a text that was not parsed', () => {
    const { dl, world } = setup();
    dl.ingestEnvelope(JSON.stringify(envelope(41)));
    expect(world.sim.log).toMatchObject([
      {
        level: 'warn',
        message: 'An envelope cannot be read.',
        detail: { message: expect.stringContaining('[edict] an envelope must be an object') as string },
      },
    ]);
  });

  it('D-SSE-11 may be passed to ingestEnvelope in any shape', () => {
    const { dl, of, received } = setup();
    const noList = { ...envelope(41), directives: 'all' };
    const hostile = new Proxy({}, { get: () => { throw new Error('no'); } }); // prettier-ignore
    for (const value of [undefined, null, 1, 'x', [], Symbol('s'), () => 1, hostile, { type: 1 }, noList]) {
      expect(() => dl.ingestEnvelope(value)).not.toThrow();
    }
    expect(of('sse:message-error')).toHaveLength(10);
    expect(received).toEqual([]);
  });
});

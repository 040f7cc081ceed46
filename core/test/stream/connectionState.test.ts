import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  initialSseState,
  step,
  type Ending,
  type Loss,
  type SseEvent,
  type SseFacts,
  type SseState,
} from '../../src/stream/connectionState.ts';
import { runs } from '../seed.ts';

const options = { initialRetryMs: 2000, maxRetryMs: 30_000, backoffMultiplier: 2, retryJitter: 0.5 };
const now = 1_000_000;
const at = (ms = 0, more: Partial<SseFacts> = {}): SseFacts => ({
  ...{ now: now + ms, random: 0, isOnline: true, options },
  ...more,
});
const offline = (ms = 0): SseFacts => at(ms, { isOnline: false });
const state = (given: Partial<SseState>): SseState => ({ ...initialSseState, ...given });

const off = state({});
const refused = state({ isRefused: true });
const connecting = state({ status: 'connecting', tries: 1, openedAt: now, wakeAt: now + 60_000 });
const open = state({ status: 'open', tries: 1, openedAt: now, lastByteAt: now });
const unread = { ...open, lastByteAt: null };
const waiting = state({ status: 'waiting', tries: 1, retryInMs: 2000, wakeAt: now + 2000 });
const parked = state({ status: 'waiting', tries: 1 });
const failed = (loss: Loss = { error: new Error('cut') }): SseEvent => ({ type: 'failed', loss });
const stop: SseEvent = { type: 'stop', reason: 'disconnect' };
const beating = (announcedMs: number): SseState => ({ ...open, announcedMs });

/** What ended, with the wait of an error, and what begins: `error 2000`, `close offline`, `attempt`. */
const words = (from: SseState, next: SseState, ending: Ending | undefined): string => {
  const said = typeof ending === 'string' ? `close ${ending}` : ending && `error ${next.retryInMs}`;
  const begun = next.status === 'connecting' && from.status !== next.status && 'attempt';
  return [said, begun].filter(Boolean).join(', ');
};

type Row = [name: string, from: SseState, event: SseEvent, facts: SseFacts, status: string, changes: string];

describe('the transition table of the connection', () => {
  it.each<Row>([
    ['connects when off', off, { type: 'connect' }, at(), 'connecting', 'attempt'],
    ['D-SSE-4 connects even if offline', off, { type: 'connect' }, offline(), 'connecting', 'attempt'],
    ['D-SSE-3 has one attempt at a time', connecting, { type: 'connect' }, at(), 'connecting', ''],
    ['D-SSE-3 has one connection', open, { type: 'connect' }, at(), 'open', ''],
    ['D-SSE-4 ends a wait', waiting, { type: 'connect' }, offline(), 'connecting', 'attempt'],
    ['opens', connecting, { type: 'opened', heartbeatMs: null, isLate: false }, at(), 'open', ''],
    ['D-SSE-2 waits after a failed attempt', connecting, failed(), at(), 'waiting', 'error 2000'],
    ['D-SSE-2 waits after a cut', open, failed(), at(), 'waiting', 'error 2000'],
    ['D-SSE-2 treats an end as an error', open, { type: 'ended' }, at(), 'waiting', 'error 2000'],
    [
      'D-SSE-2 treats an end after retry: as a close',
      { ...open, hintMs: 90 },
      { type: 'ended' },
      at(),
      'waiting',
      'close server',
    ],
    [
      'D-SSE-2 treats a cut after retry: as an error',
      { ...open, hintMs: 90 },
      failed(),
      at(),
      'waiting',
      'error 90',
    ],
    [
      'D-SSE-2 caps the wait that a server asks for',
      { ...open, hintMs: 1e9 },
      failed(),
      at(),
      'waiting',
      'error 300000',
    ],
    ['D-SSE-2 ends at 204', connecting, failed({ status: 204 }), at(), 'off', 'error null'],
    ['D-SSE-2 ends at 401', connecting, failed({ status: 401 }), at(), 'off', 'error null'],
    ['D-SSE-2 ends at 403', connecting, failed({ status: 403 }), at(), 'off', 'error null'],
    ['D-SSE-2 continues at 404', connecting, failed({ status: 404 }), at(), 'waiting', 'error 2000'],
    [
      'D-SSE-4 obeys Retry-After',
      connecting,
      failed({ status: 503, retryAfterMs: 7000 }),
      at(0, { random: 0.9 }),
      'waiting',
      'error 7000',
    ],
    ['D-SSE-2 spreads the wait', connecting, failed(), at(0, { random: 0.999 }), 'waiting', 'error 1001'],
    ['§3 attempts when the wait is over', waiting, { type: 'timer' }, at(2000), 'connecting', 'attempt'],
    [
      'gives up an attempt without a response',
      connecting,
      { type: 'timer' },
      at(60_000),
      'waiting',
      'error 2000',
    ],
    ['D-SSE-3 stops a wait', waiting, stop, at(), 'off', 'close disconnect'],
    ['D-SSE-3 stops a connection', open, stop, at(), 'off', 'close disconnect'],
    ['has nothing to stop when off', off, stop, at(), 'off', ''],
    ['stays off when online', off, { type: 'network' }, at(), 'off', ''],
    ['stays off when offline', off, { type: 'network' }, offline(), 'off', ''],
    ['D-SSE-4 keeps a connection offline', open, { type: 'network' }, offline(), 'open', ''],
    ['D-SSE-4 keeps an attempt offline', connecting, { type: 'network' }, offline(), 'connecting', ''],
    ['D-SSE-4 reconnects online', waiting, { type: 'network' }, at(), 'connecting', 'attempt'],
    ['D-SSE-4 keeps a connection online', open, { type: 'network' }, at(), 'open', ''],
    ['D-SSE-4 postpones an attempt offline', waiting, { type: 'timer' }, offline(2000), 'waiting', ''],
    ['D-SSE-4 waits longer offline', connecting, failed(), offline(), 'waiting', 'error 30000'],
    [
      'D-SSE-4 waits longer offline, whatever the server asks for',
      { ...open, hintMs: 90 },
      failed(),
      offline(),
      'waiting',
      'error 30000',
    ],
    [
      'D-SSE-4 attempts offline after maxRetryMs',
      { ...waiting, retryInMs: 30_000 },
      { type: 'timer' },
      offline(30_000),
      'connecting',
      'attempt',
    ],
    [
      'D-SSE-4 closes a connection after one offline interval',
      { ...beating(5000), offlineAt: now },
      { type: 'timer' },
      offline(5000),
      'waiting',
      'close offline',
    ],
    ['D-SSE-5 closes on pagehide', open, { type: 'hide' }, at(), 'waiting', 'close pagehide'],
    ['D-SSE-5 stops waiting on pagehide', waiting, { type: 'hide' }, at(), 'waiting', ''],
    ['D-SSE-5 reconnects on pageshow', parked, { type: 'restore' }, at(), 'connecting', 'attempt'],
    ['D-SSE-4 postpones the reconnect offline', parked, { type: 'restore' }, offline(), 'waiting', ''],
    [
      'D-SSE-5 replaces a connection that was restored',
      open,
      { type: 'restore' },
      at(),
      'connecting',
      'error null, attempt',
    ],
    ['stays off on pageshow', off, { type: 'restore' }, at(), 'off', ''],
    ['D-SSE-5 reconnects when visible again', parked, { type: 'visible' }, at(), 'connecting', 'attempt'],
    ['D-SSE-5 keeps waiting when visible', waiting, { type: 'visible' }, at(), 'waiting', ''],
    ['D-SSE-5 keeps a silent stream without an interval', open, { type: 'visible' }, at(1e9), 'open', ''],
    ['D-SSE-5 keeps a stream at 1.5 intervals', beating(1000), { type: 'visible' }, at(1500), 'open', ''],
    [
      'D-SSE-5 replaces one after 1.5 intervals',
      beating(1000),
      { type: 'visible' },
      at(1501),
      'connecting',
      'error null, attempt',
    ],
    [
      'D-SSE-5 gives up one at 2.5 intervals',
      beating(10_000),
      { type: 'timer' },
      at(25_000),
      'waiting',
      'error 2000',
    ],
    ['D-SSE-5 reconnects after 10 s', beating(100), { type: 'timer' }, at(10_000), 'waiting', 'error 2000'],
    ['D-SSE-5 reconnects 60 s after no byte', unread, { type: 'timer' }, at(60_000), 'waiting', 'error 2000'],
    [
      'D-SSE-2 tries once when visible after 403',
      refused,
      { type: 'visible' },
      at(),
      'connecting',
      'attempt',
    ],
    ['D-SSE-2 retries a refusal when restored', refused, { type: 'restore' }, at(), 'connecting', 'attempt'],
    ['D-SSE-2 retries a refusal when online', refused, { type: 'network' }, at(), 'connecting', 'attempt'],
    ['D-SSE-2 does not retry a refusal while offline', refused, { type: 'visible' }, offline(), 'off', ''],
    [
      'D-SSE-2 does not retry a refusal twice within a minute',
      { ...refused, returnedAt: now },
      { type: 'visible' },
      at(59_999),
      'off',
      '',
    ],
    [
      'D-SSE-2 retries a refusal again after a minute',
      { ...refused, returnedAt: now },
      { type: 'visible' },
      at(60_000),
      'connecting',
      'attempt',
    ],
  ])('%s', (_name, from, event, facts, status, changes) => {
    const [next, ending] = step(from, event, facts);
    expect([next.status, words(from, next, ending)]).toEqual([status, changes]);
  });

  it.each<[what: string, from: SseState, ms: number]>([
    ['D-SSE-4 one offline interval', { ...beating(5000), offlineAt: now }, 5000],
    ['D-SSE-5 2.5 intervals', beating(10_000), 25_000],
    ['D-SSE-5 at least 10 s', beating(100), 10_000],
    ['D-SSE-5 60 s for the first byte', unread, 60_000],
    ['D-SSE-5 2.5 announced intervals for the first byte', { ...unread, announcedMs: 40_000 }, 100_000],
  ])('checks an open connection after %s', (_what, from, ms) => {
    expect(step(from, { type: 'connect' }, at())[0].wakeAt).toBe(now + ms);
  });

  it('D-SSE-2 forgets a refusal when it is stopped', () => {
    expect(step(refused, stop, at())[0].isRefused).toBe(false);
  });

  it('D-SSE-2 remembers the last return when it is stopped', () => {
    const [next] = step({ ...refused, returnedAt: now }, stop, at());
    expect(next.returnedAt).toBe(now);
  });

  it.each([
    [0, 2000],
    [0.5, 1500],
    [1, 1000],
  ])('D-SSE-2 spreads the wait, not the backoff (random %d)', (random, retryInMs) => {
    const [next] = step(connecting, failed(), at(0, { random }));
    expect(next.retryInMs).toBe(retryInMs);
    const [again] = step(step(next, { type: 'timer' }, at(2000))[0], failed(), at(2000));
    expect(again.retryInMs).toBe(4000);
  });

  it('D-SSE-4 makes a postponed attempt maxRetryMs after the loss', () => {
    const [next] = step(waiting, { type: 'timer' }, offline(2000));
    expect(next).toMatchObject({ retryInMs: 30_000, wakeAt: now + 30_000 });
  });

  it('D-SSE-4 lets a byte disprove "offline"', () => {
    const from = step(beating(5000), { type: 'network' }, offline())[0];
    expect(step(from, { type: 'bytes' }, offline(10))[0]).toMatchObject({
      offlineAt: Infinity,
      wakeAt: now + 12_510,
    });
  });

  it.each([
    [0, 60_000],
    [1, 60_000],
    [2, 60_000],
    [3, 120_000],
    [4, 240_000],
    [6, 900_000],
    [50, 900_000],
  ])('D-SSE-5 after %d losses without a byte checks after %d ms', (silentLosses, ms) => {
    const [next] = step(
      { ...connecting, silentLosses },
      { type: 'opened', heartbeatMs: null, isLate: false },
      at(),
    );
    expect(next.wakeAt).toBe(now + ms);
  });

  it('D-SSE-5 counts losses without a byte until a byte arrives', () => {
    const [lost] = step(unread, { type: 'timer' }, at(60_000));
    expect(lost.silentLosses).toBe(1);
    expect(step({ ...lost, status: 'open' }, { type: 'bytes' }, at())[0].silentLosses).toBe(0);
  });

  const buffered =
    'no data arrived for 60 s. A proxy may be buffering the stream. Turn off response buffering for sse.url';

  it.each<[message: string, from: SseState, event: SseEvent, facts: SseFacts]>([
    ['no data arrived for 10 s', beating(100), { type: 'timer' }, at(10_000)],
    ['no data arrived for 2 s', beating(1000), { type: 'visible' }, at(1501)],
    [buffered, unread, { type: 'timer' }, at(60_000)],
    [buffered, connecting, { type: 'timer' }, at(60_000)],
  ])('D-SSE-5 reports "%s"', (message, from, event, facts) => {
    const [, ending] = step(from, event, facts);
    expect(ending).toMatchObject({ message, reason: 'silent' });
  });

  it.each<[distances: string, beats: [ms: number, audience: string | null][], interval: number | null]>([
    ['none after one', [[0, null]], null],
    [
      'the distance of two comment lines',
      [
        [0, null],
        [4000, null],
      ],
      4000,
    ],
    [
      'the smallest',
      [
        [0, null],
        [9000, null],
        [13_000, null],
        [22_000, null],
      ],
      4000,
    ],
    [
      'the distance of two positions',
      [
        [0, 'a'],
        [15_000, 'a'],
      ],
      15_000,
    ],
    [
      'none of two audiences',
      [
        [0, 'a'],
        [1000, 'b'],
      ],
      null,
    ],
    [
      'the distance for one audience of two',
      [
        [0, 'a'],
        [1000, 'b'],
        [15_000, 'a'],
        [16_000, 'b'],
      ],
      15_000,
    ],
    [
      'none of two in one write',
      [
        [0, null],
        [0, null],
      ],
      null,
    ],
  ])('D-SSE-5 observes as the interval %s', (_name, beats, interval) => {
    const end = beats.reduce<SseState>(
      (from, [ms, audience]) => step(from, { type: 'heartbeat', audience }, at(ms))[0],
      open,
    );
    expect(end.observedMs).toBe(interval ?? Infinity);
  });

  it('D-SSE-5 prefers the announced interval', () => {
    const greeted = step(open, { type: 'envelope', heartbeatMs: 20_000 }, at())[0];
    const first = step(greeted, { type: 'heartbeat', audience: null }, at(100))[0];
    const second = step(first, { type: 'heartbeat', audience: null }, at(5100))[0];
    expect(second.wakeAt).toBe(now + 50_000);
  });

  it('always has a timer while it connects or waits, and ends a status with each ending', () => {
    const plain = ['connect', 'timer', 'network', 'hide', 'restore', 'visible'] as const;
    const ofOpen = ['bytes', 'ended'] as const;
    const event = fc.oneof<fc.Arbitrary<SseEvent>[]>(
      fc.constantFrom(...plain).map((type) => ({ type })),
      fc.constant(stop),
      fc.constantFrom(...ofOpen).map((type) => ({ type })),
      fc.constantFrom(null, 15_000).map((heartbeatMs) => ({ type: 'opened', heartbeatMs, isLate: false })),
      fc.constant({ type: 'heartbeat', audience: null }),
      fc.constantFrom(null, 15_000).map((heartbeatMs) => ({ type: 'envelope', heartbeatMs })),
      fc.nat(1e6).map((waitMs) => ({ type: 'retry', waitMs })),
      fc.constantFrom(204, 401, 404, 503).map((status) => failed({ status })),
    );
    const needsOpen = new Set<string>([...ofOpen, 'heartbeat', 'envelope', 'retry']);
    const schedule = fc.array(fc.tuple(event, fc.nat(40_000), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(schedule, (moves) => {
        let current = initialSseState;
        let ms = 0;
        for (const [made, wait, isOnline] of moves) {
          ms += wait;
          // A stream reports in this order. Reports of a finished attempt never reach the table.
          if (needsOpen.has(made.type) && current.status !== 'open') continue;
          if (made.type === 'opened' && current.status !== 'connecting') continue;
          if (made.type === 'failed' && current.status !== 'connecting' && current.status !== 'open')
            continue;
          const [next, ending] = step(current, made, at(ms, { isOnline }));
          // An ending is reported once, when the status leaves the connection or the wait.
          if (ending !== undefined) expect(next.status).not.toBe(current.status);
          const isOn = next.status === 'connecting' || next.status === 'open';
          if (isOn) expect(next.retryInMs).toBeNull();
          if (next.status === 'connecting') expect(next.wakeAt).toBeLessThan(Infinity);
          if (next.status === 'waiting') expect(next.retryInMs === null).toBe(next.wakeAt === Infinity);
          if (next.status === 'off') expect(next.wakeAt).toBe(Infinity);
          expect(next.retryInMs ?? 0).toBeLessThanOrEqual(300_000);
          current = next;
        }
      }),
      runs(500),
    );
  });
});

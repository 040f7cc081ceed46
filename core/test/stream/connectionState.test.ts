import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  initialSseState,
  step,
  type SseCommand,
  type SseEvent,
  type SseFacts,
  type SseState,
} from '../../src/stream/connectionState.ts';
import { runs } from '../seed.ts';

const options = { initialRetryMs: 2000, maxRetryMs: 30_000, backoffMultiplier: 2 };
const now = 1_000_000;
const at = (ms = 0, isOnline = true): SseFacts => ({ now: now + ms, isOnline, options });
const state = (given: Partial<SseState>): SseState => ({ ...initialSseState, attempt: 5, ...given });

const off = state({});
const connecting = state({ status: 'connecting', tries: 1, wakeAt: now + 60_000 });
const open = state({ status: 'open', tries: 1, openedAt: now, lastByteAt: now });
const waiting = state({ status: 'waiting', tries: 1, retryInMs: 2000, wakeAt: now + 2000 });
const parked = state({ status: 'waiting', tries: 1 });
const error = new Error('cut');
const failed: SseEvent = { type: 'failed', attempt: 5, error };

/** The commands as words: `error 2000`, `close offline`, `attempt 5`. */
const words = (commands: readonly SseCommand[]): string =>
  commands
    .map((command) => {
      if (command.type === 'error') return `error ${command.retryInMs}`;
      if (command.type === 'close') return `close ${command.reason}`;
      return command.type === 'attempt' ? `attempt ${command.attempt}` : command.type;
    })
    .join(', ');

describe('the table of the connection', () => {
  it.each<[name: string, from: SseState, event: SseEvent, facts: SseFacts, status: string, commands: string]>(
    [
      ['connects from off', off, { type: 'connect' }, at(), 'connecting', 'attempt 5'],
      ['D-SSE-4 waits for the network from off', off, { type: 'connect' }, at(0, false), 'waiting', ''],
      ['D-SSE-3 has one attempt at a time', connecting, { type: 'connect' }, at(), 'connecting', ''],
      ['D-SSE-3 has one connection', open, { type: 'connect' }, at(), 'open', ''],
      ['ends a wait when told to connect', waiting, { type: 'connect' }, at(), 'connecting', 'attempt 5'],
      ['opens', connecting, { type: 'opened', attempt: 5 }, at(), 'open', 'open'],
      ['ignores an older attempt', connecting, { type: 'opened', attempt: 4 }, at(), 'connecting', ''],
      ['ignores a late failure', waiting, failed, at(), 'waiting', ''],
      ['ignores a late end', off, { type: 'ended', attempt: 5 }, at(), 'off', ''],
      ['D-SSE-2 waits after a failed attempt', connecting, failed, at(), 'waiting', 'abort, error 2000'],
      ['D-SSE-2 waits after a cut', open, failed, at(), 'waiting', 'abort, error 2000'],
      [
        'D-SSE-2 takes an end without retry for an error',
        open,
        { type: 'ended', attempt: 5 },
        at(),
        'waiting',
        'abort, error 2000',
      ],
      [
        'D-SSE-2 takes an end after retry for a close',
        { ...open, hintMs: 90 },
        { type: 'ended', attempt: 5 },
        at(),
        'waiting',
        'abort, close server',
      ],
      [
        'D-SSE-2 takes a cut after retry for an error',
        { ...open, hintMs: 90 },
        failed,
        at(),
        'waiting',
        'abort, error 90',
      ],
      [
        'D-SSE-2 caps what the server asks for',
        { ...open, hintMs: 1e9 },
        failed,
        at(),
        'waiting',
        'abort, error 300000',
      ],
      ['D-SSE-2 ends at 204', connecting, { ...failed, status: 204 }, at(), 'off', 'abort, error null'],
      ['D-SSE-2 ends at 401', connecting, { ...failed, status: 401 }, at(), 'off', 'abort, error null'],
      ['D-SSE-2 ends at 403', connecting, { ...failed, status: 403 }, at(), 'off', 'abort, error null'],
      [
        'D-SSE-2 goes on at 404',
        connecting,
        { ...failed, status: 404 },
        at(),
        'waiting',
        'abort, error 2000',
      ],
      [
        'D-SSE-4 obeys Retry-After',
        connecting,
        { ...failed, status: 503, retryAfterMs: 7000 },
        at(),
        'waiting',
        'abort, error 7000',
      ],
      ['§3 attempts when the wait is over', waiting, { type: 'timer' }, at(2000), 'connecting', 'attempt 5'],
      ['D-SSE-4 attempts nothing offline', waiting, { type: 'timer' }, at(2000, false), 'waiting', ''],
      [
        'gives an attempt up that has no answer',
        connecting,
        { type: 'timer' },
        at(60_000),
        'waiting',
        'abort, error 2000',
      ],
      [
        'D-SSE-3 stops a wait',
        waiting,
        { type: 'stop', reason: 'disconnect' },
        at(),
        'off',
        'abort, close disconnect',
      ],
      [
        'D-SSE-3 stops a connection',
        open,
        { type: 'stop', reason: 'dispose' },
        at(),
        'off',
        'abort, close dispose',
      ],
      ['has nothing to stop when off', off, { type: 'stop', reason: 'disconnect' }, at(), 'off', ''],
      [
        'D-SSE-4 leaves the connection offline',
        open,
        { type: 'network' },
        at(0, false),
        'waiting',
        'abort, close offline',
      ],
      [
        'D-SSE-4 leaves the attempt offline',
        connecting,
        { type: 'network' },
        at(0, false),
        'waiting',
        'abort, close offline',
      ],
      ['D-SSE-4 reconnects online', parked, { type: 'network' }, at(), 'connecting', 'attempt 5'],
      [
        'D-SSE-4 reconnects online before the wait is over',
        waiting,
        { type: 'network' },
        at(),
        'connecting',
        'attempt 5',
      ],
      ['D-SSE-4 keeps a connection that is told of the network', open, { type: 'network' }, at(), 'open', ''],
      ['stays off online', off, { type: 'network' }, at(), 'off', ''],
      ['stays off offline', off, { type: 'network' }, at(0, false), 'off', ''],
      ['D-SSE-5 leaves on pagehide', open, { type: 'hide' }, at(), 'waiting', 'abort, close pagehide'],
      ['D-SSE-5 stops waiting on pagehide', waiting, { type: 'hide' }, at(), 'waiting', ''],
      ['D-SSE-5 reconnects on pageshow', parked, { type: 'restore' }, at(), 'connecting', 'attempt 5'],
      [
        'D-SSE-5 does not trust a connection that was restored',
        open,
        { type: 'restore' },
        at(),
        'connecting',
        'abort, error 0, attempt 6',
      ],
      ['stays off on pageshow', off, { type: 'restore' }, at(), 'off', ''],
      [
        'D-SSE-5 reconnects a parked one when visible',
        parked,
        { type: 'visible' },
        at(),
        'connecting',
        'attempt 5',
      ],
      ['D-SSE-5 lets a wait be when visible', waiting, { type: 'visible' }, at(), 'waiting', ''],
      ['D-SSE-5 keeps a silent one of unknown interval', open, { type: 'visible' }, at(1e9), 'open', ''],
      [
        'D-SSE-5 keeps one at exactly 1.5 intervals',
        { ...open, announcedMs: 1000 },
        { type: 'visible' },
        at(1500),
        'open',
        '',
      ],
      [
        'D-SSE-5 replaces one after 1.5 intervals',
        { ...open, announcedMs: 1000 },
        { type: 'visible' },
        at(1501),
        'connecting',
        'abort, error 0, attempt 6',
      ],
      [
        'D-SSE-5 keeps one before 2.5 intervals',
        { ...open, announcedMs: 10_000 },
        { type: 'timer' },
        at(24_999),
        'open',
        '',
      ],
      [
        'D-SSE-5 gives one up at 2.5 intervals',
        { ...open, announcedMs: 10_000 },
        { type: 'timer' },
        at(25_000),
        'waiting',
        'abort, error 2000',
      ],
      ['D-SSE-5 waits 10 s at least', { ...open, announcedMs: 100 }, { type: 'timer' }, at(9999), 'open', ''],
      [
        'D-SSE-5 waits no more than that',
        { ...open, announcedMs: 100 },
        { type: 'timer' },
        at(10_000),
        'waiting',
        'abort, error 2000',
      ],
    ],
  )('%s', (_name, from, event, facts, status, commands) => {
    const [next, done] = step(from, event, facts);
    expect([next.status, words(done)]).toEqual([status, commands]);
  });

  it.each<[message: string, from: SseState, event: SseEvent, facts: SseFacts]>([
    ['did not answer within 60000 ms', connecting, { type: 'timer' }, at()],
    ['was silent for 10000 ms', { ...open, announcedMs: 100 }, { type: 'timer' }, at(10_000)],
    [
      'was silent for 1501 ms while the page was away',
      { ...open, announcedMs: 1000 },
      { type: 'visible' },
      at(1501),
    ],
  ])('D-SSE-5 says that the event stream %s', (message, from, event, facts) => {
    const [, commands] = step(from, event, facts);
    const loss = { error: new Error(`the event stream ${message}`) };
    expect(commands).toContainEqual(expect.objectContaining({ type: 'error', loss }));
  });

  it.each<[distances: string, beats: [ms: number, audience: string | null][], interval: number | null]>([
    ['none after one', [[0, null]], null],
    [
      'that of two comment lines',
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
      'that of two positions',
      [
        [0, 'a'],
        [15_000, 'a'],
      ],
      15_000,
    ],
    [
      'that of a comment line and a position',
      [
        [0, null],
        [5000, 'a'],
      ],
      5000,
    ],
    [
      'that of a position and a comment line',
      [
        [0, 'a'],
        [5000, null],
      ],
      5000,
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
      'that of one audience among two',
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
      (from, [ms, audience]) => step(from, { type: 'heartbeat', attempt: 5, audience }, at(ms))[0],
      open,
    );
    expect(end.observedMs).toBe(interval);
  });

  it('D-SSE-5 prefers the announced interval', () => {
    const greeted = step(open, { type: 'greeting', attempt: 5, heartbeatMs: 20_000 }, at())[0];
    const first = step(greeted, { type: 'heartbeat', attempt: 5, audience: null }, at(100))[0];
    const second = step(first, { type: 'heartbeat', attempt: 5, audience: null }, at(5100))[0];
    expect(second.wakeAt).toBe(now + 50_000);
  });

  it('is never wedged: on, it has a timer or waits for the page; commands match the state', () => {
    const kinds = ['connect', 'timer', 'network', 'hide', 'restore', 'visible'] as const;
    const event = fc.oneof<fc.Arbitrary<(attempt: number) => SseEvent>[]>(
      fc.constantFrom(...kinds).map((type) => () => ({ type })),
      fc.constant(() => ({ type: 'stop', reason: 'disconnect' })),
      fc
        .constantFrom('opened', 'bytes', 'envelope', 'ended')
        .map((type) => (attempt) => ({ type, attempt }) as SseEvent),
      fc.constant((attempt) => ({ type: 'heartbeat', attempt, audience: null })),
      fc.constant((attempt) => ({ type: 'greeting', attempt, heartbeatMs: 15_000 })),
      fc.nat(1e6).map((waitMs) => (attempt) => ({ type: 'retry', attempt, waitMs })),
      fc
        .constantFrom(204, 401, 404, 503)
        .map((status) => (attempt) => ({ type: 'failed', attempt, status, error })),
    );
    const needsOpen = new Set<string>(['bytes', 'envelope', 'ended', 'heartbeat', 'greeting', 'retry']);
    const schedule = fc.array(fc.tuple(event, fc.nat(40_000), fc.boolean(), fc.nat(1)), { maxLength: 40 });
    fc.assert(
      fc.property(schedule, (moves) => {
        let current = initialSseState;
        let time = 0;
        let requests = 0;
        for (const [make, ms, isOnline, age] of moves) {
          time += ms;
          const made = make(current.attempt - age);
          // What a stream reports comes in this order.
          if (made.type === 'opened' && current.status !== 'connecting') continue;
          if (current.status === 'connecting' && needsOpen.has(made.type)) continue;
          const [next, commands] = step(current, made, at(time, isOnline));
          for (const command of commands) {
            if (command.type === 'abort') requests = 0;
            if (command.type === 'attempt') requests += 1;
          }
          const isOn = next.status === 'connecting' || next.status === 'open';
          expect(requests).toBe(isOn ? 1 : 0);
          if (next.status === 'connecting') expect(next.wakeAt).not.toBeNull();
          if (next.status === 'waiting') expect(next.retryInMs === null).toBe(next.wakeAt === null);
          if (next.status === 'off') expect(next.wakeAt).toBeNull();
          expect(next.backoffMs ?? 0).toBeLessThanOrEqual(30_000);
          current = next;
        }
      }),
      runs(500),
    );
  });
});

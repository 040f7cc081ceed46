// When a relay makes its passes, in simulated time, over an outbox in memory.

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRelay, type RelayDatabase, type Run } from '../../src/postgres/index.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0); // The shortest waits.
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
});

/** A relay over an outbox with these rows, `audience id`. A pass delivers at most one row of an audience. */
function setup(names: readonly string[], pollMs = 1000) {
  let rows = [...names];
  const state = {
    /** Audiences that another relay has locked. */
    locked: new Set<string>(),
    isAway: false,
    awayError: new Error('the database is away'),
    /** Called when a pass has found no row. */
    onEmpty: () => {},
    notify: () => {},
    /** Called with the audience. The hub refuses the audience if it throws. */
    emit: (() => {}) as (audience: string) => void | Promise<void>,
  };
  /** The audiences of each pass that began. */
  const passes: (readonly string[])[] = [];
  const emitted: string[] = [];
  const lines: unknown[] = [];
  const audienceOf = (row: string): string => row.split(' ')[0] ?? '';

  const run: Run = async (sql, [list = '[]'] = []) => {
    if (sql.includes('pg_try_advisory_xact_lock')) {
      const given = JSON.parse(list) as string[]; // The relay sends names.
      const waiting = [...new Set(rows.map(audienceOf))].filter((audience) => !given.includes(audience));
      const selected = sql.includes('FROM heads WHERE') ? waiting : given;
      const audiences = selected.filter((audience) => !state.locked.has(audience)).slice(0, 100);
      passes.push(audiences);
      if (audiences.length === 0) state.onEmpty();
      return audiences.map((audience) => ({ audience }));
    }
    if (sql.startsWith('DELETE')) rows = rows.filter((row) => !list.split(',').includes(row));
    if (!sql.includes('AS name')) return [];
    return (JSON.parse(list) as string[]).flatMap((audience) => {
      const row = rows.find((one) => audienceOf(one) === audience);
      return row === undefined ? [] : [{ name: row, audience, text: '[{}]' }];
    });
  };
  const db: RelayDatabase = {
    async inTransaction(work) {
      if (state.isAway) {
        passes.push([]);
        throw state.awayError;
      }
      await work(run);
    },
    async listen(_, onNotify) {
      state.notify = onNotify;
      return () => {};
    },
  };
  const relay = createRelay({
    db,
    hub: {
      async emit(_, options) {
        const audience = String(options?.audience);
        await state.emit(audience);
        emitted.push(audience);
        return [];
      },
    },
    pollMs,
    log: (...line) => void lines.push(line),
  });
  onTestFinished(() => relay.close());
  return {
    relay,
    state,
    passes,
    emitted,
    lines,
    add: (row: string) => void rows.push(row),
    /** Waits until all work has ended that needs no time. */
    settle: () => vi.advanceTimersByTimeAsync(0),
  };
}

const refuse = (audience: string): void => {
  if (audience.startsWith('refused')) throw new Error('not confirmed');
};
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `refused-${at} ${at}`);

/** A hub that waits until the test lets it continue. */
function heldHub() {
  let goOn = (): void => {};
  const held = new Promise<void>((done) => (goOn = done));
  return { emit: () => held, goOn };
}

describe('audiences that the hub does not accept', () => {
  it('are named in one log line for each pass, and end no search for others', async () => {
    const { state, emitted, lines, settle } = setup([...many(250), 'good 1']);
    state.emit = refuse;
    await settle();
    expect(emitted).toEqual(['good']);
    const line = (first: string, others: number): unknown => [
      'warn',
      `Outbox edict_outbox: the hub did not accept the directives for audience "${first}" (and ${others} more). The relay tries again.`,
      new Error('not confirmed'),
    ];
    expect(lines).toEqual([line('refused-0', 99), line('refused-100', 99), line('refused-200', 49)]);
  });

  it('have their other rows delivered immediately after another attempt has succeeded', async () => {
    const { state, emitted } = setup(['refused 1', 'refused 2', 'refused 3'], 60_000);
    state.emit = refuse;
    await vi.advanceTimersByTimeAsync(4999);
    state.emit = () => {};
    expect(emitted).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(emitted).toHaveLength(3);
  });

  it('are looked at once in pollMs while another relay works on them', async () => {
    const { state, passes } = setup(['refused 1']);
    state.emit = refuse;
    await vi.advanceTimersByTimeAsync(999);
    state.locked.add('refused');
    const before = passes.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(passes.length - before).toBeLessThan(25); // One of each lane.
  });

  it('are delivered by a drain even if their wait is not over, and count', async () => {
    const { relay, state, settle } = setup(['refused 1', 'refused 2']);
    state.emit = refuse;
    await settle();
    await expect(relay.drain()).rejects.toThrow('not confirmed');
    state.emit = () => {};
    expect(await relay.drain()).toBe(2);
  });
});

describe('a database that is away', () => {
  it('is tried again after a wait that doubles, and begins anew after a success', async () => {
    const { state, passes, emitted, add } = setup([]);
    await vi.advanceTimersByTimeAsync(0);
    state.isAway = true;
    const times: number[] = [];
    const startedAt = Date.now();
    for (let at = 0; at < 20_000; at += 500) {
      const before = passes.length;
      await vi.advanceTimersByTimeAsync(500);
      if (passes.length > before) times.push(Date.now() - startedAt);
    }
    expect(times).toEqual([1000, 2000, 4000, 8000, 13_000, 18_000]);
    state.isAway = false;
    add('a 1');
    await vi.advanceTimersByTimeAsync(3000);
    expect(emitted).toEqual(['a']);
    state.isAway = true;
    const before = passes.length;
    await vi.advanceTimersByTimeAsync(2000);
    expect(passes.length - before).toBe(2);
  });

  it('rejects a drain with the message and the code, without what the driver attached', async () => {
    const { relay, state } = setup([]);
    state.isAway = true;
    state.awayError = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED', query: 'SELECT' });
    const error: unknown = await relay.drain().catch((reason: unknown) => reason);
    expect(error).toEqual(Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' }));
    expect(error).not.toHaveProperty('query');
  });

  it('is not asked more often because audiences wait for another attempt', async () => {
    const { state, passes } = setup(['refused 1']);
    state.emit = refuse;
    await vi.advanceTimersByTimeAsync(0);
    state.isAway = true;
    const before = passes.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(passes.length - before).toBeLessThan(20);
  });
});

it('looks again immediately when a commit notifies it after it has found nothing', async () => {
  const { state, emitted, add, settle } = setup([], 60_000);
  await settle();
  state.onEmpty = () => {
    state.onEmpty = () => {};
    add('a 1');
    state.notify();
  };
  state.notify();
  await settle();
  expect(emitted).toEqual(['a']);
});

it('looks again immediately when it begins to listen, because a commit may have happened before', async () => {
  const { state, emitted, add, settle } = setup([], 60_000);
  state.onEmpty = () => {
    state.onEmpty = () => {};
    add('a 1'); // Nothing listens yet.
  };
  await settle();
  expect(emitted).toEqual(['a']);
});

describe('a relay that is closed', () => {
  it.each([
    ['the first audience', []],
    ['another audience', ['refused 1']],
  ])('makes no further pass, also if %s fails while it is closed', async (_, rows) => {
    const { relay, state, passes, add, settle } = setup(rows);
    state.emit = refuse;
    await settle();
    const { emit, goOn } = heldHub();
    state.emit = (audience) => emit().then(() => refuse(audience));
    add('refused-too 2');
    state.notify();
    await settle();
    const closed = relay.close();
    goOn();
    await closed;
    const before = passes.length;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(passes).toHaveLength(before);
  });

  it.each([
    ['of its own', async () => {}, ['a 1', 'a 2']],
    ['of a drain', (relay: { drain: () => Promise<number> }) => relay.drain(), []],
  ])('completes the pass %s, and delivers nothing after that', async (_, start, rows) => {
    const { relay, state, emitted, add, settle } = setup(rows, 60_000);
    const { emit, goOn } = heldHub();
    state.emit = emit;
    await settle();
    if (rows.length === 0) for (const row of ['a 1', 'a 2']) add(row);
    const started = start(relay);
    await settle();
    let isClosed = false;
    const closed = relay.close().then(() => (isClosed = true));
    await settle();
    expect([isClosed, emitted]).toEqual([false, []]);
    goOn();
    await Promise.all([closed, started]);
    expect(emitted).toEqual(['a']);
  });

  it('completes the attempt for audiences that failed, and begins no other', async () => {
    const { relay, state, emitted, add, settle } = setup([...many(150), 'good 1'], 60_000);
    state.emit = refuse;
    await settle();
    const { emit, goOn } = heldHub();
    state.emit = emit;
    const drained = relay.drain();
    await settle();
    let isClosed = false;
    const closed = relay.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(false);
    emitted.splice(0);
    add('good 2');
    goOn();
    await closed;
    await drained.catch(() => {});
    await settle();
    expect(emitted).toHaveLength(100);
  });
});

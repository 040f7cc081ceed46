// A relay with rows that cannot be delivered, a relay that lost its lock, and the metrics of a relay.

import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHub } from '../../src/index.ts';
import { createRelay, migrate, outbox, type RelayOptions, type Run } from '../../src/postgres/index.ts';
import { listeningHub } from './listeningHub.ts';
import { refresh, relayForTest } from './outbox.contract.ts';

let db: PGlite;
beforeAll(async () => {
  db = await PGlite.create();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.exec('DROP TABLE IF EXISTS edict_outbox');
  await migrate(db);
});

const emit = (id: number | string, audience: string): Promise<unknown> =>
  db.transaction((tx) => outbox(tx).emit([refresh(id)], { audience }));

/** Writes rows as any program could. */
const insert = (audience: string, directives: string, count = 1): Promise<unknown> =>
  db.query('INSERT INTO edict_outbox (audience, directives) SELECT $1, $2 FROM generate_series(1, $3::int)', [
    audience,
    directives,
    count,
  ]);

const refusals = async (): Promise<unknown[]> =>
  (await db.query<{ refusal: string | null }>('SELECT refusal FROM edict_outbox ORDER BY id')).rows.map(
    ({ refusal }) => refusal,
  );

/** A relay that records its log. */
function logged(options: Partial<RelayOptions>) {
  const lines: unknown[][] = [];
  const log = (...line: unknown[]): void => void lines.push(line.filter((part) => part !== undefined));
  const relay = createRelay({ db, hub: listeningHub(), pollMs: 60_000, log, ...options });
  onTestFinished(() => relay.close());
  return { relay, lines };
}

describe('D-HUB-11 rows that cannot be delivered', () => {
  it('delay no other audience, however many of them wait', async () => {
    const hub = listeningHub();
    hub.before = (directives) => {
      if (JSON.stringify(directives).includes('refused')) throw new Error('not confirmed');
    };
    await insert('refused', JSON.stringify([refresh('refused')]), 1500);
    for (let team = 0; team < 150; team += 1) await emit('refused', `team-${team}`);
    await emit(1, 'other');
    await expect(relayForTest(db, hub).drain()).rejects.toThrow('not confirmed');
    expect(hub.ids()).toEqual([1]);
  });

  it('do not delay the audience whose row waits longest, and fit into small envelopes', async () => {
    const hub = listeningHub();
    await emit(1, 'waits longest');
    await db.query(
      `INSERT INTO edict_outbox (audience, directives) SELECT 'team-' || n, '[]' FROM generate_series(1, 150) AS n`,
    );
    await insert('large', JSON.stringify([{ ...refresh(2), result: 'x'.repeat(2000) }]), 40);
    await logged({ hub }).relay.drain();
    const audiences = hub.lists.map(({ audience }) => audience);
    expect(audiences.indexOf('waits longest')).toBeLessThan(100);
    expect(hub.ids('large')).toHaveLength(40);
    for (const { directives } of hub.lists) expect(directives.length).toBeLessThan(20);
  });

  it('are delivered in order once the hub accepts their audience', async () => {
    const hub = listeningHub();
    let isAway = true;
    hub.before = () => {
      if (isAway) throw new Error('not confirmed');
    };
    for (const id of [1, 2, 3]) await emit(id, 'a');
    const { lines } = logged({ hub, pollMs: 10 });
    await expect.poll(() => lines.length).toBeGreaterThan(1);
    isAway = false;
    await hub.has(3);
    expect(hub.ids()).toEqual([1, 2, 3]);
    expect(lines[0]).toEqual([
      'warn',
      'Outbox edict_outbox: the hub did not accept the directives for audience "a". The relay tries again.',
      new Error('not confirmed'),
    ]);
  });

  it.each([
    ['no JSON', 'secret', 'The row contains no JSON array.'],
    ['no list', '{"op":"refresh_item"}', 'The row contains no JSON array.'],
    ['null', 'null', 'The row contains no JSON array.'],
    ['a report of a trigger', '{"failure":"Table ticket: no"}', 'Table ticket: no'],
    ['a report that is no text', '{"failure":{"toString":1}}', 'The row contains no JSON array.'],
    ['a wrong directive', '[{"op":"refresh_item"}]', expect.stringContaining('directives[0]')],
    ['a number', '[7]', expect.stringContaining('directives[0]')],
  ])('are set aside and logged if they contain %s', async (_, text, reason) => {
    const hub = listeningHub();
    await emit(1, 'team');
    await insert('team', text);
    await emit(2, 'team');
    const { relay, lines } = logged({ hub });
    expect(await relay.drain()).toBeLessThanOrEqual(3);
    await relay.close();
    expect(hub.ids()).toEqual([1, 2]);
    expect(await refusals()).toEqual([reason]);
    expect(lines).toEqual([
      [
        'error',
        expect.stringMatching(
          /^Outbox edict_outbox: set aside 1 row that cannot be delivered, from id \d+\. /,
        ),
      ],
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('still deliver their other directives', async () => {
    const hub = listeningHub();
    await insert(
      'team',
      `[${JSON.stringify(refresh(1))},{"op":"refresh_item"},${JSON.stringify(refresh(2))}]`,
    );
    const { relay } = logged({ hub });
    await relay.drain();
    expect(hub.ids()).toEqual([1, 2]);
    expect(await refusals()).toEqual([expect.stringContaining('directives[1]')]);
  });

  it('are only those with an invalid directive, not those that are too large as a whole', async () => {
    const hub = listeningHub();
    hub.before = (directives) => {
      if (directives.length > 1) throw new TypeError('too large');
    };
    await insert('team', JSON.stringify([refresh(1), refresh(2)]));
    await logged({ hub }).relay.drain();
    expect([hub.ids(), await refusals()]).toEqual([[1, 2], []]);
  });

  it('lose no directive if the hub goes away while it accepts them one by one', async () => {
    const hub = listeningHub();
    let isAway = true;
    hub.before = (directives) => {
      if (directives.length > 1) throw new TypeError('too large');
      if (isAway && JSON.stringify(directives).includes('"id":2')) throw new Error('not confirmed');
    };
    await insert('team', JSON.stringify([refresh(1), refresh(2), refresh(3)]));
    const { relay } = logged({ hub });
    await expect(relay.drain()).rejects.toThrow('not confirmed');
    isAway = false;
    await relay.drain();
    expect([hub.ids(), await refusals()]).toEqual([[1, 1, 2, 3], []]);
  });

  it('are delivered in few envelopes if only the whole list is too large', async () => {
    const hub = listeningHub();
    let emits = 0;
    hub.before = (directives) => {
      emits += 1;
      if (directives.length > 20) throw new TypeError('too large');
    };
    await insert('team', JSON.stringify([refresh(1)]), 300);
    await logged({ hub }).relay.drain();
    expect(hub.ids()).toHaveLength(300);
    expect(emits).toBeLessThan(120);
  });

  it('share a log line with other rows that have the same reason', async () => {
    await insert('team', 'secret', 3);
    const { relay, lines } = logged({});
    await relay.close();
    expect(lines.map(([, message]) => message)).toEqual([expect.stringMatching(/set aside 3 rows/)]);
  });
});

it.each([{ name: 1 }, { audience: null }, { text: [] }])(
  'a relay refuses an outbox whose columns have other types: %j',
  async (wrong) => {
    const run: Run = async (sql) => {
      if (sql.includes('pg_try_advisory_xact_lock')) return [{ audience: 'a' }];
      return sql.includes('AS name') ? [{ name: '1', audience: 'a', text: '[]', ...wrong }] : [];
    };
    const { relay } = logged({ db: { inTransaction: (work) => work(run) } });
    await expect(relay.drain()).rejects.toThrow(
      '[edict] The columns of the outbox have other types than expected. Restore them, or run migrate on a new table.',
    );
  },
);

describe('D-HUB-11 a relay that lost its lock', () => {
  /** An adapter that suspends its process after a statement of the first pass, until the database has ended the session. */
  function suspending(isSuspendedAfter: (sql: string) => boolean) {
    let isSuspended = false;
    let resume = (): void => {};
    const resumed = new Promise<void>((done) => (resume = done));
    const inTransaction = async (work: (run: Run) => Promise<void>): Promise<void> => {
      if (isSuspended) return;
      await db.exec('BEGIN');
      await work(async (sql, params) => {
        if (isSuspended) throw new Error('The session has ended.');
        const { rows } = await db.query<Record<string, unknown>>(sql, params);
        if (!isSuspendedAfter(sql) || rows.length === 0) return rows;
        isSuspended = true;
        await db.exec('ROLLBACK');
        await resumed;
        return rows;
      });
      if (!isSuspended) await db.exec('COMMIT');
    };
    return { db: { inTransaction }, isSuspended: () => isSuspended, resume };
  }

  it.each([
    ['after it locked the audiences', 'pg_try_advisory_xact_lock', 0],
    ['after it read the rows', 'AS name', 0],
    ['after the database confirmed the lock', 'SELECT 1', 5000],
  ])(
    'emits nothing older than what another relay has emitted since: suspended %s',
    async (_, part, clockMs) => {
      onTestFinished(() => void vi.restoreAllMocks());
      const hub = listeningHub();
      await emit(1, 'a');
      const suspended = suspending((sql) => sql.includes(part));
      const { relay } = logged({ db: suspended.db, hub });
      await expect.poll(suspended.isSuspended).toBe(true);
      const { relay: second } = logged({ hub });
      await second.drain();
      await emit(2, 'a');
      await second.drain();
      const now = Date.now();
      vi.spyOn(Date, 'now').mockImplementation(() => now + clockMs);
      suspended.resume();
      await relay.close();
      expect(hub.ids()).toEqual([1, 2]);
    },
  );
});

describe('D-HUB-8 the metrics of the hub', () => {
  it('contain the number of waiting rows and the age of the oldest one while a relay is attached', async () => {
    const hub = createHub({ log: () => {} });
    onTestFinished(() => hub.close());
    const refusing = { ...hub, emit: () => Promise.reject(new Error('not confirmed')) };
    await db.query(
      `INSERT INTO edict_outbox (audience, directives, created_at) SELECT 'a', '[]', now() - n * interval '1 day' FROM generate_series(1, 3) AS n`,
    );
    await db.query(`INSERT INTO edict_outbox (audience, directives, refusal) VALUES ('a', 'x', 'set aside')`);
    expect(hub.metrics()).not.toHaveProperty('outbox');
    const { relay } = logged({ hub: refusing });
    await expect.poll(() => hub.metrics().outbox?.pending).toBe(3);
    expect(Math.floor((hub.metrics().outbox?.oldestAgeMs ?? 0) / 86_400_000)).toBe(3);
    await relay.close();
    expect(hub.metrics()).not.toHaveProperty('outbox');
  });

  it('contain zeros while no row waits', async () => {
    const hub = createHub({ log: () => {} });
    onTestFinished(() => hub.close());
    await emit(1, 'a');
    const { relay } = logged({ hub });
    await relay.drain();
    expect(hub.metrics().outbox).toEqual({ oldestAgeMs: 0, pending: 0 });
  });
});
it('D-NAME-5 a relay goes on if its async log rejects', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const hub = listeningHub();
  await insert('team', 'no list');
  await emit(1, 'team');
  const { relay } = logged({ hub, log: () => Promise.reject(new Error('the log is away')) as never });
  await relay.drain();
  expect(hub.ids()).toEqual([1]);
});

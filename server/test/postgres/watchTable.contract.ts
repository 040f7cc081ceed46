// The triggers of `watchTable` on every database.

import { beforeEach, describe, expect, it } from 'vitest';
import {
  migrate,
  outbox,
  setClientId,
  watchTable,
  type OutboxTransaction,
  type WatchTableOptions,
} from '../../src/postgres/index.ts';

/** A database under test. */
export interface WatchedDatabase {
  readonly db: OutboxTransaction;
  readonly run: (sql: string) => Promise<readonly unknown[]>;
  readonly transaction: (
    work: (tx: OutboxTransaction, run: (sql: string) => Promise<unknown>) => Promise<void>,
  ) => Promise<unknown>;
}

/** Tickets of teams. */
export const ticketOptions: WatchTableOptions = {
  table: 'ticket',
  type: 'ticket',
  id: 'id',
  collections: [{ name: 'tickets', params: { status: 'status' } }],
  audience: { sql: "'team-' || team" },
  columns: ['title'],
};

export const ticketTable = `CREATE TABLE ticket (id int PRIMARY KEY, team int, title text, status text NOT NULL DEFAULT 'open', note text)`;

interface Sent {
  readonly [audience: string]: unknown;
}

/** Returns the directives that were written to the outbox since the last call, by audience and without keys. */
export async function takeSent(run: WatchedDatabase['run']): Promise<Sent[]> {
  const rows = (await run('SELECT audience, directives FROM edict_outbox ORDER BY id')) as { audience: string; directives: string }[]; // prettier-ignore
  await run('DELETE FROM edict_outbox');
  return rows.map(({ audience, directives }) => {
    const list: unknown = JSON.parse(directives);
    if (!Array.isArray(list)) return { [audience]: list };
    return {
      [audience]: (list as Record<string, unknown>[])
        .map(({ idempotency_key: key, ...directive }) => {
          expect(key).toMatch(/^[0-9a-f]{32}$/);
          return directive;
        })
        .sort((a, b) => String(a['op']).localeCompare(String(b['op'])) || JSON.stringify(a).localeCompare(JSON.stringify(b))), // prettier-ignore
    };
  });
}

const item = (id: number | string, more: object = {}): object => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});
const gone = (id: number | string): object => item(id, { result: null });
const list = (status: unknown): object => ({ op: 'refresh_collection', name: 'tickets', params: { status }, params_mode: 'contains' }); // prettier-ignore
const everyItem = { op: 'invalidate', kind: 'item', name: 'ticket' };
const everyList = { op: 'refresh_collection', name: 'tickets' };

/** Defines the suite. */
export function watchContract(name: string, under: () => WatchedDatabase): void {
  describe(`watchTable over ${name}`, () => {
    let { db, run, transaction } = {} as WatchedDatabase; // Set before each test.
    const sent = (): Promise<Sent[]> => takeSent(run);
    const install = (options: Partial<WatchTableOptions> = {}): Promise<void> =>
      watchTable({ ...ticketOptions, ...options }).install(db);

    beforeEach(async () => {
      ({ db, run, transaction } = under());
      await run('DROP TABLE IF EXISTS edict_outbox');
      await run('DROP TABLE IF EXISTS ticket CASCADE');
      await migrate(db);
      await run(ticketTable);
      await run(`INSERT INTO ticket (id, team, title) VALUES (1, 3, 'a'), (2, 3, 'b'), (3, 4, 'c')`);
    });

    it.each<[string, string, Sent[]]>([
      [
        'an insert',
        `INSERT INTO ticket (id, team, status) VALUES (9, 3, 'new')`,
        [{ 'team-3': [list('new'), item(9)] }],
      ],
      ['an update', `UPDATE ticket SET title = 'x' WHERE id = 1`, [{ 'team-3': [list('open'), item(1)] }]],
      [
        'an update of several rows and audiences, in one row per audience',
        `UPDATE ticket SET title = 'x'`,
        [{ 'team-3': [list('open'), item(1), item(2)] }, { 'team-4': [list('open'), item(3)] }],
      ],
      ['an update of a column that is not watched', `UPDATE ticket SET note = 'x'`, []],
      ['an update that changes no value', `UPDATE ticket SET title = title`, []],
      [
        'an update of a param, in the old and the new list',
        `UPDATE ticket SET status = 'closed' WHERE id = 1`,
        [{ 'team-3': [list('closed'), list('open'), item(1)] }],
      ],
      [
        'an update of the audience, to the old and the new audience',
        `UPDATE ticket SET team = 4 WHERE id = 1`,
        [{ 'team-3': [list('open'), item(1)] }, { 'team-4': [list('open'), item(1)] }],
      ],
      [
        'an update of the id',
        `UPDATE ticket SET id = 9 WHERE id = 1`,
        [{ 'team-3': [list('open'), gone(1), item(9)] }],
      ],
      ['a delete', `DELETE FROM ticket WHERE id = 1`, [{ 'team-3': [list('open'), gone(1)] }]],
      ['a statement that changes no row', `DELETE FROM ticket WHERE id = 99`, []],
      ['a row without an audience', `INSERT INTO ticket (id, team) VALUES (9, NULL)`, []],
      [
        'an upsert',
        `INSERT INTO ticket (id, team, title) VALUES (1, 3, 'x'), (9, 3, 'x') ON CONFLICT (id) DO UPDATE SET title = 'x'`,
        [{ 'team-3': [list('open'), item(1)] }, { 'team-3': [list('open'), item(9)] }],
      ],
      [
        'TRUNCATE',
        `TRUNCATE ticket`,
        [{ 'team-3': [everyItem, everyList] }, { 'team-4': [everyItem, everyList] }],
      ],
      [
        'a statement with more rows than maxItems',
        `INSERT INTO ticket (id, team) SELECT n, n % 2 FROM generate_series(100, 199) AS n`,
        [{ 'team-0': [everyItem, everyList] }, { 'team-1': [everyItem, everyList] }],
      ],
    ])('writes directives for %s', async (_, statement, expected) => {
      await install({ maxItems: 99 });
      await run(statement);
      expect((await sent()).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(
        expected,
      );
    });

    it('writes each row up to maxItems, and "every item" above that, also if only other columns changed', async () => {
      await install({ maxItems: 3 });
      await run(`UPDATE ticket SET title = 'x'`);
      expect(JSON.stringify(await sent())).not.toContain('invalidate');
      await run(`INSERT INTO ticket (id, team) VALUES (4, 4)`);
      await sent();
      await run(`UPDATE ticket SET note = 'x'`);
      expect(await sent()).toEqual([]);
      await run(`UPDATE ticket SET title = 'y' WHERE true`);
      expect(await sent()).toHaveLength(2);
    });

    it('accepts other values for every option', async () => {
      await run(
        `ALTER TABLE ticket ADD kind text NOT NULL DEFAULT 'bug', ADD "Big Id" bigint NOT NULL DEFAULT 9007199254740993`,
      );
      await install({
        type: { column: 'kind' },
        id: { column: 'Big Id' },
        collections: [
          'all',
          { kind: 'collection', name: 'defined' },
          { name: { sql: `kind || 's'` }, params: { page: { sql: '1' } }, mode: 'exact' },
        ],
        audience: ['global', { column: 'note' }],
        name: 'other',
      });
      await run(`UPDATE ticket SET title = 'x', note = 'ann' WHERE id = 1`);
      const directives = [
        { op: 'refresh_collection', name: 'all' },
        { op: 'refresh_collection', name: 'bugs', params: { page: 1 } },
        { op: 'refresh_collection', name: 'defined' },
        { op: 'refresh_item', name: 'bug', id: '9007199254740993' },
      ];
      expect(await sent()).toEqual([{ ann: directives }, { global: directives }]);
    });

    it.each<[string, unknown]>([
      ['9007199254740991::bigint', 9007199254740991],
      ['(-9007199254740992)::bigint', '-9007199254740992'],
      ['1234567890123456789::bigint', '1234567890123456789'],
      ['12345678901234567890.5::numeric', '12345678901234567890.5'],
      ['1.5::numeric', 1.5],
      ['0.1234567890123456::float8', 0.1234567890123456],
      ['true', true],
      ['NULL::bigint', null],
    ])('sends a param of %s as a value that JavaScript reads exactly', async (param, status) => {
      await install({ collections: [{ name: 'tickets', params: { status: { sql: param } } }] });
      await run(`UPDATE ticket SET title = 'x' WHERE id = 1`);
      expect(await sent()).toEqual([{ 'team-3': [list(status), item(1)] }]);
    });

    it('accepts expressions that name the table', async () => {
      await install({
        id: { sql: 'ticket.id' },
        collections: [{ name: 'tickets', params: { status: { sql: `to_jsonb(ticket) ->> 'status'` } } }],
        audience: { sql: `'team-' || ticket.team` },
        maxItems: 1,
      });
      await run(`UPDATE ticket SET title = 'x' WHERE id = 1`);
      await run(`UPDATE ticket SET title = 'y' WHERE team = 3`);
      await run('DELETE FROM ticket WHERE team = 3');
      await run('TRUNCATE ticket');
      expect(await sent()).toEqual([
        { 'team-3': [list('open'), item(1)] },
        { 'team-3': [everyItem, everyList] },
        { 'team-3': [everyItem, everyList] },
        { 'team-4': [everyItem, everyList] },
      ]);
    });

    it('accepts names that the trigger uses itself', async () => {
      const [type, audience] = ['edict_statement', 'edict_source'];
      await install({ type, audience, collections: [] });
      await run('TRUNCATE ticket');
      expect(await sent()).toEqual([{ [audience]: [{ ...everyItem, name: type }] }]);
    });

    it('accepts plain strings as expressions, for an id and for params', async () => {
      await install({
        type: 'counts',
        id: { sql: "'desk'" },
        collections: [{ name: 'tickets', params: { status: { sql: "'all'" } } }],
      });
      await run(`UPDATE ticket SET title = 'x' WHERE id = 1`);
      const counts = { op: 'refresh_item', name: 'counts', id: 'desk' };
      expect(await sent()).toEqual([{ 'team-3': [list('all'), counts] }]);
    });

    it('refetches the item when a row that is part of it is deleted', async () => {
      await run('CREATE TABLE comment (id serial PRIMARY KEY, ticket int NOT NULL)');
      const comments = watchTable({ table: 'comment', type: 'ticket', id: 'ticket', onDelete: 'refresh' });
      await comments.install(db);
      await run('INSERT INTO comment (ticket) VALUES (1), (1), (2)');
      await sent();
      await run('DELETE FROM comment WHERE ticket = 1');
      expect(await sent()).toEqual([{ global: [item(1)] }]);
      await run('DROP TABLE comment');
    });

    it('gives the directives of one change the same key for each audience, and another key for each statement', async () => {
      await install({ audience: ['a', 'b'], collections: [] });
      await run(`UPDATE ticket SET title = 'x' WHERE id = 1`);
      await run(`UPDATE ticket SET title = 'y' WHERE id = 1`);
      const rows = (await run('SELECT directives FROM edict_outbox ORDER BY id')) as { directives: string }[];
      const keys = rows.map(({ directives }) => (JSON.parse(directives) as { idempotency_key: string }[])[0]?.idempotency_key); // prettier-ignore
      expect(new Set(keys).size).toBe(2);
      expect(keys[0]).toBe(keys[1]);
    });

    it('replaces a list that is too long for an envelope', async () => {
      await run('ALTER TABLE ticket ALTER id TYPE text');
      await install({ id: 'id' });
      await run(
        `INSERT INTO ticket (id, team) SELECT repeat('x', 1000) || n, 3 FROM generate_series(1, 60) AS n`,
      );
      expect(await sent()).toEqual([{ 'team-3': [everyItem, everyList] }]);
    });

    it('reaches the other audiences of a row whose own audience is too long for a name', async () => {
      await install({ audience: ['agents', { column: 'note' }] });
      const random = `(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 200) AS n)`;
      await run(`UPDATE ticket SET title = 'x', note = ${random} WHERE id = 1`);
      expect((await sent())[0]).toEqual({ agents: [list('open'), item(1)] });
    });

    it('names the client of the transaction as source, and returns the directives of the transaction', async () => {
      await install();
      let directives: unknown[] = [];
      await transaction(async (tx, runIn) => {
        expect(await outbox(tx).directives()).toEqual([]);
        await setClientId(tx, 'client-1');
        await runIn(`UPDATE ticket SET title = 'x' WHERE id = 1`);
        await outbox(tx).emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
        directives = await outbox(tx).directives();
      });
      expect(directives).toMatchObject([
        {
          op: 'refresh_collection',
          audience: 'team-3',
          source: 'client-1',
          idempotency_key: expect.any(String),
        },
        {
          op: 'refresh_item',
          id: 1,
          audience: 'team-3',
          source: 'client-1',
          idempotency_key: expect.any(String),
        },
        { op: 'refresh_item', id: 7, audience: 'global' },
      ]);
      const rows = (await run('SELECT audience, directives FROM edict_outbox ORDER BY id')) as { audience: string; directives: string }[]; // prettier-ignore
      const written = rows.flatMap(({ audience, directives: text }) => (JSON.parse(text) as object[]).map((directive) => ({ ...directive, audience }))); // prettier-ignore
      expect(directives).toEqual(written);
      await run('DELETE FROM edict_outbox');
      await run(`UPDATE ticket SET title = 'y' WHERE id = 1`);
      expect(JSON.stringify(await sent())).not.toContain('client-1');
    });

    it('writes nothing for a transaction that is rolled back', async () => {
      await install();
      await expect(
        transaction(async (_, runIn) => {
          await runIn(`UPDATE ticket SET title = 'x'`);
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await sent()).toEqual([]);
    });

    it('can be installed and removed repeatedly, also with other options', async () => {
      const watch = watchTable(ticketOptions);
      await watch.install(db);
      await watch.install(db);
      await install({ audience: 'global', collections: [] });
      await run(`UPDATE ticket SET title = 'x' WHERE id = 1`);
      expect(await sent()).toEqual([{ global: [item(1)] }]);
      await watch.remove(db);
      await watch.remove(db);
      await run(`UPDATE ticket SET title = 'y' WHERE id = 1`);
      expect(await sent()).toEqual([]);
      await watch.install(db);
      await run('ALTER TABLE ticket RENAME TO ticket_2');
      await watch.remove(db);
      await run(`UPDATE ticket_2 SET title = 'z' WHERE id = 1`);
      expect(await sent()).toEqual([]);
      await run('ALTER TABLE ticket_2 RENAME TO ticket');
      await watch.install(db);
      await run('DROP TABLE ticket');
      await watch.remove(db);
    });

    it('lets the statement pass and reports the failure when the table has changed, and works after another install', async () => {
      await install({ audience: 'global' });
      await run('ALTER TABLE ticket RENAME title TO subject');
      await run(`UPDATE ticket SET subject = 'x' WHERE id = 1`);
      expect(await run('SELECT subject FROM ticket WHERE id = 1')).toEqual([{ subject: 'x' }]);
      const failure = expect.stringContaining('The trigger on table "ticket" (watch "ticket") could not write its directives: column "title" does not exist. Run install of its watchTable again.'); // prettier-ignore
      expect(await sent()).toEqual([{ global: { failure } }, { global: [everyItem, everyList] }]);
      await run('ALTER TABLE ticket ADD more text, DROP note');
      await install({ columns: ['subject'] });
      await run(`UPDATE ticket SET subject = 'y' WHERE id = 1`);
      expect(await sent()).toEqual([{ 'team-3': [list('open'), item(1)] }]);
    });

    it.each<[string, Partial<WatchTableOptions>, string]>([
      [
        'an expression fails for a row',
        { audience: { sql: `'team-' || 1 / team` } },
        'error 22012. If an expression of the watch fails for a row, correct it.',
      ],
      [
        'an id is null',
        { id: { sql: 'nullif(id, 9)' } },
        'the id or the type of a row is null. Use columns or expressions that are never null.',
      ],
    ])(
      'reports a failure without the data of the row, and lets the statement pass: %s',
      async (_, options, reason) => {
        await install(options);
        await run(`INSERT INTO ticket (id, team, title) VALUES (9, 0, 'secret')`);
        expect(await sent()).toEqual([{ global: { failure: expect.stringContaining(reason) } }]);
      },
    );

    it('lets the statement pass without an outbox', async () => {
      await install();
      await run('DROP TABLE edict_outbox');
      await run(`UPDATE ticket SET title = 'x' WHERE id = 1`);
      expect(await run('SELECT title FROM ticket WHERE id = 1')).toEqual([{ title: 'x' }]);
    });

    it.each<[string, Partial<WatchTableOptions>, RegExp]>([
      ['no table', { table: 'nothing' }, /table "nothing": the table does not exist\. Create it/],
      [
        'no outbox',
        { outbox: 'nowhere' },
        /table "ticket": the outbox nowhere does not exist\. Call migrate/,
      ],
      ['the outbox as the table', { table: 'edict_outbox' }, /table "edict_outbox": this is the outbox/],
      ['a view', { table: 'ticket_view' }, /table "ticket_view": this is no table/],
      ['no id column', { id: 'nr' }, /table "ticket": there is no column "nr", which the option "id" names/],
      [
        'no watched column',
        { columns: ['titel'] },
        /there is no column "titel", which the option "columns\[0\]" names/,
      ],
      ['no column of params', { collections: [{ name: 'x', params: { a: 'b%' } }] }, /no column "b%", which the option "collections\[0\]\.params\.a" names/], // prettier-ignore
      [
        'an audience with the name of a column',
        { audience: ['global', 'team'] },
        /"team" in the option "audience\[1\]" is the name of an audience, but also a column\. Write \{ column: "team" \}/,
      ],
      [
        'an id that may be null',
        { id: 'team' },
        /table "ticket": the column "team" can be null, so it cannot be the id/,
      ],
      [
        'an expression of the id that is null',
        { id: { sql: 'nullif(id, 1)' } },
        /expression of "id" is null for some rows/,
      ],
      ['an expression with an error', { audience: { sql: 'team +' } }, /table "ticket": the SQL expression of "audience" does not compile: syntax error/], // prettier-ignore
      ['an expression with an unknown column', { type: { sql: 'kind' } }, /expression of "type" does not compile: column "kind" does not exist/], // prettier-ignore
      ['a system column, which the rows of a trigger do not have', { audience: { sql: 'tableoid::text' } }, /expression of "audience" does not compile: column "tableoid" does not exist/], // prettier-ignore
      ['a column with the schema of the table', { audience: { sql: 'public.ticket.note' } }, /expression of "audience" does not compile: invalid reference to FROM-clause entry/], // prettier-ignore
      ['an expression of the id with an error', { id: { sql: 'id ||' } }, /expression of "id" does not compile: syntax error/], // prettier-ignore
      ['an expression of the id that fails for a row', { id: { sql: '9 / (id - 1)' } }, /expression of "id" fails for some rows: error 22012/], // prettier-ignore
      [
        'an aggregate',
        { audience: { sql: 'max(team)' } },
        /does not compile: aggregate functions are not allowed/,
      ],
    ])('refuses to install with %s', async (_, options, message) => {
      await run('CREATE OR REPLACE VIEW ticket_view AS SELECT * FROM ticket');
      await expect(install(options)).rejects.toThrow(message);
      await expect(install(options)).rejects.toThrow(/^\[edict\] watchTable: table /);
    });
  });
}

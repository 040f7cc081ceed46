// `watchTable` on PGlite, through the migrators, and its options.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate as migrateDrizzle } from 'drizzle-orm/pglite/migrator';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import {
  migrate,
  migrationSql,
  setClientId,
  watchTable,
  type WatchTableOptions,
} from '../../src/postgres/index.ts';
import { emptyDatabase } from '../support/emptyDatabase.ts';
import { takeSent, ticketOptions, ticketTable, watchContract } from './watchTable.contract.ts';

let db: PGlite;
beforeAll(async () => {
  db = await emptyDatabase();
});

const run = async (sql: string): Promise<readonly unknown[]> => (await db.query(sql)).rows;

watchContract('PGlite', () => ({
  db,
  run,
  transaction: (work) => db.transaction((tx) => work(tx, (sql) => tx.query(sql))),
}));

watchContract('Drizzle with PGlite', () => {
  const orm = drizzle(db);
  return {
    db: orm,
    run,
    transaction: (work) => orm.transaction((tx) => work(tx, (sql) => tx.execute(sql))),
  };
});

/** A database with the watched table only. */
async function freshDatabase(): Promise<PGlite> {
  const fresh = await emptyDatabase();
  await fresh.exec(ticketTable);
  return fresh;
}

it.each(['plain SQL', 'the migrator of Drizzle'])('a migration works with %s', async (tool) => {
  const fresh = await freshDatabase();
  const sql = migrationSql([watchTable(ticketOptions)]);
  if (tool === 'plain SQL') await fresh.exec(sql);
  else {
    const folder = mkdtempSync(join(tmpdir(), 'edict-migration-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'meta'));
    writeFileSync(join(folder, '0000_edict.sql'), sql);
    const entry = { idx: 0, version: '7', when: 1, tag: '0000_edict', breakpoints: true };
    const journal = { version: '7', dialect: 'postgresql', entries: [entry] };
    writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal));
    await migrateDrizzle(drizzle(fresh), { migrationsFolder: folder });
  }
  await fresh.query(`INSERT INTO ticket (id, team) VALUES (1, 3)`);
  expect(await takeSent(async (text) => (await fresh.query(text)).rows)).toHaveLength(1);
});

/** The directives that a statement sends. */
async function sentBy(fresh: PGlite, statement: string): Promise<unknown[]> {
  await fresh.query(statement);
  return takeSent(async (text) => (await fresh.query(text)).rows);
}

/** The names of the items that an insert sends. */
async function namesSent(fresh: PGlite, statement: string): Promise<unknown[]> {
  const sent = (await sentBy(fresh, statement)) as object[];
  return sent.flatMap((row) => Object.values(row).flat() as { name: string }[]).map(({ name }) => name).sort(); // prettier-ignore
}

const insert = 'INSERT INTO ticket (id, team) VALUES (1, 3)';

it.each<[WatchTableOptions['type'], WatchTableOptions['type'], string[]]>([
  ['Ticket', 'ticket', ['Ticket', 'ticket']],
  ['a.b', 'a_b', ['a.b', 'a_b']],
  ['größe', 'grüße', ['größe', 'grüße']],
  [`${'a'.repeat(30)}1`, `${'a'.repeat(30)}2`, [`${'a'.repeat(30)}1`, `${'a'.repeat(30)}2`]],
  [{ column: 'status' }, { sql: `status || '2'` }, ['open', 'open2']],
])('two watches of one table with the types %j and %j both send', async (first, second, expected) => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  for (const type of [first, second]) await watchTable({ table: 'ticket', type, id: 'id' }).install(fresh);
  expect(await namesSent(fresh, insert)).toEqual(expected);
});

it('writes to another outbox after it is installed with that outbox', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await migrate(fresh, { table: 'other' });
  const options = { table: 'ticket', type: 'ticket', id: 'id' };
  await watchTable(options).install(fresh);
  await watchTable({ ...options, outbox: 'other' }).install(fresh);
  await fresh.query(insert);
  expect((await fresh.query('SELECT audience FROM other')).rows).toEqual([{ audience: 'global' }]);
});

it('refuses to replace the function of the watch of another table', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await fresh.query('CREATE TABLE ticket_note (id int PRIMARY KEY)');
  await watchTable({ table: 'ticket_note', type: 'text', id: 'id' }).install(fresh);
  await expect(watchTable({ table: 'ticket', type: 'note_text', id: 'id' }).install(fresh)).rejects.toThrow(
    '[edict] watchTable: table "ticket": the watch of another table has a function of this name. Pass another "name".',
  );
});

it('finds functions in the schema of the table, as its trigger does, and refuses others', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await fresh.exec(`DROP SCHEMA IF EXISTS app CASCADE; CREATE SCHEMA app; CREATE TABLE app.note (id int PRIMARY KEY);
    CREATE FUNCTION app.near(int) RETURNS text LANGUAGE sql AS $$ SELECT 'n' || $1 $$;
    CREATE FUNCTION far(int) RETURNS text LANGUAGE sql AS $$ SELECT 'f' || $1 $$;`);
  const options = { table: 'app.note', type: 'note' };
  await fresh.transaction(async (tx) => {
    await watchTable({ ...options, id: { sql: 'near(id)' } }).install(tx);
    const { rows } = await tx.query('SHOW search_path');
    expect(rows).toEqual([{ search_path: 'public' }]);
  });
  expect(await namesSent(fresh, 'INSERT INTO app.note VALUES (1)')).toEqual(['note']);
  await expect(watchTable({ ...options, id: { sql: 'far(id)' } }).install(fresh)).rejects.toThrow(
    'the SQL expression of "id" does not compile: function far(integer) does not exist. Correct it. Names outside of pg_catalog and of the schema of the table need their schema.',
  );
  await watchTable({ ...options, id: { sql: 'public.far(id)' } }).install(fresh);
  await fresh.exec('DROP SCHEMA app CASCADE');
});

const everyItem = { op: 'invalidate', kind: 'item', name: 'ticket' };

it('sends an update of many rows to the old and the new audience', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  const options = { table: 'ticket', type: 'ticket', id: 'id', audience: { sql: "'team-' || team" }, maxItems: 1 }; // prettier-ignore
  await watchTable(options).install(fresh);
  await fresh.query('INSERT INTO ticket (id, team) VALUES (1, 3), (2, 3)');
  await fresh.query('DELETE FROM edict_outbox');
  const sent = await sentBy(fresh, 'UPDATE ticket SET team = 4');
  expect(sent).toHaveLength(2);
  expect(sent).toEqual(expect.arrayContaining([{ 'team-3': [everyItem] }, { 'team-4': [everyItem] }]));
});

it('sends an update of many rows of which only the last one changed', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await watchTable({ table: 'ticket', type: 'ticket', id: 'id', columns: ['title'], maxItems: 5 }).install(fresh); // prettier-ignore
  await fresh.query(`INSERT INTO ticket (id, title) SELECT n, 'a' FROM generate_series(1, 50) AS n`);
  await fresh.query('DELETE FROM edict_outbox');
  expect(await sentBy(fresh, 'UPDATE ticket SET title = title')).toEqual([]);
  const update = `UPDATE ticket SET title = CASE id WHEN 50 THEN 'b' ELSE title END`;
  expect(await sentBy(fresh, update)).toEqual([{ global: [everyItem] }]);
});

it('removes the item of the old type when the type of a row changes', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await watchTable({ table: 'ticket', type: { column: 'status' }, id: 'id' }).install(fresh);
  await fresh.query(insert);
  await fresh.query('DELETE FROM edict_outbox');
  const item = { op: 'refresh_item', id: 1 };
  expect(await sentBy(fresh, `UPDATE ticket SET status = 'closed'`)).toEqual([
    {
      global: [
        { ...item, name: 'closed' },
        { ...item, name: 'open', result: null },
      ],
    },
  ]);
});

it('sends no collection whose name is null, and reports a type that is null', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  const collections = [{ name: { column: 'note' } }];
  await watchTable({ table: 'ticket', type: 'ticket', id: 'id', collections }).install(fresh);
  expect(await namesSent(fresh, insert)).toEqual(['ticket']);
  expect(await namesSent(fresh, 'TRUNCATE ticket')).toEqual(['ticket']);
  await watchTable({ table: 'ticket', type: { column: 'note' }, id: 'id', name: 'ticket' }).install(fresh);
  expect(JSON.stringify(await sentBy(fresh, insert))).toContain('the id or the type of a row is null');
});

it('reports no id that is null for a row whose audience is null', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await fresh.exec('CREATE TABLE comment (ticket int NOT NULL REFERENCES ticket ON DELETE CASCADE)');
  const ofTicket = (column: string) => ({ sql: `(SELECT ${column} FROM ticket WHERE ticket.id = ticket)` });
  const teams = { table: 'comment', type: 'team', id: ofTicket('team'), onDelete: 'refresh' } as const;
  await watchTable({ ...teams, audience: ofTicket("'team-' || team") }).install(fresh);
  await fresh.exec(insert);
  expect(await namesSent(fresh, 'INSERT INTO comment VALUES (1)')).toEqual(['team']);
  expect(await sentBy(fresh, 'DELETE FROM ticket')).toEqual([]);
});

it('accepts an expression that ends with a comment', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  await watchTable({ table: 'ticket', type: 'ticket', id: { sql: 'id -- the key' } }).install(fresh);
  expect(await namesSent(fresh, insert)).toEqual(['ticket']);
});

it('watches tables whose names are too long for the name of a function, and leaves nothing after it was removed', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  const tables = ['x', 'y'].map((end) => `${'ticket_of_a_customer_'.repeat(2)}in_a_region_${end}`);
  const watches = tables.map((table) => watchTable({ table, type: 'a'.repeat(20), id: 'id' }));
  for (const [index, table] of tables.entries()) {
    await fresh.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (id int PRIMARY KEY)`);
    await watches[index]?.install(fresh);
  }
  for (const table of tables)
    expect(await namesSent(fresh, `INSERT INTO ${table} VALUES (1)`)).toEqual(['a'.repeat(20)]);
  const functions = async (): Promise<unknown[]> =>
    (await fresh.query(`SELECT proname FROM pg_proc WHERE proname LIKE 'edict_watch%'`)).rows;
  expect(await functions()).toHaveLength(2);
  for (const watch of watches) await watch.remove(fresh);
  expect(await functions()).toEqual([]);
  for (const table of tables) await fresh.query(`DROP TABLE ${table}`);
});

it('sends any number of collections, with up to 50 params', async () => {
  const fresh = await freshDatabase();
  await migrate(fresh);
  const params = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, 'id']));
  const collections = Array.from({ length: 101 }, (_, n) => ({ name: `list${n}`, params }));
  await watchTable({ table: 'ticket', type: 'ticket', id: 'id', collections }).install(fresh);
  expect(await namesSent(fresh, insert)).toHaveLength(102);
  expect(await namesSent(fresh, 'TRUNCATE ticket')).toHaveLength(102);
});

it('prints the SQL without a database', () => {
  expect(migrationSql([], { table: 'app.changes' })).toContain('CREATE TABLE IF NOT EXISTS app.changes');
  expect(() => migrationSql(watchTable(ticketOptions) as never)).toThrow(
    'migrationSql: watches must be a list',
  );
  for (const [watch, shown] of [
    [5, '5'],
    [{}, 'an object'],
    [undefined, 'undefined'],
  ] as const)
    // prettier-ignore
    expect(() => migrationSql([watch] as never)).toThrow(
      `migrationSql: watches[0] must be what watchTable returns, not ${shown}.`,
    );
  const { sql, removeSql } = watchTable(ticketOptions);
  expect(sql).toContain('CREATE TRIGGER');
  expect(removeSql).toContain('DROP TRIGGER');
});

it.each<[Record<string, unknown>, RegExp]>([
  [{ table: '' }, /watchTable: table must be the name of a table/],
  [{ table: 'a.b.c' }, /watchTable: table/],
  [{ id: undefined }, /watchTable: id must be a column name, \{ column \} or \{ sql \}, not undefined/],
  [{ type: 7 }, /watchTable: type must be a name, \{ column \} or \{ sql \}, not 7/],
  [{ type: { kind: 'collection', name: 'tickets' } }, /type must be an item type, but "tickets" is not/],
  [{ audience: [] }, /watchTable: audience/],
  [{ audience: [''] }, /watchTable: audience\[0\]/],
  [{ audience: 'team\n7' }, /watchTable: audience must be 1 to 128 characters without control characters/],
  [{ audience: null }, /watchTable: audience must be a name, \{ column \} or \{ sql \}, not null/],
  [{ collections: null }, /watchTable: collections must be an array, not null/],
  [{ columns: 'title' }, /watchTable: columns must be an array/],
  [{ collections: [{ name: 'x', parms: {} }] }, /collections\[0\]\.parms is not an option/],
  [{ collections: [{ name: 'x', mode: 'some' }] }, /collections\[0\]\.mode/],
  [
    {
      collections: [
        { name: 'x', params: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`p${n}`, 'id'])) },
      ],
    },
    /collections\[0\]\.params must not have more than 50 members/,
  ],
  [{ onDelete: 'keep' }, /watchTable: onDelete/],
  [{ maxItems: 0 }, /watchTable: maxItems/],
  [{ name: 'A b' }, /watchTable: name/],
  [{ audience: { sql: '$edict_body$' } }, /watchTable: audience must not contain "\$edict" or "@edict"/],
  [{ collections: ['$x$edict$'] }, /collections\[0\] must not contain "\$edict"/],
  [{ id: '$edict_body$' }, /watchTable: id must not contain "\$edict"/],
  [{ collections: [{ name: 'x', params: { '@edict_outbox@': 'id' } }] }, /params must not contain "\$edict"/],
  [{ columns: [5] }, /watchTable: columns\[0\] must be the name of a column, not 5/],
  [{ columns: [{ sql: 'id' }] }, /watchTable: columns\[0\] must be the name of a column, not an object/],
  [{ id: { sql: 5 } }, /watchTable: id\.sql must be a string, not 5/],
  [
    { id: { column: 'id', sql: 'id' } },
    /watchTable: id must be a column name, \{ column \} or \{ sql \}, not an object/,
  ],
  [{ columsn: [] }, /columsn is not an option/],
])('names the wrong option: %j', (options, message) => {
  const wrong = { ...ticketOptions, ...options } as WatchTableOptions;
  expect(() => watchTable(wrong)).toThrow(TypeError);
  expect(() => watchTable(wrong)).toThrow(message);
});

it.each<[Partial<WatchTableOptions>, string]>([
  [{ type: 'tickets' }, 'type is "tickets", which is not registered. Registered names: ticket.'],
  [{ type: 'tiket' }, 'type is "tiket", which is not registered. Registered names: ticket.'],
  [
    { collections: ['tikets'] },
    'collections[0] is "tikets", which is not registered. Registered names: tickets.',
  ],
])('refuses names that are not registered: %j', (options, message) => {
  const register = [{ kind: 'item', name: 'ticket' }, { kind: 'collection', name: 'tickets' }] as const; // prettier-ignore
  expect(() => watchTable({ ...ticketOptions, register })).not.toThrow();
  expect(() => watchTable({ ...ticketOptions, ...options, register })).toThrow(message);
});

it('setClientId rejects an invalid client id', async () => {
  await expect(setClientId(db, '')).rejects.toThrow(/setClientId: clientId must be null or a string/);
  await expect(setClientId(db, null)).resolves.toBeUndefined();
  await expect(setClientId(db, 'a\nb')).rejects.toThrow(/setClientId: clientId/);
});

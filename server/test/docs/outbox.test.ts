// docs/guides/outbox.md: its block as it stands, with a real PostgreSQL in this process.

import type { Directive } from '@edict/core';
import { PGlite } from '@electric-sql/pglite';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Hub } from '../../src/index.ts';
import type { Relay } from '../../src/postgres/index.ts';
import { openPage } from '../support/pages.ts';
import { serveHub, subscribe } from '../support/servers.ts';

const guide = 'docs/guides/outbox.md';

/** What desk.ts exports. */
interface Desk {
  readonly startRelay: (db: PGlite, hub: Hub) => Promise<Relay>;
  readonly closeTicket: (db: PGlite, id: number, source: string | null) => Promise<Directive[]>;
}

it('“Directives in your transaction”: between the two steps of the plain way nobody has been told', async () => {
  const { closeTicket } = await openPage(guide).run<{ closeTicket: (hub: Hub, id: number) => Promise<void> }>(
    'declare const tickets',
  );
  const done: unknown[] = [];
  const emit: Hub['emit'] = async (directives) => {
    done.push(directives);
    return [];
  };
  vi.stubGlobal('tickets', { close: async (id: number) => void done.push(`committed ${id}`) });
  onTestFinished(() => void vi.unstubAllGlobals());
  await closeTicket({ emit } as Hub, 7); // It asks nothing else of a hub.
  expect(done).toEqual(['committed 7', [{ op: 'refresh_item', name: 'ticket', id: 7 }]]);
});

it(
  '“Directives in your transaction”: what is committed goes out with the keys of the answer, what is rolled back does not',
  { timeout: 60_000 },
  async () => {
    const { startRelay, closeTicket } = await openPage(guide).run<Desk>('desk.ts');
    const db = await PGlite.create();
    onTestFinished(() => db.close());
    await db.exec("CREATE TABLE ticket (id int PRIMARY KEY, status text CHECK (id <> 8 OR status = 'open'))");
    await db.exec("INSERT INTO ticket VALUES (7, 'open'), (8, 'open')");
    const { hub, url } = await serveHub({ authorize: () => true });
    const relay = await startRelay(db, hub);
    onTestFinished(() => relay.close());
    const stream = await subscribe(url, '?client_id=b&audience=team-3');
    await stream.atLeast(1);

    await expect(closeTicket(db, 8, 'a')).rejects.toThrow();
    const directives = await closeTicket(db, 7, 'a');
    expect(directives).toMatchObject([
      { op: 'refresh_item', id: 7, audience: 'team-3', source: 'a' },
      { op: 'refresh_collection', name: 'tickets', audience: 'team-3', source: 'a' },
    ]);
    const [, pushed] = await stream.atLeast(2);
    expect(pushed?.envelope?.directives).toMatchObject(directives);
    expect(
      directives.every(({ idempotency_key: key, seq }) => typeof key === 'string' && seq === undefined),
    ).toBe(true);
    expect((await db.query('SELECT status FROM ticket WHERE id = 7')).rows).toEqual([{ status: 'closed' }]);
  },
);

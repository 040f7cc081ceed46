// Checks that the named files of docs/guides/nextjs.md are those of the example, which next/test runs with the real Next.js.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { refreshItem } from '@edict/core/protocol';
import type { ActionResponse, Live } from '@edict/next/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { outbox, type PrismaTransaction } from '../../src/postgres/index.ts';
import { emptyDatabase } from '../support/emptyDatabase.ts';
import { blocksOf, openPage } from '../support/pages.ts';

const guide = 'docs/guides/nextjs.md';
const example = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../examples/next-app-router/${path}`, import.meta.url)), 'utf8');

vi.mock('next/headers', () => ({ cookies: async () => ({ get: () => ({ value: session }) }) }));
vi.mock('next/server.js', () => ({ connection: async () => {} }));
let session = '';

/** The hub outlives a module, so a test begins without that of another one. */
function closeHub(): void {
  const key = Symbol.for('@edict/next/hub/default');
  onTestFinished(async () => {
    await (Reflect.get(globalThis, key) as Hub | undefined)?.close();
    Reflect.deleteProperty(globalThis, key);
  });
}

/** The blocks for other applications. */
const others = ['lib/live.redis.ts', 'lib/live.users.ts', 'lib/inTransaction.ts', 'instrumentation.ts'];
const files = blocksOf(guide).filter(({ name }) => name !== null && !others.includes(name));

it.each(files.map(({ name, code }) => [name ?? '', code] as const))(
  'shows %s of the example',
  (name, code) => {
    expect(code).toBe(`// ${name}\n${example(name)}`);
  },
);

it('needs at most 25 lines besides data, pages, and actions', () => {
  const glue = ['lib/live.ts', 'app/api/events/route.ts', 'app/live.tsx'].map(example).join('');
  const lines = glue.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('/**'));
  expect(lines.length).toBeLessThanOrEqual(25);
});

it('reads the database with Redis too', () => {
  const withRedis = blocksOf(guide).find(({ name }) => name === 'lib/live.redis.ts')?.code;
  const [sources = ''] = /^ {2}sources:.*/m.exec(example('lib/live.ts')) ?? [];
  expect(sources).not.toBe('');
  expect(withRedis).toContain(sources);
});

it('creates a hub with Redis when the hub is first used, not when a build loads the module', async () => {
  const { live } = await openPage(guide).run<{ live: { prefetch: unknown } }>('lib/live.redis.ts');
  expect(live.prefetch).toBeTypeOf('function');
  expect(Reflect.get(globalThis, Symbol.for('@edict/next/hub/default'))).toBeUndefined();
});

it('admits a user to the audiences of the pages, and nobody else', async () => {
  const { live } = await openPage(guide).run<{ live: Live }>('lib/live.users.ts');
  closeHub();
  const users: Record<string, unknown> = { ann: { id: 3, teamIds: [7] } };
  vi.stubGlobal('userOf', async (name: string) => users[name] ?? null);
  onTestFinished(() => void vi.unstubAllGlobals());
  const open = async (query: string): Promise<number> => {
    const { status, body } = await live.GET(new Request(`http://localhost/api/events?client_id=a&${query}`));
    await body?.cancel();
    return status;
  };
  session = 'ann';
  const { audience = [], cursors } = await live.prefetch();
  expect(audience).toEqual(['user-3', 'team-7']);
  expect(cursors).toHaveLength(2);
  expect(await open('audience=user-3&audience=team-7')).toBe(200);
  expect(await open('audience=team-8')).toBe(403);
  session = 'bob';
  expect(await live.prefetch()).toMatchObject({ audience: [], cursors: [] });
  expect(await open('audience=team-7')).toBe(401);
});

it('delivers what a transaction of an action has written, and returns it in the response', async () => {
  const page = openPage(guide);
  const { register } = await page.run<{ register: () => Promise<void> }>('instrumentation.ts');
  const { inTransaction } = await page.run<{
    inTransaction: <R>(
      prisma: unknown,
      work: (tx: PrismaTransaction) => Promise<R>,
    ) => Promise<ActionResponse<R>>;
  }>('lib/inTransaction.ts');
  const { live } = await page.run<{ live: Live }>('lib/live.ts');
  closeHub();
  const db = await emptyDatabase();
  vi.stubGlobal('pool', db); // The relay uses either.
  vi.stubEnv('NEXT_RUNTIME', 'nodejs');
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });
  const emit = vi.spyOn(live.hub, 'emit');
  const before = process.listeners('SIGTERM');
  await register();
  const [end] = process.listeners('SIGTERM').filter((listener) => !before.includes(listener));
  const prisma = {
    $transaction: <R>(work: (tx: PrismaTransaction) => Promise<R>) =>
      db.transaction((tx) =>
        work({ $queryRawUnsafe: async (sql, ...params) => (await tx.query(sql, params)).rows }),
      ),
  };
  const { result, directives } = await inTransaction(prisma, async (tx) => {
    await outbox(tx).emit([refreshItem('ticket', 7)]);
    return 'solved';
  });
  expect(result).toBe('solved');
  expect(directives).toMatchObject([{ op: 'refresh_item', name: 'ticket', id: 7, audience: 'global' }]);
  await expect.poll(() => emit.mock.calls.flatMap(([list]) => list)).toEqual(directives);
  end?.('SIGTERM');
  await expect.poll(() => live.hub.cursor().catch(String)).toMatch('the hub is closed');
});

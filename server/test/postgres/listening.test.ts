import { expect, it } from 'vitest';
import type { Database } from '../../src/postgres/database.ts';
import { createListening } from '../../src/postgres/listening.ts';

it('logs once that a connection was lost while it opened, and opens another one', async () => {
  const lines: string[] = [];
  let opened = 0;
  const database: Database = {
    inTransaction: async () => {},
    async listen(_, __, onLost) {
      opened += 1;
      if (opened > 1) return () => {};
      onLost();
      throw new Error('Connection terminated unexpectedly');
    },
  };
  let news = 0;
  const listening = createListening(database, 'edict_outbox', 1000, () => (news += 1), (_, message) => lines.push(message)); // prettier-ignore
  listening.begin();
  await new Promise((done) => setImmediate(done));
  expect([lines, news]).toEqual([
    ['The relay lost the connection that listens. It opens another one when it looks next.'],
    0,
  ]);
  listening.begin();
  await listening.end();
  expect([opened, news, lines.length]).toEqual([2, 1, 1]);
});

it('logs only the first of several refusals to listen, until the database accepts again', async () => {
  const lines: string[] = [];
  let refusals = 3;
  let lose = (): void => {};
  const database: Database = {
    inTransaction: async () => {},
    async listen(_, __, onLost) {
      if (refusals-- > 0) throw new Error('LISTEN is not supported');
      lose = onLost;
      return () => {};
    },
  };
  const listening = createListening(
    database,
    'edict_outbox',
    1000,
    () => {},
    (_, message) => lines.push(message),
  );
  const attempt = async (): Promise<void> => {
    listening.begin();
    await new Promise((done) => setImmediate(done));
  };
  const refused = 'The relay cannot listen. It only looks every 1000 ms.';
  for (let count = 0; count < 3; count++) await attempt();
  expect(lines).toEqual([refused]);
  await attempt();
  lose();
  expect(lines).toEqual([
    refused,
    'The relay lost the connection that listens. It opens another one when it looks next.',
  ]);
});

it('ends also if the database is closed already', async () => {
  const database: Database = {
    inTransaction: async () => {},
    listen: async () => () => Promise.reject(new Error('closed')),
  };
  const listening = createListening(
    database,
    'edict_outbox',
    1000,
    () => {},
    () => {},
  );
  listening.begin();
  await expect(listening.end()).resolves.toBeUndefined();
});

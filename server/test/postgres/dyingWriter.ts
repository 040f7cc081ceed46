// A process that is killed after a commit: before its relay delivers, or before the relay deletes the delivered rows.

import postgres from 'postgres';
import { createHub } from '../../src/index.ts';
import { createRelay, outbox } from '../../src/postgres/index.ts';

const [, , url = '', moment = ''] = process.argv;
const sql = postgres(url, { onnotice: () => {} });
const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

await sql.begin(async (tx) => {
  const [directive] = await outbox(tx).emit([{ op: 'refresh_item', name: 'ticket', id: moment }]);
  process.stdout.write(`${directive?.idempotency_key}\n`);
});
if (moment === 'after commit') await die();

const hub = createHub();
createRelay({
  db: sql,
  hub: {
    async emit(directives, options) {
      const stamped = await hub.emit(directives, options);
      const key = stamped.at(-1)?.idempotency_key;
      await new Promise<void>((done) => process.stdout.write(`${key}\n`, () => done()));
      return die();
    },
  },
});
// The timers of a relay do not keep a process alive.
setInterval(() => {}, 1000);

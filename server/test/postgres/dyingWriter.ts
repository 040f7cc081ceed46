// A process that commits and is gone: before its relay delivered, or before the relay could note that it had.

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
// The timers of a relay keep no process alive.
setInterval(() => {}, 1000);

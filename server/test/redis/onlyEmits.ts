// A process that only emits, such as a nightly job: `onlyEmits.mjs <url of Redis>`. Prints the outcome.

import { createHub } from '../../src/index.ts';
import { redisBackplane } from '../../src/redis/index.ts';

const [, , url = ''] = process.argv;
const hub = createHub({ backplane: redisBackplane({ url }), log: () => {} });
await hub.emit([{ op: 'refresh_collection', name: 'tickets' }]).then(
  () => console.log('sent'),
  (error: Error) => console.log(error.message),
);
await hub.close();

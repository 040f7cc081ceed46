// A process that does nothing but emit, as a job of the night: `onlyEmits.mjs <url of Redis>`. Says how it ended.

import { createHub } from '../../src/index.ts';
import { redisBackplane } from '../../src/redis/index.ts';

const [, , url = ''] = process.argv;
const hub = createHub({ backplane: redisBackplane({ url }), log: () => {} });
await hub.emit([{ op: 'refresh_collection', name: 'tickets' }]).then(
  () => console.log('sent'),
  (error: Error) => console.log(error.message),
);
await hub.close();

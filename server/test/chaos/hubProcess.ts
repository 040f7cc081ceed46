// One node as a process of its own: a hub on Redis behind node:http, and a door for the one who emits.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createHub, type DirectiveInput } from '../../src/index.ts';
import { redisBackplane } from '../../src/redis/index.ts';

const [, , redisUrl = '', port = '', timeoutMs = '1000'] = process.argv;
const hub = createHub({
  backplane: redisBackplane({ url: redisUrl, timeoutMs: Number(timeoutMs) }),
  authorize: () => true,
  heartbeatMs: 1000,
  maxAgeMs: 20_000,
  limits: { stallMs: 5000 },
  log: () => {},
});

async function emit(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  try {
    const { directives, audience } = JSON.parse(text) as { directives: DirectiveInput[]; audience: string }; // As the test sends it.
    res.end(JSON.stringify(await hub.emit(directives, { audience })));
  } catch (error) {
    res.statusCode = 503;
    res.end(String(error));
  }
}

const server = createServer((req, res) => {
  if (req.url === '/emit') void emit(req, res);
  else if (req.url === '/metrics') res.end(JSON.stringify(hub.metrics()));
  else hub.nodeHandler(req, res);
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));

// Runs one node in a separate process: a hub on Redis behind node:http. The test emits, revokes and limits through extra paths.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createHub, type DirectiveInput, type StreamFilter } from '../../src/index.ts';
import { redisBackplane } from '../../src/redis/index.ts';

const [, , redisUrl = '', port = '', timeoutMs = '1000'] = process.argv;
/** While true, all clients share one connection key. */
let isLimited = false;
/** The error of this node's clock. */
let clockErrorMs = 0;
const now = Date.now;
Date.now = () => now() + clockErrorMs;
const hub = createHub({
  backplane: redisBackplane({ url: redisUrl, timeoutMs: Number(timeoutMs) }),
  authorize: () => true,
  connectionKey: () => (isLimited ? 'all' : null),
  heartbeatMs: 1000,
  maxAgeMs: 20_000,
  replay: { maxEnvelopes: 40 },
  limits: { stallMs: 5000, maxConnectionsPerKey: 4, maxConnectsPerMinutePerKey: 60 },
  log: () => {},
});

/** The extra paths of the test. The casts have the types that the test sends. */
const actions: Record<string, (body: unknown) => unknown> = {
  '/emit'(body) {
    const { directives, audience } = body as { directives: DirectiveInput[]; audience: string };
    return hub.emit(directives, { audience });
  },
  '/disconnect': (body) => hub.disconnect(body as StreamFilter),
  '/limit': (body) => (isLimited = body === true),
  '/clock': (body) => (clockErrorMs = Number(body)),
};

async function act(
  action: (body: unknown) => unknown,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  try {
    res.end(JSON.stringify(await action(JSON.parse(text))));
  } catch (error) {
    res.statusCode = 503;
    res.end(String(error));
  }
}

const server = createServer((req, res) => {
  const action = actions[req.url ?? ''];
  if (action !== undefined) void act(action, req, res);
  else if (req.url === '/metrics') res.end(JSON.stringify(hub.metrics()));
  else hub.nodeHandler(req, res);
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
process.once('SIGTERM', () => {
  server.close();
  void hub.close({ retryMs: [50, 500] }).then(() => process.exit(0));
});

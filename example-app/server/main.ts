// Starts the desk: database, hub, API and page in one process.
// PORT (8787; 0 = any), HOST, DATABASE_URL, REDIS_URL, DATA_FOLDER (`memory`, or a folder for PGlite), SEED_TICKETS,
// DESK_PROCESS (which of several this is; answers then say so).

import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createRelay } from '@edict/server/postgres';
import { redisBackplane } from '@edict/server/redis';
import { getRequestListener } from '@hono/node-server';
import { Redis } from 'ioredis';
import { createApp } from './app.ts';
import { openDatabase } from './db/database.ts';
import { createClients } from './desk/clients.ts';
import { createSessions } from './desk/sessions.ts';
import { createHubHost } from './hubHost.ts';
import { devPage } from './devPage.ts';
import { builtPage, servePage } from './page.ts';
import { redisForecasts } from './redisForecasts.ts';
import { createWeather } from './weather.ts';

// React is loaded with the first page; without this it would be its slower development build.
process.env['NODE_ENV'] ??= process.argv.includes('--dev') ? 'development' : 'production';

const { PORT, HOST, DATABASE_URL, REDIS_URL, DATA_FOLDER, SEED_TICKETS, SESSION_MS, DESK_PROCESS } =
  process.env;
const wanted = Number(PORT ?? 8787);
if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) {
  console.error(
    `PORT is ${PORT}, which is no port. Choose one from 0 to 65535, for example: PORT=8788 npm start`,
  );
  process.exit(1);
}
const folder = DATA_FOLDER ?? fileURLToPath(new URL('../.data/desk', import.meta.url));

console.log('Opening the desk (the first time takes some seconds) …');
const database = await openDatabase({
  url: DATABASE_URL,
  folder: folder === 'memory' ? undefined : folder,
  tickets: SEED_TICKETS === undefined ? undefined : Number(SEED_TICKETS),
}).catch((error: unknown) => {
  const where = DATABASE_URL === undefined ? folder : 'DATABASE_URL';
  console.error(
    `The data of ${where} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
  );
  return process.exit(1);
});
const sessions = createSessions(database.db, { lifetimeMs: Number(SESSION_MS ?? 12 * 60 * 60 * 1000) });
const clients = createClients(database.db);
const redis = REDIS_URL === undefined ? null : new Redis(REDIS_URL);
const hub = createHubHost(sessions, clients, () =>
  redis === null ? {} : { backplane: redisBackplane({ client: redis, keyPrefix: 'desk:' }) },
);
// Takes to the hub what transactions have left in the outbox. Of several processes one does it at a time.
const relay = createRelay({
  db: database.source,
  hub: { emit: (directives, options) => hub.current().emit(directives, options) },
});
const forecasts = redis === null ? null : redisForecasts(redis);
const desk = {
  db: database.db,
  sessions,
  clients,
  hub,
  weather: createWeather(forecasts ?? undefined),
  process: DESK_PROCESS,
};
const app = createApp(desk);
const dev = process.argv.includes('--dev') ? await devPage() : null;
servePage(app, desk, dev ?? (await builtPage(app)));

const listener = getRequestListener(app.fetch);
const server = createServer((request, response) => {
  if (dev === null) void listener(request, response);
  else dev.middleware(request, response, () => void listener(request, response));
});
server.once('error', (error) => {
  console.error(`${error.message}. Choose another port, for example: PORT=${wanted + 1} npm start`);
  void close(1);
});
server.listen(wanted, HOST ?? '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : address;
  console.log(`The desk is open: http://localhost:${port}  (data: ${database.where})`);
});

let isClosing = false;
async function close(code = 0): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  // In the same turn: the server waits for the streams that the hub ends. What the relay has not delivered yet it
  // delivers after the next start.
  server.close();
  await Promise.all([relay.close(), hub.close()]);
  forecasts?.close();
  redis?.disconnect();
  server.closeAllConnections();
  await dev?.close();
  await database.close();
  process.exit(code);
}
process.on('SIGTERM', () => void close());
process.on('SIGINT', () => void close());

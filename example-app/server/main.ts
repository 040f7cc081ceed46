// Starts the desk: database, hub, API and page in one process. What can be set: settings.ts.

import { createServer } from 'node:http';
import { createRelay } from '@edict/server/postgres';
import { redisBackplane } from '@edict/server/redis';
import { getRequestListener } from '@hono/node-server';
import { Redis } from 'ioredis';
import { createApp } from './app.ts';
import { openDatabase } from './db/database.ts';
import { createDemo } from './demo/demo.ts';
import { createClients } from './desk/clients.ts';
import { createSessions } from './desk/sessions.ts';
import { createHubHost } from './hubHost.ts';
import { devPage } from './devPage.ts';
import { builtPage, servePage } from './page.ts';
import { readSettings, SettingError, type Settings } from './settings.ts';
import { redisForecasts } from './redisForecasts.ts';
import { createWeather } from './weather.ts';

// React is loaded with the first page; without this it would be its slower development build.
process.env['NODE_ENV'] ??= process.argv.includes('--dev') ? 'development' : 'production';

const settings = settingsOrEnd();
console.log('Opening the desk (the first time takes some seconds) …');
const database = await openDatabase({
  url: settings.databaseUrl,
  folder: settings.folder,
  tickets: settings.tickets,
}).catch((error: unknown) => {
  const where = settings.databaseUrl === undefined ? (settings.folder ?? 'memory') : 'DATABASE_URL';
  return end(
    `The data of ${where} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
  );
});
const sessions = createSessions(database.db, { lifetimeMs: settings.sessionMs });
const clients = createClients(database.db);
const redis = settings.redisUrl === undefined ? null : new Redis(settings.redisUrl);
// The hub says when Redis is away, and when it is back.
redis?.on('error', () => {});
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
  demo: settings.process === undefined ? createDemo() : null,
  process: settings.process,
};
const app = createApp(desk);
const dev = process.argv.includes('--dev') ? await devPage() : null;
servePage(app, desk, dev ?? (await builtPage(app)));

const listener = getRequestListener(app.fetch);
const server = createServer((request, response) => {
  if (dev === null) void listener(request, response);
  else dev.middleware(request, response, () => void listener(request, response));
});
// Longer than a browser or a proxy keeps an idle connection, so that no request meets one that closes.
server.keepAliveTimeout = 75_000;
server.once('error', (error) => {
  console.error(`${error.message}. ${wayOut(error)}`);
  void close(1);
});
server.listen(settings.port, settings.host, () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : address;
  console.log(`The desk is open: http://localhost:${port}  (data: ${database.where})`);
});

function settingsOrEnd(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (error instanceof SettingError) return end(error.message);
    throw error;
  }
}

function end(message: string): never {
  console.error(message);
  process.exit(1);
}

function wayOut({ code }: NodeJS.ErrnoException): string {
  return code === 'EADDRINUSE' || code === 'EACCES'
    ? `Choose another port, for example: PORT=${settings.port + 1} npm start`
    : `HOST is ${settings.host}; it has to be an address of this machine, for example: HOST=127.0.0.1 npm start`;
}

let isClosing = false;
async function close(code = 0): Promise<void> {
  if (isClosing) return;
  isClosing = true;
  // In the same turn: the server waits for the streams that the hub ends. What the relay has not delivered yet it
  // delivers after the next start.
  server.close();
  await Promise.all([relay.close(), hub.close(), desk.demo?.close()]);
  forecasts?.close();
  redis?.disconnect();
  server.closeAllConnections();
  await dev?.close();
  await database.close();
  process.exit(code);
}
process.on('SIGTERM', () => void close());
process.on('SIGINT', () => void close());

// Starts the desk: database, hub, API, and page in one process. settings.ts lists the settings.

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

// React is loaded with the first page. Without this setting, its slower development build would be loaded.
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
// The hub logs when the connection to Redis is lost and when it is restored.
redis?.on('error', () => {});
const hub = createHubHost(sessions, clients, () =>
  redis === null ? {} : { backplane: redisBackplane({ client: redis, keyPrefix: 'desk:' }) },
);
// Emits the directives that transactions have written to the outbox. Of several processes, one relays at a time.
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
// Longer than browsers and proxies keep idle connections, so that no request uses a connection that is being closed.
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
  // The hub ends its streams at the same time, because the server waits for them. The relay delivers the rest of the
  // outbox after the next start.
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

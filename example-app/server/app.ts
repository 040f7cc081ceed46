// The HTTP API as one Web handler. Everything but the sign-in needs a session.

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import type { ApiErrorBody, Session } from '../src/model.ts';
import type { Db } from './db/database.ts';
import type { Clients } from './desk/clients.ts';
import { directory } from './desk/directory.ts';
import type { Demo } from './demo/demo.ts';
import { DeskError } from './desk/errors.ts';
import { sessionCookie, type Sessions } from './desk/sessions.ts';
import { countTickets, latestActivity } from './desk/ticketQueries.ts';
import type { HubHost } from './hubHost.ts';
import { ownPagesOnly } from './ownPages.ts';
import { demoRoutes } from './routes/demo.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { sessionRoutes } from './routes/session.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { weatherRoutes } from './routes/weather.ts';
import type { Weather } from './weather.ts';

/** What the routes need. */
export interface Desk {
  db: Db;
  sessions: Sessions;
  clients: Clients;
  hub: HubHost;
  weather: Weather;
  /** Null with several processes, because its rooms are in the memory of one. */
  demo: Demo | null;
  /** The number of this process, if there are several. */
  process?: string | undefined;
}

export interface DeskEnv {
  Variables: { session: Session };
}

const largestBody = 256 * 1024;

export function createApp(desk: Desk): Hono<DeskEnv> {
  const app = new Hono<DeskEnv>();
  app.onError((error, c) => {
    if (error instanceof DeskError) return c.json(error.body(), error.status);
    if (error instanceof HTTPException) return error.getResponse();
    console.error(error);
    return c.json(errorBody('internal', 'Something went wrong on our side.'), 500);
  });
  // No frames on other sites, and no guessing of content types.
  app.use(secureHeaders({ strictTransportSecurity: false }));
  app.use('/api/*', async (c, next) => {
    await next();
    if (desk.process !== undefined) c.res.headers.set('x-served-by', desk.process);
    // A response is for one user, so shared caches must not store it.
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store');
  });
  app.use(
    '/api/*',
    bodyLimit({
      maxSize: largestBody,
      onError: (c) => c.json(errorBody('too_large', 'The body is too large.'), 413),
    }),
  );

  app.use('/api/*', ownPagesOnly);
  app.route('/api/session', sessionRoutes(desk));
  if (desk.demo !== null) app.route('/api/demo', demoRoutes(desk.demo));
  app.get('/api/directory', async (c) => c.json(await directory(desk.db)));
  // The hub checks the session for each audience (hubHost.ts).
  app.get('/api/events', async (c) => {
    const response = await desk.hub.current().fetchHandler(c.req.raw);
    return desk.weather.over(response, c.req.query('client_id') ?? null);
  });

  app.use('/api/*', async (c, next) => {
    const session = await desk.sessions.find(getCookie(c, sessionCookie));
    // A page names the user that it was served for. Another window may have signed in another user since.
    const person = c.req.header('x-desk-person') ?? String(session?.person.id);
    if (session === null || person !== String(session.person.id))
      throw new DeskError(401, 'signed_out', 'Your session has ended. Please sign in.');
    c.set('session', session);
    await next();
  });
  app.get('/api/counts', async (c) => c.json(await countTickets(desk.db, c.get('session').person)));
  app.get('/api/activity', async (c) => c.json(await latestActivity(desk.db, c.get('session').person)));
  app.route('/api/tickets', ticketRoutes(desk));
  app.route('/api/notifications', notificationRoutes(desk));
  app.route('/api/weather', weatherRoutes(desk));
  app.all('/api/*', (c) => c.json(errorBody('no_such_route', 'There is nothing at this address.'), 404));
  return app;
}

function errorBody(code: string, message: string): ApiErrorBody {
  return { error: { code, message } };
}

// /api/session: signing in as one of the seeded people. A real desk would ask for a password here.

import { Hono, type Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Desk, DeskEnv } from '../app.ts';
import * as inputs from '../../src/inputs.ts';
import { sessionCookie } from '../desk/sessions.ts';
import { readBody } from '../input.ts';

export function sessionRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();
  const cookie = (c: Context) =>
    ({
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      // Where a proxy ends TLS, it sets the header. A client that sends it only restricts its own cookie.
      secure: new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https',
    }) as const;

  /** Ends a session and the streams that it opened. Streams of the user's other sessions reconnect and miss nothing. */
  async function end(token: string | undefined): Promise<void> {
    const session = await desk.sessions.find(token);
    await desk.sessions.end(token);
    if (session === null) return;
    // Not awaited: the session has ended even if the hub's backplane is away.
    desk.hub
      .current()
      .disconnect({ user: String(session.person.id) })
      .catch((error: unknown) => console.error('streams of an ended session may be open:', error));
  }

  routes.get('/', async (c) => c.json(await desk.sessions.find(getCookie(c, sessionCookie))));
  routes.post('/', async (c) => {
    const { personId } = await readBody(c, inputs.signIn);
    const { token, expiresAt } = await desk.sessions.begin(personId);
    await end(getCookie(c, sessionCookie));
    setCookie(c, sessionCookie, token, { ...cookie(c), expires: expiresAt });
    return c.json(await desk.sessions.find(token), 201);
  });
  routes.delete('/', async (c) => {
    await end(getCookie(c, sessionCookie));
    deleteCookie(c, sessionCookie, cookie(c));
    return c.json({});
  });
  return routes;
}

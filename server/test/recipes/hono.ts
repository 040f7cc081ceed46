import { createServer } from 'node:http';
import { createHub } from '@edict/server';
import { directives } from '@edict/server/hono';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

export const hub = createHub();

const app = new Hono();
app.get('/api/events', (c) => hub.fetchHandler(c.req.raw));

app.put('/api/tickets/:id', directives(hub), (c) => {
  // Change the ticket in the database first, then emit the change.
  c.var.directives.emit([{ op: 'refresh_item', name: 'ticket', id: Number(c.req.param('id')) }]);
  return c.json({ ok: true }); // The author's client receives the directives in this object.
});

// On Deno `Deno.serve(app.fetch)` is all, on Bun `export default { fetch: app.fetch, idleTimeout: 60 }`.
export const server = createServer(getRequestListener(app.fetch));

export async function stop(): Promise<void> {
  server.close();
  await hub.close();
}

import { createServer } from 'node:http';
import { createHub } from '@edict/server';
import { directives } from '@edict/server/express';
import compression from 'compression';
import express from 'express';

export const hub = createHub();

const app = express();
app.use(compression()); // Does not compress the stream, whose response has `no-transform`.
app.get('/api/events', hub.nodeHandler);

app.use(directives(hub));
app.put('/api/tickets/:id', (req, res) => {
  // Change the ticket in the database first, then emit the change.
  res.locals.directives.emit([{ op: 'refresh_item', name: 'ticket', id: Number(req.params.id) }]);
  res.json({ ok: true }); // The author's client receives the directives in this object.
});

export const server = createServer(app);

export async function stop(): Promise<void> {
  server.close();
  await hub.close();
}

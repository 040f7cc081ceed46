import { createServer } from 'node:http';
import { createHub } from '@edict/server';
import { directives } from '@edict/server/express';
import compression from 'compression';
import express from 'express';

export const hub = createHub();

const app = express();
app.use(compression()); // Leaves the stream alone: its answer says `no-transform`.
app.get('/api/events', hub.nodeHandler);

app.use(directives(hub));
app.put('/api/tickets/:id', (req, res) => {
  // Change the ticket in the database first, then say so.
  res.locals['directives'].emit([{ op: 'refresh_item', name: 'ticket', id: Number(req.params.id) }]);
  res.json({ ok: true }); // The client that asked for directives gets them in this object.
});

export const server = createServer(app);

export async function stop(): Promise<void> {
  server.close();
  await hub.close();
}

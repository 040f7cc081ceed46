import { createServer } from 'node:http';
import { refreshCollection, refreshItem, removeItem } from '@edict/core/protocol';
import { createHub } from '@edict/server';
import { directives } from '@edict/server/express';
import express from 'express';
import * as tickets from './database.ts';

const hub = createHub();
const app = express();
const server = createServer(app);

app.get('/api/events', hub.nodeHandler); // The stream of changes.
app.use('/api', express.json(), directives(hub)); // Responses of mutations carry their own changes.

app.get('/api/tickets', (_, res) => void res.json(tickets.all()));
app.get('/api/tickets/:id', (req, res) => void res.json(tickets.find(Number(req.params.id))));

app.post('/api/tickets', (req, res) => {
  const title = String(req.body?.title ?? '').trim();
  if (title === '') return void res.status(400).json({ message: 'A ticket needs a title.' });
  const id = tickets.add(title);
  res.locals.directives.emit([refreshCollection('tickets')]);
  res.status(201).json({ id });
});

app.post('/api/tickets/:id/solve', (req, res) => {
  const id = Number(req.params.id);
  if (!tickets.solve(id)) return void res.status(404).json({ message: `There is no ticket ${id}.` });
  res.locals.directives.emit([refreshItem('ticket', id), refreshCollection('tickets')]);
  res.json({ ok: true });
});

app.delete('/api/tickets/:id', (req, res) => {
  const id = Number(req.params.id);
  if (!tickets.remove(id)) return void res.status(404).json({ message: `There is no ticket ${id}.` });
  // Screens that show the ticket learn that it is gone, and lists are read again.
  res.locals.directives.emit([removeItem('ticket', id), refreshCollection('tickets')]);
  res.json({ ok: true });
});

if (process.argv.includes('--dev')) {
  const { createServer: createVite } = await import('vite');
  app.use(
    (
      await createVite({
        configLoader: 'runner', // Writes no file that would restart this server.
        server: { middlewareMode: true, hmr: { server } },
      })
    ).middlewares,
  );
} else {
  app.use(express.static('dist'));
}

const port = Number(process.env.PORT ?? 3000);
server.listen(port, () => console.log(`http://localhost:${port}`));

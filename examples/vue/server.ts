import { createServer } from 'node:http';
import { refreshCollection, refreshItem } from '@edict/core/protocol';
import { createHub } from '@edict/server';
import { directives } from '@edict/server/express';
import express from 'express';

const tickets = ['Printer on fire', 'Password lost', 'Invoice is wrong'].map((title, index) => ({
  id: index + 1,
  title,
  status: 'open',
}));

const hub = createHub();
const app = express();
const server = createServer(app);

app.get('/api/events', hub.nodeHandler);
app.use('/api', directives(hub));
app.get('/api/tickets', (_, res) => void res.json(tickets));
app.get('/api/tickets/:id', (req, res) => {
  res.json(tickets.find(({ id }) => id === Number(req.params.id)) ?? null);
});
app.post('/api/tickets/:id/solve', (req, res) => {
  const ticket = tickets.find(({ id }) => id === Number(req.params.id));
  if (ticket === undefined) return void res.status(404).json({ message: 'There is no such ticket.' });
  ticket.status = 'solved';
  res.locals.directives.emit([refreshItem('ticket', ticket.id), refreshCollection('tickets')]);
  res.json(ticket);
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

import { createHub } from '@edict/server';
import { directives } from '@edict/server/fastify';
import fastify from 'fastify';

export const hub = createHub();

const app = fastify();
app.get('/api/events', (request, reply) => {
  reply.hijack(); // From here on the hub answers.
  hub.nodeHandler(request.raw, reply.raw);
});

await app.register(directives, { hub });
app.put<{ Params: { id: string } }>('/api/tickets/:id', async (request) => {
  // Change the ticket in the database first, then say so.
  request.directives.emit([{ op: 'refresh_item', name: 'ticket', id: Number(request.params.id) }]);
  return { ok: true }; // The client that asked for directives gets them in this object.
});

app.addHook('preClose', () => hub.close()); // Ends the streams that `app.close()` waits for.
await app.ready();

export const server = app.server;
export const stop = (): Promise<void> => app.close();

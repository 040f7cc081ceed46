import { createHub } from '@edict/server';
import { directives } from '@edict/server/fastify';
import fastify from 'fastify';

export const hub = createHub();

const app = fastify();
app.get('/api/events', (request, reply) => {
  reply.hijack(); // From here on, the hub responds.
  hub.nodeHandler(request.raw, reply.raw);
});

await app.register(directives, { hub });
app.put<{ Params: { id: string } }>('/api/tickets/:id', async (request) => {
  // Change the ticket in the database first, then emit the change.
  request.directives.emit([{ op: 'refresh_item', name: 'ticket', id: Number(request.params.id) }]);
  return { ok: true }; // The author's client receives the directives in this object.
});

app.addHook('preClose', () => hub.close()); // Ends the streams that `app.close()` waits for.
await app.ready();

export const server = app.server;
export const stop = (): Promise<void> => app.close();

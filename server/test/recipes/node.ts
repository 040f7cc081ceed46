import { createServer } from 'node:http';
import { createHub, directiveRequest } from '@edict/server';

export const hub = createHub();

export const server = createServer(async (req, res) => {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost');
  if (pathname === '/api/events') return hub.nodeHandler(req, res);
  if (pathname === '/api/tickets/1' && req.method === 'PUT') {
    // Change the ticket in the database first, then emit the change.
    const { clientId } = directiveRequest(req);
    const directives = await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }], { source: clientId });
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, directives }));
    return;
  }
  res.writeHead(404).end();
});

/** Both in the same turn: the hub ends the streams that the server waits for. */
export async function stop(): Promise<void> {
  server.close();
  await hub.close();
}

// socketServer.ts
import { createServer, type IncomingMessage } from 'node:http';
import { createHub } from '@edict/server';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { WebSocketServer, type WebSocket } from 'ws';

export const hub = createHub();
export const server = createServer();
export const sockets = new WebSocketServer({
  server,
  path: '/api/socket',
  maxPayload: 1024, // Clients send nothing. The default is 100 MiB of memory for each of them.
  verifyClient: ({ req }: { req: IncomingMessage }) => isOwnPage(req),
});

/**
 * A browser opens a socket for a page of any site, and sends the user's cookies with it. It only names the site of the page
 * in `Origin`. A client without that header is not a browser, so it has only cookies of its own.
 */
function isOwnPage({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || origin.split('://')[1] === host;
}

/** Resolves when the text was sent, so that the hub notices a slow socket like a slow stream. */
const send = (socket: WebSocket, text: string): Promise<void> =>
  new Promise((done) => socket.send(text, () => done()));

/** The hub receives an ordinary request for its stream, so parameters, authorization, replay, and limits apply. */
async function carry(socket: WebSocket, { url = '', headers }: IncomingMessage): Promise<void> {
  const left = new AbortController();
  socket.on('close', () => left.abort()); // Before the first `await`: a client may leave while it is authorized.
  const request = new Request(new URL(url, 'http://localhost'), {
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal: left.signal,
  });
  const response = await hub.fetchHandler(request);
  if (!response.ok || response.body === null) return socket.close(4000 + response.status);
  await response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .pipeTo(new WritableStream({ write: ({ data }) => send(socket, data) }), { signal: left.signal });
  socket.close();
}

sockets.on('connection', (socket, request) => {
  socket.on('error', () => socket.terminate());
  carry(socket, request).catch(() => socket.terminate());
});

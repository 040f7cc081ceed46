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
  verifyClient: ({ req }: { req: IncomingMessage }) => isOwnPage(req),
});

/**
 * A browser opens a socket for a page of any site, sends the user's cookies, and keeps nothing from that page: all
 * it does is to name the site. Who names none is no browser, and has no cookies but its own.
 */
function isOwnPage({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || origin.split('://')[1] === host;
}

/** Resolves when the text has left, so that the hub sees a slow socket as it sees a slow stream. */
const send = (socket: WebSocket, text: string): Promise<void> =>
  new Promise((done) => socket.send(text, () => done()));

/** The hub sees an ordinary request for its stream: parameters, authorisation, replay and limits are those of SSE. */
async function carry(socket: WebSocket, { url = '', headers }: IncomingMessage): Promise<void> {
  const left = new AbortController();
  socket.on('close', () => left.abort()); // Before anything is awaited: some leave while they are authorised.
  const request = new Request(new URL(url, 'http://localhost'), {
    headers: headers as Record<string, string>, // True: only `set-cookie` is a list, and that is for answers.
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

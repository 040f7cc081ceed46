// socketServer.ts
import { createServer, type IncomingMessage } from 'node:http';
import { createHub } from '@edict/server';
import { createParser } from 'eventsource-parser';
import { WebSocketServer, type WebSocket } from 'ws';

export const hub = createHub();
export const server = createServer();
export const sockets = new WebSocketServer({ server, path: '/api/socket' });

/** Resolves when the text has left, so that the hub sees a slow socket as it sees a slow stream. */
const send = (socket: WebSocket, text: string): Promise<void> =>
  new Promise((done) => socket.send(text, () => done()));

/** The hub sees an ordinary request for its stream: parameters, authorisation, replay and limits are those of SSE. */
async function carry(socket: WebSocket, { url = '', headers }: IncomingMessage): Promise<void> {
  const request = new Request(new URL(url, 'http://localhost'), {
    headers: { cookie: headers.cookie ?? '' },
  });
  const response = await hub.fetchHandler(request);
  if (!response.ok || response.body === null) return socket.close(4000 + response.status);
  const reader = response.body.getReader();
  socket.on('close', () => void reader.cancel());
  const waiting: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void waiting.push(data) });
  const decoder = new TextDecoder();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parser.feed(decoder.decode(part.value, { stream: true }));
    for (const envelope of waiting.splice(0)) await send(socket, envelope);
  }
  socket.close();
}

sockets.on('connection', (socket, request) => {
  socket.on('error', () => socket.terminate());
  carry(socket, request).catch(() => socket.terminate());
});

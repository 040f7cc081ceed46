// The bytes of a stream on their way out of Node: through the response, or past it where nobody else has a say in them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { Outlet } from '../deliver/connection.ts';

/** Bun and Deno have requests and responses of another make. No import: this package also runs where there is no `node:http`. */
const isNode = (): boolean =>
  typeof process !== 'undefined' && !('bun' in process.versions) && !('deno' in process.versions);

/** Whether the response waits behind another on its socket (pipelining): it has none until that has ended. */
export const isQueued = (req: IncomingMessage, res: ServerResponse): boolean =>
  isNode() && req.httpVersionMajor === 1 && res.socket === null && !res.headersSent && !req.socket.destroyed;

/**
 * The socket that a stream may write to itself, null where it may not. A response holds each write back to the end of the turn, looks at
 * it and keeps a record of it, which costs as much again as the write. That is worth skipping only where the response would pass the bytes
 * on as they are: its `write` is Node's own (no middleware has wrapped it, no framework has put its own there), it sends no chunks, and
 * the socket is its own by now. HTTP/2's compatibility interface, Bun and Deno have responses of another make.
 */
export function ownSocket(res: ServerResponse): Socket | null {
  if (!isNode()) return null;
  if (typeof process.getBuiltinModule !== 'function') return null;
  const { OutgoingMessage, ServerResponse: Plain } = process.getBuiltinModule('node:http');
  const isPlain = res instanceof Plain && res.write === OutgoingMessage.prototype.write;
  return isPlain && !res.chunkedEncoding ? res.socket : null;
}

/**
 * HTTP/2 knows no `Connection: close`: a session takes no further requests and ends with its last stream, so that a client does not come
 * back on it and `server.close()` does not wait for it (D-HUB-6).
 */
export function letGoOfSession(res: ServerResponse): void {
  if ('stream' in res) (res as unknown as Http2ServerResponse).stream.session?.close();
}

/** Through the response. Classes, because functions of its own would cost each stream several times its size. */
export class ResponseOutlet implements Outlet {
  readonly #res: ServerResponse;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /** False says accepted and full, not lost: it is not written again. */
  write(bytes: Uint8Array): boolean {
    return this.#res.write(bytes);
  }

  end(isClosing: boolean): void {
    this.#res.end();
    if (isClosing) letGoOfSession(this.#res);
  }

  destroy(): void {
    this.#res.destroy();
  }
}

/** Past the response, whose headers have been sent. It still ends the stream, and tells of its end. */
export class SocketOutlet implements Outlet {
  readonly #res: ServerResponse;
  readonly #socket: Socket;
  readonly #onDrain: (this: ServerResponse) => void;

  constructor(res: ServerResponse, socket: Socket, onDrain: (this: ServerResponse) => void) {
    this.#res = res;
    this.#socket = socket;
    this.#onDrain = onDrain;
  }

  write(bytes: Uint8Array): boolean {
    const socket = this.#socket;
    if (!socket.writable) return false; // It is closing; `close` follows.
    // More than a high-water mark at once counts as full, although the system may have taken all of it.
    if (socket.write(bytes) || socket.writableLength === 0) return true;
    // The response does not hear of it: it wrote nothing. Only full sockets have this listener.
    socket.once('drain', () => this.#onDrain.call(this.#res));
    return false;
  }

  end(): void {
    this.#res.end();
  }

  destroy(): void {
    this.#res.destroy();
  }
}

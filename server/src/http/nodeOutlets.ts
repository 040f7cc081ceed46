// Writes the bytes of a stream in Node: through the response, or directly to its socket when nothing else handles the bytes.

import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { Outlet } from '../deliver/connection.ts';

/** Empty on platforms without `process`, and in edge runtimes, where `process` has only `env`. */
const versions: object = globalThis.process?.versions ?? {};

/** Bun and Deno have their own request and response classes. Nothing is imported, because some platforms have no `node:http`. */
const isNode = 'node' in versions && !('bun' in versions) && !('deno' in versions);

/** Node's classes, looked up once because every new stream needs them. Null on older versions of Node and on other platforms. */
const nodeHttp =
  isNode && typeof process.getBuiltinModule === 'function' ? process.getBuiltinModule('node:http') : null;

/** Whether the response waits behind another one on its socket. Such a response has no socket until the other one has ended. */
export const isPipelined = (res: ServerResponse): boolean => isNode && res.socket === null;

/**
 * The socket that a stream may write to directly, or null. A response delays each write to the end of the turn and keeps a record of it,
 * which doubles the cost of a write. The stream bypasses the response only when it would pass the bytes on unchanged: its `write` is
 * Node's own (no middleware or framework has replaced it), it sends no chunks, and it already owns its socket. The compatibility
 * interface of HTTP/2, Bun and Deno have other response classes.
 */
export function ownSocket(res: ServerResponse): Socket | null {
  if (nodeHttp === null) return null;
  const { OutgoingMessage, ServerResponse: Plain } = nodeHttp;
  const isPlain = res instanceof Plain && res.write === OutgoingMessage.prototype.write;
  return isPlain && !res.chunkedEncoding ? res.socket : null;
}

/**
 * HTTP/2 has no `Connection: close`. Instead, the session accepts no further requests and ends with its last stream, so that a client
 * does not return on it and `server.close()` does not wait for it (D-HUB-6).
 */
export function closeSession(res: ServerResponse): void {
  if (!('stream' in res)) return;
  const { session } = (res as unknown as Http2ServerResponse).stream; // Only its responses have one.
  if (session === undefined || session.closed) return;
  // Node ends only its own half of the socket, and would then wait for a client that reads no more.
  if (isNode) session.socket.once('finish', session.socket.destroySoon);
  session.close();
}

/** Writes through the response. A class, because closures would multiply the memory of each stream. */
export class ResponseOutlet implements Outlet {
  readonly #res: ServerResponse;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /** False means accepted but full, so the bytes are not written again. */
  write(bytes: Uint8Array): boolean {
    return this.#res.write(bytes);
  }

  end(isClosing: boolean): void {
    this.#res.end();
    if (isClosing) closeSession(this.#res);
  }

  destroy(): void {
    this.#res.destroy();
  }
}

/** Writes to the socket of a response whose headers were sent. The response still ends the stream and emits its events. */
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
    if (!socket.writable) return false; // The socket is closing, and `close` follows.
    // A write above the high-water mark returns false even if the system has accepted all of it.
    if (socket.write(bytes) || socket.writableLength === 0) return true;
    // The response emits no `drain`, because it wrote nothing. Only full sockets have this listener.
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

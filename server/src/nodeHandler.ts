// The stream on node:http and what is built on it: Express, Fastify, HTTP/2's compatibility interface.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRefusal, type Admitted, type Visitor } from './admission.ts';
import type { Connection, Outlet } from './connection.ts';
import { preflightHeaders } from './cors.ts';
import { headersOfRefusal, headersOfStream, readableHeaders, type Door } from './door.ts';
import type { RequestHeaders } from './options.ts';
import { refusalBody, type Refusal } from './refusal.ts';

/** Probes of the socket find peers that vanished without a word. */
const keepAliveMs = 30_000;
const plainHost = /^[\w.:[\]-]+$/;

/** Makes the handler of a hub. */
export function createNodeHandler({
  admission,
  connections,
  cors,
  log,
}: Door): (req: IncomingMessage, res: ServerResponse) => void {
  function refuse(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
    if (res.headersSent || res.destroyed) return;
    const headers = headersOfRefusal(cors, header(req, 'origin'), refusal);
    res.writeHead(refusal.status, { ...headers, ...closing(req) });
    res.end(req.method === 'HEAD' ? undefined : refusalBody(refusal));
  }

  function stream(req: IncomingMessage, res: ServerResponse, admitted: Admitted): Connection {
    if (req.httpVersionMajor === 1) {
      req.socket.setNoDelay(true);
      req.socket.setKeepAlive(true, keepAliveMs);
      req.socket.setTimeout(0); // A quiet stream is no idle socket.
      // The stream ends with its socket, so it needs no chunks: each would be three more small writes.
      res.removeHeader('transfer-encoding');
    }
    res.writeHead(200, { ...headersOfStream(cors, header(req, 'origin')), ...closing(req) });
    return connections.begin({
      seats: admitted.seats,
      expiresAt: admitted.expiresAt,
      release: admitted.release,
      outlet: outletOf(res),
    });
  }

  return (req, res) => {
    const preflight = preflightHeaders(cors, req.method ?? '', (name) => header(req, name));
    if (preflight !== null) {
      res.writeHead(204, preflight).end();
      return;
    }
    let connection: Connection | null = null;
    let isGone = false;
    const visit = admission.visit(visitorOf(req));
    const gone = (): void => {
      isGone = true;
      visit.leave();
      if (connection !== null) connections.gone(connection);
    };
    // `close` of the request may not come once its body was read: listen to the response and the socket, and to errors.
    res.once('close', gone).on('error', gone);
    if (req.httpVersionMajor === 1) req.socket.once('close', gone);
    if (res.destroyed || req.socket.destroyed) gone();

    visit.outcome
      .then((outcome) => {
        if (outcome === null) return;
        if (isRefusal(outcome)) return refuse(req, res, outcome);
        if (isGone) return outcome.release();
        connection = stream(req, res, outcome);
        const begun = connection;
        outcome.seated();
        res.on('drain', () => connections.drained(begun));
      })
      .catch((error: unknown) => {
        // Such as a middleware that has already answered.
        log('error', 'A stream could not be written', error);
        gone();
        res.destroy();
      });
  };
}

function visitorOf(req: IncomingMessage): Visitor {
  // A router that mounts the handler cuts `url`; Express keeps what was sent in `originalUrl`.
  const target =
    'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '/');
  return {
    method: req.method ?? '',
    target,
    lastEventId: header(req, 'last-event-id'),
    describe: () => ({ headers: headersOf(req), url: `${originOf(req)}${target}`, raw: req }),
  };
}

function originOf(req: IncomingMessage): string {
  const host = header(req, 'host') ?? header(req, ':authority') ?? '';
  const isEncrypted = 'encrypted' in req.socket && req.socket.encrypted === true;
  return `${isEncrypted ? 'https' : 'http'}://${plainHost.test(host) ? host : 'localhost'}`;
}

function header(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function headersOf(req: IncomingMessage): RequestHeaders {
  const names = Object.keys(req.headers);
  return readableHeaders(Object.fromEntries(names.map((name) => [name, header(req, name) ?? undefined])));
}

/** D-HUB-6: a returning client does not meet a closing process on the same socket. HTTP/2 knows no such header. */
function closing(req: IncomingMessage): Record<string, string> {
  return req.httpVersionMajor === 1 ? { connection: 'close' } : {};
}

function outletOf(res: ServerResponse): Outlet {
  return {
    // False says accepted and full, not lost: it is not written again.
    write: (bytes) => res.write(bytes),
    end: () => void res.end(),
    destroy: () => void res.destroy(),
  };
}

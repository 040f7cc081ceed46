// The stream on node:http and what is built on it: Express, Fastify, HTTP/2's compatibility interface.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRefusal, type Admitted, type Visit, type Visitor } from '../subscribe/admission.ts';
import type { Connection } from '../deliver/connection.ts';
import { preflightHeaders } from '../subscribe/cors.ts';
import { headersOfRefusal, headersOfStream, readableHeaders, type Door } from './httpShared.ts';
import { wrong } from '../optionErrors.ts';
import { isQueued, letGoOfSession, ownSocket, ResponseOutlet, SocketOutlet } from './nodeOutlets.ts';
import type { RequestHeaders } from '../options.ts';
import { refusalBody, type Refusal } from '../subscribe/refusal.ts';

/** Probes of the socket find peers that vanished without a word. */
const keepAliveMs = 30_000;
const plainHost = /^[\w.:[\]-]+$/;

const unwritten = 'A stream could not be written';

/** Fastify answers for an async handler as soon as that has returned. Node's own error would speak of headers, if there is one. */
const answeredBefore = (): Error =>
  new Error(
    'The request was answered before the hub could. With Fastify call reply.hijack() before nodeHandler.',
  );

/** Makes the handler of a hub. */
export function createNodeHandler({
  admission,
  connections,
  cors,
  log,
}: Door): (req: IncomingMessage, res: ServerResponse) => void {
  /** Who stands at the door or has a stream. The listeners below are shared and look here, for there are very many streams. */
  const clients = new Map<ServerResponse, Visit | Connection>();

  function onClose(this: ServerResponse): void {
    gone(this);
  }

  function onDrain(this: ServerResponse): void {
    const client = clients.get(this);
    if (client !== undefined && 'outlet' in client) connections.drained(client);
  }

  function gone(res: ServerResponse): void {
    const client = clients.get(res);
    clients.delete(res);
    if (client === undefined) return;
    if ('outlet' in client) return connections.gone(client);
    if (res.headersSent) log('error', unwritten, answeredBefore());
    client.leave();
  }

  function refuse(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
    if (res.headersSent || res.destroyed) return;
    const headers = headersOfRefusal(cors, header(req, 'origin'), refusal);
    res.writeHead(refusal.status, { ...headers, ...closing(req) });
    res.end(req.method === 'HEAD' ? undefined : refusalBody(refusal));
    if (refusal.code === 'closing') letGoOfSession(res);
  }

  function stream(req: IncomingMessage, res: ServerResponse, admitted: Admitted): void {
    if (res.headersSent) throw answeredBefore();
    if (req.httpVersionMajor === 1) {
      req.socket.setKeepAlive(true, keepAliveMs);
      req.socket.setTimeout(0); // A quiet stream is no idle socket.
      // The stream ends with its socket, so it needs no chunks: each would be three more small writes.
      res.removeHeader('transfer-encoding');
    }
    res.writeHead(200, { ...headersOfStream(cors, header(req, 'origin')), ...closing(req) });
    const connection = begin(res, admitted);
    if (connection.state !== 'gone') clients.set(res, connection);
  }

  /** The headers leave with the greeting. */
  function begin(res: ServerResponse, admitted: Admitted): Connection {
    const socket = ownSocket(res);
    if (socket === null) {
      res.on('drain', onDrain);
      return connections.begin({ ...admitted, outlet: new ResponseOutlet(res) });
    }
    socket.cork();
    try {
      res.flushHeaders();
      return connections.begin({ ...admitted, outlet: new SocketOutlet(res, socket, onDrain) });
    } finally {
      socket.uncork();
    }
  }

  function answer(req: IncomingMessage, res: ServerResponse, outcome: Admitted | Refusal | null): void {
    const isHere = clients.delete(res);
    if (outcome === null) return;
    if (isRefusal(outcome)) return refuse(req, res, outcome);
    if (!isHere) return admission.abandon(outcome);
    try {
      stream(req, res, outcome);
      admission.begun(outcome);
    } catch (error) {
      log('error', unwritten, error);
      admission.abandon(outcome);
      res.destroy();
    }
  }

  return (req, res) => {
    if (!Array.isArray(req?.rawHeaders))
      throw wrong('nodeHandler: req', 'an IncomingMessage (request.raw of Fastify)', req);
    if (typeof res?.writeHead !== 'function')
      throw wrong('nodeHandler: res', 'a ServerResponse (reply.raw of Fastify)', res);
    const preflight = preflightHeaders(cors, req.method ?? '', (name) => header(req, name));
    if (preflight !== null) {
      res.writeHead(204, preflight).end();
      return;
    }
    const visit = admission.visit(visitorOf(req, res));
    clients.set(res, visit);
    // `close` of the request may not come once its body was read; that of the response comes with the end of the socket too.
    res.on('close', onClose).on('error', onClose);
    // HTTP/2 closes a stream that its client has reset without an error only once all is written, which never comes true then.
    if (req.httpVersionMajor > 1) {
      req.once('aborted', () => {
        gone(res);
        res.destroy();
      });
    }
    if (res.destroyed || req.socket.destroyed) gone(res);
    void visit.outcome.then((outcome) => answer(req, res, outcome));
  };
}

function visitorOf(req: IncomingMessage, res: ServerResponse): Visitor {
  // A router that mounts the handler cuts `url`; Express keeps what was sent in `originalUrl`.
  const target =
    'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '/');
  return {
    method: req.method ?? '',
    target,
    lastEventId: header(req, 'last-event-id'),
    isQueued: isQueued(req, res),
    // Proxies may be sent the whole URL as the target.
    describe: () => ({
      headers: headersOf(req),
      url: target.startsWith('/') ? `${originOf(req)}${target}` : target,
      raw: req,
    }),
  };
}

function originOf(req: IncomingMessage): string {
  const host = header(req, 'host') ?? header(req, ':authority') ?? '';
  const isEncrypted = 'encrypted' in req.socket && req.socket.encrypted === true;
  return `${isEncrypted ? 'https' : 'http'}://${plainHost.test(host) ? host : 'localhost'}`;
}

/** Looks into the raw list: the table `req.headers` is only made when somebody reads it, and then stays. */
function header({ rawHeaders }: IncomingMessage, name: string): string | null {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values.length === 0 ? null : values.join(', ');
}

function headersOf(req: IncomingMessage): RequestHeaders {
  const entries = Object.entries(req.headers);
  return readableHeaders(
    Object.fromEntries(
      entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    ),
  );
}

/** D-HUB-6: a returning client does not meet a closing process on the same socket. HTTP/2 knows no such header. */
function closing(req: IncomingMessage): Record<string, string> {
  return req.httpVersionMajor === 1 ? { connection: 'close' } : {};
}

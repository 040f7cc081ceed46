// The stream on node:http and on the frameworks that use it: Express, Fastify, and the HTTP/2 compatibility API.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../deliver/connection.ts';
import { wrong } from '../optionErrors.ts';
import type { AuthorizeRequest, RequestHeaders } from '../options.ts';
import {
  isRefusal,
  type Admitted,
  type IncomingRequest,
  type Outcome,
  type PendingRequest,
} from '../subscribe/admission.ts';
import { refusalBody, type Refusal } from '../subscribe/refusal.ts';
import { readableHeaders, type HandlerNeeds } from './httpShared.ts';
import { closeSession, isPipelined, ownSocket, ResponseOutlet, SocketOutlet } from './nodeOutlets.ts';

const plainHost = /^[\w.:[\]-]+$/;

const unwritten = 'A stream could not be written';

/** Fastify responds for an async handler as soon as it returns. Node's own error, if there is one, would only mention headers. */
const alreadyAnswered = (): Error =>
  new Error(
    '[edict] nodeHandler: the response was sent before the hub could send it. With Fastify, call reply.hijack() before nodeHandler.',
  );

/** The request or stream that a response belongs to. A process has very many streams, and a property costs less than a table. */
const served: unique symbol = Symbol('edict');

type Response = ServerResponse & { [served]?: PendingRequest | Connection | null };

/** Creates the handler of a hub. */
export function createNodeHandler({
  admission,
  connections,
  responseHeaders,
  log,
}: HandlerNeeds): (req: IncomingMessage, res: ServerResponse) => void {
  // These listeners are shared by all responses.
  function onClose(this: Response): void {
    gone(this);
  }

  function onDrain(this: Response): void {
    const client = this[served];
    if (client && 'outlet' in client) connections.drained(client);
  }

  function gone(res: Response): void {
    const client = res[served];
    if (!client) return;
    res[served] = null;
    if ('outlet' in client) return connections.gone(client);
    if (res.headersSent) log('error', unwritten, alreadyAnswered());
    client.leave();
  }

  function refuse(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
    const headers = responseHeaders.refusal(header(req, 'origin'), req.httpVersionMajor === 1, refusal);
    res.writeHead(refusal.status, headers);
    res.end(refusalBody(refusal)); // Node drops it in a response to HEAD.
    if (refusal.code === 'closing') closeSession(res);
  }

  function stream(req: IncomingMessage, res: Response, admitted: Admitted): void {
    if (req.httpVersionMajor === 1) {
      req.socket.setTimeout(0); // A quiet stream is not an idle socket.
      // The stream ends with its socket, so chunked encoding is not needed. Each chunk would add three small
      // writes.
      res.removeHeader('transfer-encoding');
    }
    res.writeHead(200, responseHeaders.stream(header(req, 'origin'), req.httpVersionMajor === 1));
    res[served] = begin(res, admitted);
  }

  /** Sends the headers together with the greeting. */
  function begin(res: ServerResponse, admitted: Admitted): Connection {
    const socket = ownSocket(res);
    if (socket === null) {
      res.on('drain', onDrain);
      return connections.begin(admitted, new ResponseOutlet(res));
    }
    socket.cork();
    try {
      res.flushHeaders();
      return connections.begin(admitted, new SocketOutlet(res, socket, onDrain));
    } finally {
      socket.uncork();
    }
  }

  function respond(req: IncomingMessage, res: Response, outcome: Outcome): void {
    res[served] = null;
    if (outcome === null) return;
    try {
      if (res.headersSent) throw alreadyAnswered();
      if (isRefusal(outcome)) return refuse(req, res, outcome);
      stream(req, res, outcome);
      admission.begun(outcome);
    } catch (error) {
      log('error', unwritten, error);
      if (!isRefusal(outcome)) admission.abandon(outcome);
      res.destroy();
    }
  }

  return (req, res: Response) => {
    checkNodeArguments('nodeHandler', req, res);
    const preflight = responseHeaders.preflight(req.method ?? '', (name) => header(req, name));
    if (preflight !== null) {
      res.writeHead(204, preflight).end();
      return;
    }
    // The request emits no `close` after its body was read. The response always does.
    res.on('close', onClose).on('error', onClose);
    // When an HTTP/2 client resets a stream without an error, Node closes it only after everything is written, which never happens.
    if (req.httpVersionMajor > 1) {
      req.once('aborted', () => res.destroy());
    }
    if (req.socket.destroyed) return; // No `close` follows.
    const pending = admission.admit(incomingRequest(req, res), (outcome) => respond(req, res, outcome));
    if (pending !== null) res[served] = pending;
  };
}

/** Throws a `TypeError` when a framework's own objects were passed instead of Node's. */
export function checkNodeArguments(caller: string, req: unknown, res: unknown): void {
  if (!Array.isArray((req as IncomingMessage | undefined)?.rawHeaders))
    throw wrong(`${caller}: req`, 'an IncomingMessage (request.raw of Fastify)', req);
  if (typeof (res as ServerResponse | undefined)?.writeHead !== 'function')
    throw wrong(`${caller}: res`, 'a ServerResponse (reply.raw of Fastify)', res);
}

/** The request as the application's callbacks receive it. */
export function describeNodeRequest(req: IncomingMessage): AuthorizeRequest {
  const target = targetOf(req);
  return {
    headers: headersOf(req),
    url: target.startsWith('/') ? `${originOf(req)}${target}` : target, // A proxy may receive the whole URL as the target.
    raw: req,
  };
}

function incomingRequest(req: IncomingMessage, res: ServerResponse): IncomingRequest {
  return {
    method: req.method ?? '',
    target: targetOf(req),
    lastEventId: header(req, 'last-event-id'),
    isPipelined: isPipelined(res),
    describe: () => describeNodeRequest(req),
  };
}

/** A router that mounts the handler shortens `url`. Express keeps the original in `originalUrl`. */
function targetOf(req: IncomingMessage): string {
  return 'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '/');
}

function originOf(req: IncomingMessage): string {
  const host = header(req, 'host') ?? header(req, ':authority') ?? '';
  const isEncrypted = 'encrypted' in req.socket && req.socket.encrypted === true;
  return `${isEncrypted ? 'https' : 'http'}://${plainHost.test(host) ? host : 'localhost'}`;
}

/** Searches the raw list, because reading `req.headers` creates a table that stays in memory as long as the stream. */
function header({ rawHeaders }: IncomingMessage, name: string): string | null {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const key = rawHeaders[at] ?? '';
    if (key.length === name.length && key.toLowerCase() === name) return rawHeaders[at + 1] ?? null;
  }
  return null;
}

function headersOf(req: IncomingMessage): RequestHeaders {
  // Node has a list only for `set-cookie`, which is no header of a request.
  return readableHeaders(
    Object.fromEntries(Object.entries(req.headers)) as Record<string, string | undefined>,
  );
}

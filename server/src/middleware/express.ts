/**
 * A middleware for Express 4 and 5. Handlers collect directives, and their response contains them.
 *
 * @module @edict/server/express
 */

import { DIRECTIVES_HEADER, type Directive } from '@edict/core/protocol';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Hub } from '../hub.ts';
import {
  checkOptions,
  createCollections,
  isDone,
  type DirectiveCollector,
  type MiddlewareOptions,
} from './collector.ts';
import { isJsonType, objectIn, roomIn, setHeader, textWith, type Room } from './responseRoom.ts';

export type { DirectiveCollector, MiddlewareOptions } from './collector.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Collects the directives of this request. Present after the middleware `directives`. */
      directives: DirectiveCollector;
    }
  }
}

/** The members of Express's response that the middleware uses. */
export interface ExpressResponse extends ServerResponse {
  /** Responds with a body. `json` calls it with the text. */
  send(body?: unknown): unknown;
  /** Values that middlewares pass to handlers. */
  locals: object;
}

/** The member of `res.locals`. */
export interface DirectiveLocals {
  /** Collects the directives of this request. */
  directives: DirectiveCollector;
}

/**
 * Lets handlers collect directives with `res.locals.directives.emit([...])`. They are emitted when the handler responds with 2xx or 3xx, and
 * the response waits for that. If the client asked for them, the response contains them: a JSON object as `directives`, otherwise a header. The client id of the request is then their `source`.
 *
 * ```ts
 * import { refreshItem } from '@edict/core/protocol';
 * import { createHub } from '@edict/server';
 * import { directives } from '@edict/server/express';
 * import express from 'express';
 *
 * const app = express();
 * app.use(directives(createHub()));
 * app.put('/tickets/:id', (req, res) => {
 *   res.locals.directives.emit([refreshItem('ticket', req.params.id)]);
 *   res.json({ ok: true });
 * });
 * ```
 */
export function directives<R extends IncomingMessage = IncomingMessage>(
  hub: Pick<Hub, 'emit'>,
  options: MiddlewareOptions<R> = {},
): (req: R, res: ExpressResponse, next: (error?: unknown) => void) => void {
  const collections = createCollections(hub, options);
  checkOptions(options);
  return (req, res, next) => {
    const collection = collections.begin(req, req, () => routeOf(req));
    collections.watch(res, collection);
    Object.assign(res.locals, { directives: collection.collector } satisfies DirectiveLocals);
    const send = res.send.bind(res) as (...all: unknown[]) => unknown;
    // `end` has several signatures. The same arguments are passed on later.
    const end = res.end.bind(res) as (...all: unknown[]) => ExpressResponse;
    const room = (body: object | null): Room =>
      roomIn(res.statusCode, body, res.hasHeader(DIRECTIVES_HEADER));
    const mustEmit = (): boolean => isDone(res.statusCode) && collection.isPending();
    let state: 'open' | 'waiting' | 'sending' | 'sent' = 'open';
    /** Whether the handler has responded, so that nothing else may be sent. For example, it may call `next` afterwards. */
    const isLate = (): boolean => state === 'waiting' || state === 'sent';

    /** Emits, and then responds with the status and headers that the handler set. */
    async function emitFirst(place: Room, respond: (sent: readonly Directive[]) => unknown): Promise<void> {
      state = 'waiting';
      const head = headOf(res);
      collections.responded(head.status, collection);
      const sent = await collection.flush(place);
      state = 'sending';
      if (!res.headersSent) restore(res, head);
      respond(sent);
    }

    function respondLater(...all: Parameters<typeof emitFirst>): ExpressResponse {
      emitFirst(...all).catch(next);
      return res;
    }

    res.send = (...all: unknown[]) => {
      const [body] = all;
      // Express 4 also accepts a status.
      const isText = typeof body === 'string' && all.length === 1;
      const isJson = isText && isJsonType(String(res.getHeader('content-type') ?? ''));
      const object = isJson && mustEmit() ? objectIn(body, res.statusCode) : null;
      if (!isText || object === null) return send(...all);
      return respondLater(room(object), (sent) =>
        send(sent.length === 0 ? body : textWith(body, object, sent)),
      );
    };
    function finish(all: unknown[]): ExpressResponse {
      collections.responded(res.statusCode, collection);
      end(...all);
      if (state === 'sending') state = 'sent';
      return res;
    }
    res.end = (...all: unknown[]) => {
      if (isLate()) return res;
      if (!mustEmit()) return finish(all);
      return respondLater(res.headersSent ? 'none' : room(null), (sent) => {
        setHeader(sent, {
          set: (name, value) => void res.setHeader(name, value),
          append: (name, value) => void res.appendHeader(name, value),
        });
        finish(all);
      });
    };
    for (const name of ['write', 'writeHead', 'flushHeaders'] as const) {
      const original = res[name].bind(res) as (...all: unknown[]) => unknown;
      // A middleware below may end the response later, which writes the headers.
      const isIgnored = (): boolean => (name === 'write' ? isLate() : state === 'waiting');
      Object.assign(res, { [name]: (...all: unknown[]) => (isIgnored() ? res : original(...all)) });
    }
    next();
  };
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<OutgoingHttpHeaders>;
}

const headOf = (res: ServerResponse): Head => ({ status: res.statusCode, headers: res.getHeaders() });

/** Restores only what has changed. */
function restore(res: ServerResponse, { status, headers }: Head): void {
  res.statusCode = status;
  for (const name of res.getHeaderNames()) if (headers[name] === undefined) res.removeHeader(name);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && res.getHeader(name) !== value) res.setHeader(name, value);
}

/** The fields that Express adds to a request when a route has matched. */
interface RoutedRequest extends IncomingMessage {
  baseUrl?: string;
  route?: { path?: unknown };
}

/** The pattern of the route, which is the same for `/tickets/1` and `/tickets/2`. Without a route it is the path. */
function routeOf(req: RoutedRequest): string {
  const path = req.route?.path;
  return typeof path === 'string' ? `${req.baseUrl ?? ''}${path}` : (req.url ?? '').replace(/\?.*/, '');
}

/**
 * A middleware for Express 4 and 5. Handlers collect directives, and their response contains them.
 *
 * @module @edict/server/express
 */

import type { Directive } from '@edict/core/protocol';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Hub } from '../hub.ts';
import {
  checkOptions,
  createCollections,
  isDone,
  type DirectiveCollector,
  type MiddlewareOptions,
} from './collector.ts';
import { bodyWith, objectOf, roomIn, setHeader, type Room } from './responseRoom.ts';

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
  /** Responds with JSON. */
  json(body?: unknown): unknown;
  /** Values that middlewares pass to handlers. */
  locals: object;
}

/** The member of `res.locals`. */
export interface DirectiveLocals {
  /** Collects the directives of this request. */
  directives: DirectiveCollector;
}

/** Sends the response, with the directives that it must contain. */
type Respond = (sent: readonly Directive[]) => void;

/**
 * Lets handlers collect directives with `res.locals.directives.emit([...])`. They are emitted when the handler responds with 2xx or 3xx, and
 * the response waits for that. If the client asked for them, the response contains them: the object passed to `res.json` as `directives`,
 * otherwise a header. The client id of the request is then their `source`.
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
    const json = res.json.bind(res);
    // `end` has several signatures. The same arguments are passed on later.
    const end = res.end.bind(res) as (...all: unknown[]) => ExpressResponse;
    const addHeader = (sent: readonly Directive[]): void => {
      if (res.headersSent) return;
      setHeader(sent, {
        set: (name, value) => void res.setHeader(name, value),
        append: (name, value) => void res.appendHeader(name, value),
      });
    };
    const mustEmit = (): boolean => isDone(res.statusCode) && collection.isPending();
    /** The response that waits until the directives are emitted, with the status and headers that the handler set. */
    let waiting: { readonly respond: Respond; readonly head: Head } | null = null;

    function respondLater(room: Room, respond: Respond): ExpressResponse {
      const isEmitting = waiting !== null;
      // Only a failure in the meantime replaces the response. For example, a handler may respond and then call `next`, and Express
      // would respond 404 because no other handler exists.
      if (isEmitting && res.statusCode < 500) return res;
      waiting = { respond, head: headOf(res) };
      // The error handler also receives errors that the response throws, for example for a body without a JSON
      // form.
      if (!isEmitting) emitAndRespond(room).catch(next);
      return res;
    }

    async function emitAndRespond(room: Room): Promise<void> {
      let sent: readonly Directive[];
      let last: typeof waiting;
      try {
        sent = await collection.flush(room);
      } finally {
        last = waiting;
        waiting = null;
      }
      if (last === null) return;
      if (!res.headersSent) restore(res, last.head);
      last.respond(sent);
    }

    res.json = (body) => {
      if (waiting === null && !mustEmit()) return json(body);
      // With another content type, such as `text/html` or `application/json-seq`, clients do not read the body as JSON.
      const isJson = /\bjson\b(?!-)/i.test(String(res.getHeader('content-type') ?? 'json'));
      const object = isJson ? objectOf(jsonOf(body), res.statusCode) : null;
      return respondLater(roomIn(res.statusCode, object), (sent) => {
        if (object === null) addHeader(sent);
        json(object === null || sent.length === 0 ? body : bodyWith(object, sent));
      });
    };
    res.end = (...all: unknown[]) => {
      collections.responded(res.statusCode, collection);
      if (waiting === null && !mustEmit()) return end(...all);
      return respondLater(res.headersSent ? 'none' : roomIn(res.statusCode, null), (sent) => {
        addHeader(sent);
        end(...all);
      });
    };
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

/** The JSON form of a database document or a date, whose own fields are not part of the response. */
function jsonOf(body: unknown): unknown {
  const hasForm = typeof body === 'object' && body !== null && 'toJSON' in body;
  return hasForm && typeof body.toJSON === 'function' ? body.toJSON('') : body;
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

/**
 * A middleware for Express 4 and 5: handlers say what changed, and the answer carries it.
 *
 * @module @edict/server/express
 */

import type { Directive } from '@edict/core/protocol';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Hub } from '../hub.ts';
import {
  bodyWith,
  checkOptions,
  createCollections,
  isDone,
  objectOf,
  roomIn,
  setHeader,
  type DirectiveCollector,
  type MiddlewareOptions,
  type Room,
} from './collector.ts';

export type { DirectiveCollector, MiddlewareOptions } from './collector.ts';

/** What the middleware needs of Express's response. */
export interface ExpressResponse extends ServerResponse {
  /** Answers with JSON. */
  json(body?: unknown): unknown;
  /** What middlewares leave for handlers. */
  locals: object;
}

/** What the middleware puts into `res.locals`. */
export interface DirectiveLocals {
  /** Collects the directives of this mutation. */
  directives: DirectiveCollector;
}

/** Answers with what was emitted, as far as the answer is to carry it. */
type Answer = (sent: readonly Directive[]) => void;

/**
 * Lets handlers collect directives with `res.locals.directives.emit([...])`. When the handler answers with 2xx or 3xx they are
 * emitted, and added to the answer if the client asked for them: to the object given to `res.json` as `directives`, else as a header. The
 * answer waits until they are emitted. The request's client id is their `source` where the answer carries them.
 */
export function directives(
  hub: Pick<Hub, 'emit'>,
  options: MiddlewareOptions = {},
): (req: IncomingMessage, res: ExpressResponse, next: (error?: unknown) => void) => void {
  const collections = createCollections(hub, options);
  checkOptions(options);
  return (req, res, next) => {
    const collection = collections.begin(req);
    collections.watch(res, collection);
    Object.assign(res.locals, { directives: collection.collector } satisfies DirectiveLocals);
    const json = res.json.bind(res);
    // `end` has many forms; whichever was called is called again with the same arguments.
    const end = res.end.bind(res) as (...all: unknown[]) => ExpressResponse;
    const addHeader = (sent: readonly Directive[]): void => {
      if (res.headersSent) return;
      setHeader(sent, {
        set: (name, value) => void res.setHeader(name, value),
        append: (name, value) => void res.appendHeader(name, value),
      });
    };
    const mustEmit = (): boolean => isDone(res.statusCode) && collection.isPending();
    /** The answer that waits until the directives are emitted, with its status and headers as it was given. */
    let waiting: { readonly answer: Answer; readonly head: Head } | null = null;

    function answerLater(room: Room, answer: Answer): ExpressResponse {
      const isEmitting = waiting !== null;
      // A failure that comes meanwhile takes its place. Nothing else does, as where it has gone at once: a handler may answer and call
      // `next`, and Express finds then that nobody else is there.
      if (isEmitting && res.statusCode < 500) return res;
      waiting = { answer, head: headOf(res) };
      // What the answer throws, such as a body that has no JSON form, is the error handler's too.
      if (!isEmitting) emitAndAnswer(room).catch(next);
      return res;
    }

    async function emitAndAnswer(room: Room): Promise<void> {
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
      last.answer(sent);
    }

    res.json = (body) => {
      if (waiting === null && !mustEmit()) return json(body);
      // A handler may say that its JSON is something else, such as `text/html` or `application/json-seq`: then clients do not look into it.
      const isJson = /\bjson\b(?!-)/i.test(String(res.getHeader('content-type') ?? 'json'));
      const object = isJson ? objectOf(jsonOf(body), res.statusCode) : null;
      return answerLater(roomIn(res.statusCode, object), (sent) => {
        if (object === null) addHeader(sent);
        json(object === null || sent.length === 0 ? body : bodyWith(object, sent));
      });
    };
    res.end = (...all: unknown[]) => {
      collections.answered(req.method ?? '', routeOf(req), res.statusCode, collection);
      if (waiting === null && !mustEmit()) return end(...all);
      return answerLater(res.headersSent ? 'none' : roomIn(res.statusCode, null), (sent) => {
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

/** What has not changed stays as it was written. */
function restore(res: ServerResponse, { status, headers }: Head): void {
  res.statusCode = status;
  for (const name of res.getHeaderNames()) if (headers[name] === undefined) res.removeHeader(name);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && res.getHeader(name) !== value) res.setHeader(name, value);
}

/** What a document of a database or a date is in JSON: its fields are not those of the answer. */
function jsonOf(body: unknown): unknown {
  const hasForm = typeof body === 'object' && body !== null && 'toJSON' in body;
  return hasForm && typeof body.toJSON === 'function' ? body.toJSON('') : body;
}

/** What Express adds to a request once a route has matched. */
interface RoutedRequest extends IncomingMessage {
  baseUrl?: string;
  route?: { path?: unknown };
}

/** The pattern of the route, so that `/tickets/1` and `/tickets/2` are one; the path where no route has matched. */
function routeOf(req: RoutedRequest): string {
  const path = req.route?.path;
  return typeof path === 'string' ? `${req.baseUrl ?? ''}${path}` : (req.url ?? '').replace(/\?.*/, '');
}

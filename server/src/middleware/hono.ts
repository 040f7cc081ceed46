/**
 * A middleware for Hono. Handlers collect directives, and their response contains them.
 *
 * @module @edict/server/hono
 */

import { DIRECTIVES_HEADER } from '@edict/core/protocol';
import type { Context, MiddlewareHandler } from 'hono';
import type { Hub } from '../hub.ts';
import {
  checkOptions,
  createCollections,
  isDone,
  type Collection,
  type DirectiveCollector,
  type MiddlewareOptions,
} from './collector.ts';
import { isJsonType, objectIn, roomIn, setHeader, textWith } from './responseRoom.ts';

export type { DirectiveCollector, MiddlewareOptions } from './collector.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Collects the directives of this request. Present after the middleware `directives`. */
    directives: DirectiveCollector;
  }
}

/** The variable of the context: `c.var.directives`. */
export interface DirectiveVariables {
  /** Collects the directives of this request. */
  directives: DirectiveCollector;
}

/**
 * Lets handlers collect directives with `c.var.directives.emit([...])`. They are emitted when the handler has responded with 2xx or 3xx. If the
 * client asked for them, the response contains them: in a JSON object as `directives`, otherwise as a header. The client id of the request
 * is then their `source`.
 *
 * ```ts
 * import { refreshItem } from '@edict/core/protocol';
 * import { createHub } from '@edict/server';
 * import { directives } from '@edict/server/hono';
 * import { Hono } from 'hono';
 *
 * const app = new Hono();
 * app.use(directives(createHub()));
 * app.put('/tickets/:id', (c) => {
 *   c.var.directives.emit([refreshItem('ticket', c.req.param('id'))]);
 *   return c.json({ ok: true });
 * });
 * ```
 */
export function directives(
  hub: Pick<Hub, 'emit'>,
  options: MiddlewareOptions<Context> = {},
): MiddlewareHandler<{ Variables: DirectiveVariables }> {
  const collections = createCollections(hub, options);
  checkOptions(options);
  return (c, next) => {
    // The pattern is the same for all ids.
    const route = (): string => c.req.matchedRoutes.at(-1)?.path ?? c.req.path;
    const collection = collections.begin(c.req.raw, c, route);
    c.set('directives', collection.collector);
    return next()
      .then(() => respond(c, collection))
      .finally(collection.end);
  };

  async function respond(c: Context, collection: Collection): Promise<void> {
    const { status } = c.res;
    const isJson = isJsonType(c.res.headers.get('content-type') ?? '');
    const mayAdd = isDone(status) && collection.isPending() && collection.isAsked;
    const text = mayAdd && isJson ? await textOf(c.res) : '';
    collections.responded(status, collection);
    if (!isDone(status) || !collection.isPending()) return;
    const object = objectIn(text, status);
    const room = roomIn(status, object, c.res.headers.has(DIRECTIVES_HEADER));
    const sent = await collection.flush(isTaken(c.res) ? 'none' : room);
    if (sent.length === 0) return;
    // The headers are never changed in place, because those of a response that was fetched from another server are immutable.
    if (object === null) {
      return setHeader(sent, {
        set: (name, value) => c.header(name, value),
        append: (name, value) => c.header(name, value, { append: true }),
      });
    }
    const headers = new Headers(c.res.headers);
    headers.delete('content-length');
    // Without this, Hono would merge the headers of the replaced response into the new one.
    c.res = undefined;
    c.res = new Response(textWith(text, object, sent), { status, headers });
  }
}

/** Whether the body was read, or is being read, so that no response can use it. */
const isTaken = ({ bodyUsed, body }: Response): boolean => bodyUsed || body?.locked === true;

/** Returns an empty text when the body cannot be read, because the mutation has happened anyway. */
async function textOf(response: Response): Promise<string> {
  try {
    return await response.clone().text();
  } catch {
    return '';
  }
}

/**
 * A middleware for Hono: handlers say what changed, and the answer carries it.
 *
 * @module @edict/server/hono
 */

import type { MiddlewareHandler } from 'hono';
import type { Hub } from '../hub.ts';
import {
  checkOptions,
  createCollections,
  isDone,
  isJsonType,
  objectIn,
  roomIn,
  setHeader,
  textWith,
  type DirectiveCollector,
  type MiddlewareOptions,
} from './collector.ts';

export type { DirectiveCollector, MiddlewareOptions } from './collector.ts';

/** What the middleware puts into the context: `c.var.directives`. */
export interface DirectiveVariables {
  /** Collects the directives of this mutation. */
  directives: DirectiveCollector;
}

/**
 * Lets handlers collect directives with `c.var.directives.emit([...])`. When the handler has answered with 2xx or 3xx they
 * are emitted, and added to the answer if the client asked for them: to a JSON object as `directives`, else as a header. The request's
 * client id is their `source` where the answer carries them.
 */
export function directives(
  hub: Pick<Hub, 'emit'>,
  options: MiddlewareOptions = {},
): MiddlewareHandler<{ Variables: DirectiveVariables }> {
  const collections = createCollections(hub, options);
  checkOptions(options);
  return async (c, next) => {
    const collection = collections.begin(c.req.raw);
    c.set('directives', collection.collector);
    await next();
    if (c.error !== undefined || !isDone(c.res.status)) return;
    const route = c.req.matchedRoutes.at(-1)?.path ?? c.req.path; // The pattern, so that ids do not make many of one.
    collections.answered(c.req.method, route, c.res.status, collection);
    if (!collection.isPending()) return;
    const { status } = c.res;
    const isJson = isJsonType(c.res.headers.get('content-type') ?? '');
    const text = collection.isAsked && isJson ? await textOf(c.res) : '';
    const object = objectIn(text, status);
    const sent = await collection.flush(isTaken(c.res) ? 'none' : roomIn(status, object));
    if (sent.length === 0) return;
    // Neither way changes the headers in place: those of an answer that was fetched from another server cannot be.
    if (object === null) {
      return setHeader(sent, {
        set: (name, value) => c.header(name, value),
        append: (name, value) => c.header(name, value, { append: true }),
      });
    }
    const headers = new Headers(c.res.headers);
    headers.delete('content-length');
    // Hono merges the headers of the response that is replaced unless there is none.
    c.res = undefined;
    c.res = new Response(textWith(text, object, sent), { status, headers });
  };
}

/** Whether somebody else has read the body, or is at it: nobody can answer with that. */
const isTaken = ({ bodyUsed, body }: Response): boolean => bodyUsed || body?.locked === true;

/** Empty where it cannot be read, or breaks off: the mutation has happened all the same. */
async function textOf(response: Response): Promise<string> {
  try {
    return await response.clone().text();
  } catch {
    return '';
  }
}

/**
 * A plugin for Fastify 5. Handlers collect directives, and their response contains them.
 *
 * @module @edict/server/fastify
 */

import { DIRECTIVES_HEADER } from '@edict/core/protocol';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Hub } from '../hub.ts';
import {
  createCollections,
  isDone,
  type Collection,
  type DirectiveCollector,
  type MiddlewareOptions,
} from './collector.ts';
import { isJsonType, objectIn, roomIn, setHeader, textWith, type MutableHeaders } from './responseRoom.ts';

export type { DirectiveCollector, MiddlewareOptions } from './collector.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Collects the directives of this request. Present after the plugin `directives` is registered. */
    directives: DirectiveCollector;
  }
}

/** Options of the plugin. */
export interface DirectivesPluginOptions extends MiddlewareOptions<FastifyRequest> {
  /** The hub that emits. */
  hub: Pick<Hub, 'emit'>;
}

/**
 * Lets handlers collect directives with `request.directives.emit([...])`. Register it with `await app.register(directives, { hub })`. The
 * directives are emitted when the handler has responded with 2xx or 3xx. If the client asked for them, the response contains them: in a JSON
 * object as `directives` (after its schema was applied), otherwise as a header. The client id of the request is then their `source`.
 */
export const directives: FastifyPluginAsync<DirectivesPluginOptions> = async (
  app: FastifyInstance,
  { hub, ...options },
) => {
  const collections = createCollections(hub, options);
  const collectionOf = new WeakMap<DirectiveCollector, Collection>();
  /** Collections whose response waits until they are emitted. */
  const emitting = new WeakSet<Collection>();

  /** When the client has left, Fastify calls no hook for a handler that returns nothing. The mutation has happened anyway. */
  function ended(request: FastifyRequest, { statusCode }: FastifyReply): void {
    const collection = collectionOf.get(request.directives);
    const hasLeft = request.raw.aborted || request.socket.destroyed;
    if (collection === undefined || !hasLeft) return;
    collections.responded(statusCode, collection);
    if (isDone(statusCode)) void collection.flush('none');
  }

  app.decorateRequest('directives');
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply);
      if (result instanceof Promise)
        result.then(
          (payload) => {
            if (payload === undefined) ended(request, reply);
          },
          () => undefined, // Fastify reports the failure.
        );
      return result;
    };
  });
  app.addHook('onRequest', async (request, reply) => {
    const route = (): string => request.routeOptions.url ?? request.url.replace(/\?.*/, '');
    const collection = collections.begin(request.raw, request, route);
    collections.watch(reply.raw, collection); // No hook is called for a hijacked reply.
    collectionOf.set(collection.collector, collection);
    request.directives = collection.collector;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const collection = collectionOf.get(request.directives);
    if (collection === undefined) return payload;
    if (emitting.has(collection)) {
      // A second response to the same request is dropped, as it is for a response that does not wait. An async handler that calls
      // `reply.send` and returns nothing causes one, because Fastify then sends an empty response.
      if (payload !== undefined)
        request.log.warn('The reply was already sent, and waits for its directives.');
      return noResponse();
    }
    // Fastify would do this after the hooks. It fails for a used body.
    if (isResponse(payload) && !payload.bodyUsed) {
      reply.code(payload.status);
      for (const [name, value] of payload.headers) reply.header(name, value);
      payload = payload.body;
    }
    const { statusCode } = reply;
    collections.responded(statusCode, collection);
    if (!isDone(statusCode) || !collection.isPending()) return payload;
    const isJson = isJsonType(String(reply.getHeader('content-type') ?? ''));
    const text = collection.isAsked && isJson && typeof payload === 'string' ? payload : '';
    const object = objectIn(text, statusCode);
    emitting.add(collection);
    const sent = await collection.flush(roomIn(statusCode, object, reply.hasHeader(DIRECTIVES_HEADER)));
    emitting.delete(collection);
    reply.code(statusCode); // An error in the meantime may have changed it.
    if (object === null) setHeader(sent, headersOf(reply));
    if (object === null || sent.length === 0) return payload;
    reply.removeHeader('content-length');
    return textWith(text, object, sent);
  });
};

/** Also recognizes the `Response` of another implementation, as Fastify does. */
const isResponse = (payload: unknown): payload is Response =>
  Object.prototype.toString.call(payload) === '[object Response]';

/** Prevents a response from being sent. Fastify waits for the promise. */
const noResponse = (): Promise<never> => new Promise(() => {});

function headersOf(reply: FastifyReply): MutableHeaders {
  const set = (name: string, value: string): void => void reply.header(name, value);
  return { set, append: (name, value) => set(name, [reply.getHeader(name) ?? [], value].flat().join(', ')) };
}

// Without this, Fastify limits the hooks of a plugin to its own context.
Object.assign(directives, { [Symbol.for('skip-override')]: true });

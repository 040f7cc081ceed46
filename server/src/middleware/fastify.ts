/**
 * A plugin for Fastify 5: handlers say what changed, and the answer carries it.
 *
 * @module @edict/server/fastify
 */

import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Hub } from '../hub.ts';
import {
  createCollections,
  isDone,
  isJsonType,
  objectIn,
  roomIn,
  setHeader,
  textWith,
  type AnswerHeaders,
  type Collection,
  type DirectiveCollector,
  type MiddlewareOptions,
} from './collector.ts';

export type { DirectiveCollector, MiddlewareOptions } from './collector.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Collects the directives of this mutation; there once the plugin `directives` is registered. */
    directives: DirectiveCollector;
  }
}

/** Options of the plugin. */
export interface DirectivesPluginOptions extends MiddlewareOptions {
  /** Whom it emits to. */
  hub: Pick<Hub, 'emit'>;
}

/**
 * Lets handlers collect directives with `request.directives.emit([...])`: `await app.register(directives, { hub })`. When the handler has
 * answered with 2xx or 3xx they are emitted, and added to the answer if the client asked for them: to a JSON object as `directives` (after
 * its schema was applied), else as a header. The request's client id is their `source` where the answer carries them.
 */
export const directives: FastifyPluginAsync<DirectivesPluginOptions> = async (
  app: FastifyInstance,
  { hub, ...options },
) => {
  const collections = createCollections(hub, options);
  const collectionOf = new WeakMap<DirectiveCollector, Collection>();
  /** Those whose answer waits until they are emitted. */
  const emitting = new WeakSet<Collection>();

  /** Once the client has left, Fastify does not answer for a handler that returns nothing: no hook is called, but the mutation has happened. */
  function ended(request: FastifyRequest, { statusCode }: FastifyReply): void {
    const collection = collectionOf.get(request.directives);
    const hasLeft = request.raw.aborted || request.socket.destroyed;
    if (collection === undefined || !hasLeft || !isDone(statusCode)) return;
    collection.close();
    void collection.flush('none');
  }

  app.decorateRequest('directives');
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const answer: unknown = handler.call(this, request, reply);
      if (answer instanceof Promise)
        answer.then(
          (payload) => {
            if (payload === undefined) ended(request, reply);
          },
          () => undefined, // It has failed, and Fastify says so.
        );
      return answer;
    };
  });
  app.addHook('onRequest', async (request, reply) => {
    const collection = collections.begin(request.raw);
    collections.watch(reply.raw, collection); // For those who hijack the reply: no other hook sees their answer.
    collectionOf.set(collection.collector, collection);
    request.directives = collection.collector;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const collection = collectionOf.get(request.directives);
    if (collection === undefined) return payload;
    if (emitting.has(collection)) {
      // What has gone at once cannot be answered a second time, so nor can what waits here. An async handler that calls `reply.send` and
      // returns nothing does so without knowing: Fastify sends nothing for it, once more.
      if (payload !== undefined)
        request.log.warn('The reply was already sent, and waits for its directives.');
      return noAnswer();
    }
    if (!isDone(reply.statusCode)) return payload;
    collections.answered(
      request.method,
      request.routeOptions.url ?? request.url,
      reply.statusCode,
      collection,
    );
    if (!collection.isPending()) return payload;
    const isJson = isJsonType(String(reply.getHeader('content-type') ?? ''));
    const text = collection.isAsked && isJson && typeof payload === 'string' ? payload : '';
    const { statusCode } = reply;
    const object = objectIn(text, statusCode);
    emitting.add(collection);
    const sent = await collection.flush(roomIn(statusCode, object));
    emitting.delete(collection);
    reply.code(statusCode); // An error that came meanwhile has set its own.
    if (object === null) setHeader(sent, headersOf(reply));
    if (object === null || sent.length === 0) return payload;
    reply.removeHeader('content-length');
    return textWith(text, object, sent);
  });
};

/** For an answer that must not go out: Fastify waits for it, and keeps nothing. */
const noAnswer = (): Promise<never> => new Promise(() => {});

function headersOf(reply: FastifyReply): AnswerHeaders {
  const set = (name: string, value: string): void => void reply.header(name, value);
  return { set, append: (name, value) => set(name, [reply.getHeader(name) ?? [], value].flat().join(', ')) };
}

// Fastify keeps a plugin's hooks to itself unless it says that they are meant for its surroundings.
Object.assign(directives, { [Symbol.for('skip-override')]: true });

/**
 * A plugin for Fastify 5: handlers say what changed, and the answer carries it.
 *
 * @module @edict/server/fastify
 */

import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Hub } from '../hub.ts';
import {
  createCollections,
  isSuccess,
  setHeader,
  textWith,
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
 * answered with 2xx they are emitted with the request's client id as `source`, and added to the answer if the client asked for them: to a
 * JSON object as `directives` (after its schema was applied), else as a header.
 */
export const directives: FastifyPluginAsync<DirectivesPluginOptions> = async (
  app: FastifyInstance,
  { hub, ...options },
) => {
  const collections = createCollections(hub, options);
  const collectionOf = new WeakMap<DirectiveCollector, Collection>();

  app.decorateRequest('directives');
  app.addHook('onRequest', async (request) => {
    const collection = collections.begin(request.raw);
    collectionOf.set(collection.collector, collection);
    request.directives = collection.collector;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const collection = collectionOf.get(request.directives);
    if (collection === undefined || !isSuccess(reply.statusCode)) return payload;
    collections.answered(
      request.method,
      request.routeOptions.url ?? request.url,
      reply.statusCode,
      collection,
    );
    const sent = await collection.flush();
    const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
    const text = sent.length > 0 && isJson && typeof payload === 'string' ? textWith(payload, sent) : null;
    if (text === null) {
      setHeader(sent, (name, value) => void reply.header(name, value), collections.log);
      return payload;
    }
    reply.removeHeader('content-length');
    return text;
  });
};

// Fastify keeps a plugin's hooks to itself unless it says that they are meant for its surroundings.
Object.assign(directives, { [Symbol.for('skip-override')]: true });

// A server of each framework with one route, whose middleware is under test.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express, { type Request as ExpressRequest, type Response as ExpressAnswer } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import type { DirectiveCollector, MiddlewareOptions } from '../../src/middleware/collector.ts';
import { directives as forExpress } from '../../src/middleware/express.ts';
import { directives as forFastify } from '../../src/middleware/fastify.ts';
import { directives as forHono } from '../../src/middleware/hono.ts';
import { hubForTest, listen } from '../support/servers.ts';
import { asks } from './requests.ts';

/** The response of a route, in a form that all frameworks share. */
export interface Answer {
  readonly status?: number;
  /** The headers that the application exposes to other origins. */
  readonly exposed?: string;
  /** The handler's own header with directives. */
  readonly own?: string;
  readonly json?: unknown;
  readonly text?: string;
  readonly throws?: boolean;
  /** The route responds after it. */
  readonly after?: Promise<unknown>;
}

/** `left` resolves when the client has left. */
export type Route = (collector: DirectiveCollector, left: () => Promise<unknown>) => Answer;
export type Serve = (hub: Hub, route: Route, options: MiddlewareOptions) => Promise<string>;

export const exposeHeaders = 'access-control-expose-headers';

const serveHono: Serve = async (hub, route, options) => {
  const app = new Hono();
  app.use(forHono(hub, options)).all('/tickets/:id', async (c) => {
    const {
      status = 200,
      json,
      text,
      throws,
      exposed,
      own,
      after,
    } = route(c.var.directives, () => once(c.req.raw.signal, 'abort'));
    if (after !== undefined) await after;
    if (throws === true) throw new Error('The route failed.');
    if (exposed !== undefined) c.header(exposeHeaders, exposed);
    if (own !== undefined) c.header('X-Service-Directives', own);
    if (json !== undefined) return c.json(json as object, status as 200);
    return text === undefined ? c.body(null, status as 200) : c.body(text, status as 200);
  });
  app.onError((_, c) => c.text('failed', 500));
  return listen(createServer(getRequestListener(app.fetch)));
};

const serveExpress: Serve = async (hub, route, options) => {
  const app = express();
  app.use(forExpress(hub, options));
  app.all('/tickets/:id', async (_: ExpressRequest, res: ExpressAnswer) => {
    const {
      status = 200,
      json,
      text,
      throws,
      exposed,
      own,
      after,
    } = route(res.locals.directives, () => once(res, 'close'));
    if (after !== undefined) await after;
    if (throws === true) throw new Error('The route failed.');
    res.status(status);
    if (exposed !== undefined) res.set(exposeHeaders, exposed);
    if (own !== undefined) res.set('X-Service-Directives', own);
    if (json !== undefined) res.json(json);
    else if (text !== undefined) res.type('text').send(text);
    else res.end();
  });
  app.use((_: unknown, __: unknown, res: ExpressAnswer, ___: unknown) => void res.status(500).end('failed'));
  return listen(createServer(app));
};

const serveFastify: Serve = async (hub, route, options) => {
  const app = fastify();
  onTestFinished(() => void app.close());
  await app.register(forFastify, { hub, ...options });
  app.all('/tickets/:id', async (request, reply) => {
    const {
      status = 200,
      json,
      text,
      throws,
      exposed,
      own,
      after,
    } = route(request.directives, () => once(reply.raw, 'close'));
    if (after !== undefined) await after;
    if (throws === true) throw new Error('The route failed.');
    reply.status(status);
    if (exposed !== undefined) reply.header(exposeHeaders, exposed);
    if (own !== undefined) reply.header('X-Service-Directives', own);
    return json ?? reply.send(text);
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
};

export const frameworks: [string, Serve][] = [
  ['Hono', serveHono],
  ['Express', serveExpress],
  ['Fastify', serveFastify],
];

/** Serves a route, and records the lines of the log and the source that each list is emitted with. */
export async function serveRoute(
  serve: Serve,
  route: Route,
  hub: Hub = hubForTest({ authorize: () => true }),
) {
  const lines: string[] = [];
  const sources: unknown[] = [];
  const recording: Hub = {
    ...hub,
    emit(list, emitOptions) {
      sources.push(emitOptions?.source);
      return hub.emit(list, emitOptions);
    },
  };
  const url = await serve(recording, route, {
    log: (_level, message) => void lines.push(message),
    warnWhenSilent: true,
  });
  const send = (
    headers: Record<string, string> = asks,
    method = 'PUT',
    id = 1,
    signal: AbortSignal | null = null,
  ): Promise<Response> => fetch(`${url}/tickets/${id}`, { method, headers, signal, redirect: 'manual' });
  return { hub, lines, sources, send };
}

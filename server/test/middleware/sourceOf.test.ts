import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express, { type Request as ExpressRequest } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { directives as forExpress } from '../../src/middleware/express.ts';
import { directives as forFastify } from '../../src/middleware/fastify.ts';
import { directives as forHono } from '../../src/middleware/hono.ts';
import { hubForTest, listen } from '../support/servers.ts';
import { asks, ticket } from './requests.ts';

type SourceOf = (user: string, clientId: string | null) => string | null | Promise<string | null>;

/** A server of each framework whose authentication puts a user into the request, and whose `sourceOf` reads it there. */
const frameworksWithUsers: [string, (hub: Hub, sourceOf: SourceOf) => Promise<string>][] = [
  [
    'Hono',
    async (hub, sourceOf) => {
      const app = new Hono<{ Variables: { user: string } }>();
      app.use(
        forHono(hub, {
          log: () => {},
          sourceOf: (c, clientId) => sourceOf(c.get('user') as string, clientId),
        }),
      );
      app.use(async (c, next) => {
        c.set('user', 'ada');
        await next();
      });
      app.put('/tickets/:id', (c) => {
        c.var.directives.emit([ticket(1)]);
        return c.json({ ok: true });
      });
      return listen(createServer(getRequestListener(app.fetch)));
    },
  ],
  [
    'Express',
    async (hub, sourceOf) => {
      type WithUser = ExpressRequest & { user?: string };
      const app = express();
      app.use(
        forExpress<WithUser>(hub, {
          log: () => {},
          sourceOf: (req, clientId) => sourceOf(req.user ?? '', clientId),
        }),
      );
      app.use((req: WithUser, _res, next) => {
        req.user = 'ada';
        next();
      });
      app.put('/tickets/:id', (_req, res) => {
        res.locals.directives.emit([ticket(1)]);
        res.json({ ok: true });
      });
      return listen(createServer(app));
    },
  ],
  [
    'Fastify',
    async (hub, sourceOf) => {
      const app = fastify();
      onTestFinished(() => void app.close());
      app.decorateRequest('user', '');
      await app.register(forFastify, {
        hub,
        log: () => {},
        sourceOf: (request, clientId) => sourceOf((request as { user?: string }).user ?? '', clientId),
      });
      app.addHook('preHandler', async (request) => void Object.assign(request, { user: 'ada' }));
      app.put('/tickets/:id', async (request) => {
        request.directives.emit([ticket(1)]);
        return { ok: true };
      });
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
  ],
];

describe.each(frameworksWithUsers)('sourceOf with %s', (_, serve) => {
  it.each<[string, SourceOf, string | null]>([
    ['binds the client id to the user', (user, clientId) => `${user}:${clientId}`, 'ada:me'],
    ['may be async', async (user) => user, 'ada'],
    ['may refuse the client id', () => null, null],
    [
      'may throw, so that the directives have no source',
      () => {
        throw new Error('no session');
      },
      null,
    ],
    [
      'may reject, so that the directives have no source',
      () => Promise.reject(new Error('no session')),
      null,
    ],
    ['must return a string or null', () => 7 as never, null],
  ])('%s', async (_name, sourceOf, source) => {
    const hub = hubForTest();
    const emitted: unknown[] = [];
    const recording: Hub = {
      ...hub,
      emit(list, options) {
        emitted.push(options?.source);
        return hub.emit(list, options);
      },
    };
    const url = await serve(recording, sourceOf);
    const response = await fetch(`${url}/tickets/1`, { method: 'PUT', headers: asks });
    const body = (await response.json()) as { directives: { id: number; source?: string }[] };
    expect(body.directives).toMatchObject([{ id: 1 }]);
    expect(body.directives[0]?.source ?? null).toBe(source);
    expect(emitted).toEqual([source]);
  });
});

import express from 'express';
import type { FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import { expectTypeOf, it } from 'vitest';
import { hubForTest } from '../support/servers.ts';
import { directives as forExpress } from '../../src/middleware/express.ts';
import type { DirectiveCollector } from '../../src/middleware/fastify.ts';
import { directives as forHono } from '../../src/middleware/hono.ts';

it('types the collector of every framework without a cast', () => {
  express()
    .use(forExpress(hubForTest()))
    .put('/', (_req, res) => expectTypeOf(res.locals.directives).toEqualTypeOf<DirectiveCollector>());
  const app = new Hono();
  app.use(forHono(hubForTest()));
  app.put('/', (c) => {
    expectTypeOf(c.var.directives).toEqualTypeOf<DirectiveCollector>();
    expectTypeOf(c.get('directives')).toEqualTypeOf<DirectiveCollector>();
    return c.body(null);
  });
  expectTypeOf<FastifyRequest['directives']>().toEqualTypeOf<DirectiveCollector>();
});

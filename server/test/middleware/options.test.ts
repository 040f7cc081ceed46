import { createServer } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { Hono, type MiddlewareHandler } from 'hono';
import { describe, expect, it } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { directives as forExpress } from '../../src/middleware/express.ts';
import { directives as forFastify } from '../../src/middleware/fastify.ts';
import { directives as forHono } from '../../src/middleware/hono.ts';
import { hubForTest, listen } from '../support/servers.ts';

describe('the setup of a middleware', () => {
  it('throws when it receives no hub, but for example the options of another framework', async () => {
    const given = { hub: hubForTest() } as unknown as Hub; // The options of Fastify.
    const rule = '[edict] directives: hub must be the result of createHub, not an object.';
    expect(() => forHono(given)).toThrow(new TypeError(rule));
    expect(() => forExpress(given)).toThrow(new TypeError(rule));
    const app = fastify();
    await expect(async () => app.register(forFastify, {} as { hub: Hub })).rejects.toThrow(
      new TypeError('[edict] directives: hub must be the result of createHub, not undefined.'),
    );
  });

  it.each([null, 'warn'])('throws when the options are %o', (options) => {
    const rule = new TypeError(
      `[edict] directives: options must be an object, not ${options === null ? 'null' : '"warn"'}.`,
    );
    expect(() => forHono(hubForTest(), options as never)).toThrow(rule);
    expect(() => forExpress(hubForTest(), options as never)).toThrow(rule);
  });

  it('reports the missing hub when an application registers the factory instead of the middleware', async () => {
    const rule = '[edict] directives: hub must be the result of createHub, not an object.';
    const onExpress = express().use(forExpress as unknown as express.RequestHandler);
    onExpress.use(
      ((error: Error, _req, res, _next) => void res.send(error.message)) as express.ErrorRequestHandler,
    );
    const told = await fetch(await listen(createServer(onExpress)));
    expect(await told.text()).toBe(rule);

    const onHono = new Hono().use(forHono as unknown as MiddlewareHandler);
    onHono.onError((error, c) => c.text(error.message));
    expect(await (await onHono.request('/')).text()).toBe(rule);
  });

  it('throws when an option is misspelled or invalid', async () => {
    const hub = hubForTest();
    const misspelt = { warnWhenSilnt: false } as object;
    const known =
      '[edict] directives: warnWhenSilnt is not an option. Use one of: warnWhenSilent, sourceOf, log.';
    expect(() => forHono(hub, misspelt)).toThrow(new TypeError(known));
    expect(() => forExpress(hub, misspelt)).toThrow(new TypeError(known));
    for (const warnWhenSilent of ['never', null])
      expect(() => forHono(hub, { warnWhenSilent: warnWhenSilent as never })).toThrow(
        `directives: warnWhenSilent must be true or false, not ${JSON.stringify(warnWhenSilent)}`,
      );
    const log = new TypeError('[edict] directives: log must be a function, not "console".');
    const wrong = { log: 'console' as never };
    expect(() => forHono(hub, wrong)).toThrow(log);
    expect(() => forExpress(hub, wrong)).toThrow(log);
    await expect(async () => fastify().register(forFastify, { hub, ...wrong })).rejects.toThrow(log);
  });

  it('ignores other members of the options with Fastify', async () => {
    const given = { hub: hubForTest(), prefix: '/api', database: {} };
    await expect(fastify().register(forFastify, given).ready()).resolves.toBeDefined();
  });
});

import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { directives as forFastify } from '../../src/middleware/fastify.ts';
import { hubForTest } from '../support/servers.ts';
import { asks, sendAndLeave, ticket, toldHub } from './requests.ts';

describe('the middleware for Fastify', () => {
  /** A route that collects a directive and writes its response to the raw socket. Resolves to its address. */
  async function servePast(hub: Hub, answer: (raw: ServerResponse) => unknown): Promise<string> {
    const app = fastify();
    onTestFinished(() => void app.close());
    await app.register(forFastify, { hub });
    app.put('/', (incoming, reply) => {
      incoming.directives.emit([ticket(1)]);
      reply.hijack();
      answer(reply.raw);
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
  }

  it.each([
    [
      'until its end',
      (raw: ServerResponse) => raw.end('one'),
      (url: string) => fetch(url, { method: 'PUT' }),
    ],
    ['until its client leaves', (raw: ServerResponse) => raw.write('one'), sendAndLeave],
  ])(
    'emits the directives of a response that the handler writes without Fastify, %s',
    async (_, write, send) => {
      const { hub, next } = toldHub();
      await send(await servePast(hub, write));
      expect(await next()).toBeNull();
    },
  );

  it('adds directives to the text of a response, so that numbers beyond the precision of JavaScript stay exact', async () => {
    const app = fastify();
    onTestFinished(() => void app.close());
    await app.register(forFastify, { hub: hubForTest() });
    const answer = { type: 'object', properties: { id: { type: 'integer' } } };
    app.put('/', { schema: { response: { 200: answer } } }, async (incoming) => {
      incoming.directives.emit([ticket(1)]);
      return { id: 9_007_199_254_740_993n };
    });
    const response = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }), {
      method: 'PUT',
      headers: asks,
    });
    expect(await response.text()).toMatch(/^{"id":9007199254740993,"directives":\[{.*}\]}$/);
  });

  it.each([
    [201, 'me'],
    [303, null],
    [304, null],
    [409, 'the test'],
    [500, 'the test'],
  ])(
    'D-HUB-12 reads the status of a `Response` that a handler returns or sends: %i',
    async (status, source) => {
      const { hub, next } = toldHub();
      const app = fastify();
      onTestFinished(() => void app.close());
      await app.register(forFastify, { hub });
      const answer = (incoming: FastifyRequest): Response => {
        incoming.directives.emit([ticket(1)]);
        const headers = { 'access-control-expose-headers': 'X-Own', 'x-own': 'yes' };
        return new Response(status === 304 ? null : 'text', { status, headers });
      };
      app.put('/returned', async (incoming) => answer(incoming));
      app.put('/sent', (incoming, reply) => void reply.send(answer(incoming)));
      for (const url of ['/returned', '/sent'] as const) {
        const response = await app.inject({ method: 'PUT', url, headers: asks });
        expect([response.statusCode, response.body]).toEqual([status, status === 304 ? '' : 'text']);
        expect(response.headers).toMatchObject({
          'x-own': 'yes',
          'access-control-expose-headers': source === 'me' ? 'X-Own, X-Service-Directives' : 'X-Own',
        });
        await hub.emit([ticket(2)], { source: 'the test' });
        expect(await next()).toBe(source);
        if (source !== 'the test') await next();
      }
    },
  );

  it.each([
    ['returns nothing', (): void => {}],
    [
      'throws afterwards',
      (): never => {
        throw new Error('The route failed.');
      },
    ],
    ['responds a second time', (reply: FastifyReply): void => void reply.send({ is: 'the second' })],
  ])('sends the first response of an async handler that %s', async (_, go) => {
    const app = fastify();
    onTestFinished(() => void app.close());
    await app.register(forFastify, { hub: hubForTest() });
    app.put('/', async (incoming, reply) => {
      incoming.directives.emit([ticket(1)]);
      void reply.code(201).send({ is: 'the first' });
      go(reply);
    });
    const response = await fetch(await app.listen({ port: 0, host: '127.0.0.1' }), {
      method: 'PUT',
      headers: asks,
    });
    expect(response.status).toBe(201);
    // The client is the source, so it ignores the directives of the stream and needs them here.
    expect(JSON.parse(await response.text())).toMatchObject({
      is: 'the first',
      directives: [{ id: 1, source: 'me' }],
    });
  });

  it.each([
    ['responds without a body', (reply: FastifyReply) => void reply.code(204), null],
    ['writes without Fastify', (reply: FastifyReply) => void reply.hijack().raw.end('one'), null],
    ['returns an object', () => ({ ok: true }), 'me'],
    [
      'fails',
      () => {
        throw new Error('The route failed.');
      },
      'the test',
    ],
  ])(
    'emits the directives of a mutation whose client has left, unless it fails: its handler %s',
    async (_, answer, source) => {
      const { hub, next } = toldHub();
      const app = fastify();
      onTestFinished(() => void app.close());
      await app.register(forFastify, { hub });
      let begun = (): void => {};
      let over = (): void => {};
      const isBegun = new Promise<void>((done) => (begun = done));
      const isOver = new Promise<void>((done) => (over = done));
      app.put('/', async (incoming, reply) => {
        begun();
        await once(incoming.raw.socket, 'close');
        incoming.directives.emit([ticket(1)]);
        setImmediate(over);
        return answer(reply);
      });
      const leaving = request(await app.listen({ port: 0, host: '127.0.0.1' }), {
        method: 'PUT',
        headers: asks,
      });
      leaving.on('error', () => {}).end();
      await isBegun;
      leaving.destroy();
      await isOver;
      await hub.emit([ticket(2)], { source: 'the test' });
      expect(await next()).toBe(source);
    },
  );

  it('drops the directives of an error response that the handler writes without Fastify', async () => {
    const { hub, next } = toldHub();
    await fetch(await servePast(hub, (raw) => raw.writeHead(500).end()), { method: 'PUT' });
    await hub.emit([ticket(2)], { source: 'the test' });
    expect(await next()).toBe('the test');
  });
});

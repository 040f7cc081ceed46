import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import type { DirectiveCollector } from '../../src/middleware/collector.ts';
import { directives as forHono } from '../../src/middleware/hono.ts';
import { hubForTest, listen } from '../support/servers.ts';
import { asks, ticket } from './requests.ts';

describe('the middleware for Hono', () => {
  async function serve(answer: () => Response | Promise<Response>): Promise<string> {
    const app = new Hono();
    app.use(forHono(hubForTest())).put('/', (c) => {
      (c.get as (name: 'directives') => DirectiveCollector)('directives').emit([ticket(1)]);
      return answer();
    });
    return listen(createServer(getRequestListener(app.fetch)));
  }

  it('adds directives to a response that the handler fetched from another server, as JSON or text', async () => {
    const other = await listen(
      createServer(({ url }, res) => {
        res.statusCode = 201;
        if (url === '/json') res.setHeader('content-type', 'application/json');
        res.setHeader('x-other', 'yes').end('{"ok":true}');
      }),
    );
    for (const path of ['/json', '/text']) {
      const response = await fetch(await serve(() => fetch(other + path)), { method: 'PUT', headers: asks });
      const body = await response.text();
      expect(response.status).toBe(201);
      expect(response.headers.get('x-other')).toBe('yes');
      expect(body).toMatch(/^{"ok":true/);
      expect(`${body}${response.headers.get('x-service-directives')}`).toContain('"source":"me"');
    }
  });

  it.each([
    [
      'with a long number',
      '{ "id": 9007199254740993, "total": 10.50 }\n',
      '{ "id": 9007199254740993, "total": 10.50 ,',
    ],
    ['without members', ' { } ', ' { '],
    ['that ends with a brace in a string', '{"a":"}"}', '{"a":"}",'],
    ['with directives of its own', '{"directives":[{"op":"own"}]}', '{"directives":[{"op":"own"},'],
  ])('adds directives to a JSON object %s without changing the rest', async (_name, text, begin) => {
    const url = await serve(() => new Response(text, { headers: { 'content-type': 'application/json' } }));
    const body = await (await fetch(url, { method: 'PUT', headers: asks })).text();
    expect(body.startsWith(begin)).toBe(true);
    const { directives } = JSON.parse(body) as { directives: object[] };
    expect(directives.at(-1)).toMatchObject({ id: 1, source: 'me' });
  });

  it('does not wait for the end of a stream of JSON texts, whose directives are in the header', async () => {
    let end = (): void => {};
    const url = await serve(() => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"ok":true}\n'));
          end = () => controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'application/json-seq' } });
    });
    const response = await fetch(url, { method: 'PUT', headers: asks });
    expect(response.headers.get('x-service-directives')).toContain('"source":"me"');
    end();
    expect(await response.text()).toBe('{"ok":true}\n');
  });

  it('emits the directives of a response that breaks off, and passes on the error', async () => {
    const hub = hubForTest();
    const app = new Hono();
    app.use(forHono(hub)).put('/', (c) => {
      (c.get as (name: 'directives') => DirectiveCollector)('directives').emit([ticket(1)]);
      let parts = 0;
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (parts++ === 0) controller.enqueue(new TextEncoder().encode('{"rows":['));
            else controller.error(new Error('The database has gone.'));
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { headers: { 'content-type': 'application/json' } });
    });
    const response = await app.request('/', { method: 'PUT', headers: asks });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-service-directives')).toContain('"source":"me"');
    await expect(response.text()).rejects.toThrow('The database has gone.');
    expect(hub.metrics().emits).toBe(1);
  });

  it.each<[string, (response: Response) => unknown]>([
    ['read', (response) => response.text()],
    ['started to read', (response) => response.body?.getReader()],
  ])(
    'emits the directives of a response whose body another middleware has %s, without a source',
    async (_, read) => {
      const hub = hubForTest();
      const emit = vi.spyOn(hub, 'emit');
      const app = new Hono();
      app.use(forHono(hub)).use(async (c, next) => {
        await next();
        await read(c.res);
      });
      app.put('/', (c) => {
        (c.get as (name: 'directives') => DirectiveCollector)('directives').emit([ticket(1)]);
        return c.json({});
      });
      const response = await app.request('/', { method: 'PUT', headers: asks });
      expect(response.status).toBe(200);
      expect(emit.mock.calls).toEqual([[[expect.objectContaining({ id: 1 })], { source: null }]]);
    },
  );

  it('D-HUB-12 emits the directives of a handler that throws if the error handler responds with 2xx', async () => {
    const hub = hubForTest();
    const app = new Hono();
    app.use(forHono(hub)).put('/', (c) => {
      (c.get as (name: 'directives') => DirectiveCollector)('directives').emit([ticket(1)]);
      throw new Error('The mail was not sent.');
    });
    app.onError((_, c) => c.json({ isSent: false }));
    const response = await app.request('/', { method: 'PUT', headers: asks });
    expect(await response.json()).toMatchObject({ isSent: false, directives: [{ id: 1, source: 'me' }] });
    expect(hub.metrics().emits).toBe(1);
  });

  it('does not warn of a mutation behind two middlewares, of which one collected', async () => {
    const log = vi.fn();
    const app = new Hono();
    app.use(forHono(hubForTest(), { log, warnWhenSilent: true }));
    app.put('/', forHono(hubForTest(), { log, warnWhenSilent: true }), (c) => {
      c.var.directives.emit([ticket(1)]);
      return c.json({ ok: true });
    });
    await app.request('/', { method: 'PUT', headers: asks });
    expect(log).not.toHaveBeenCalled();
  });

  it('can be created without a global process, as on some workers', () => {
    const hub = hubForTest();
    vi.stubGlobal('process', undefined);
    try {
      forHono(hub);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

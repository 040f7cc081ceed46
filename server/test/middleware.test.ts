import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express, { type Request as ExpressRequest, type Response as ExpressAnswer } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DirectiveInput, Hub } from '../src/index.ts';
import type { DirectiveCollector, MiddlewareOptions } from '../src/middleware/collector.ts';
import { directives as forExpress } from '../src/middleware/express.ts';
import { directives as forFastify } from '../src/middleware/fastify.ts';
import { directives as forHono } from '../src/middleware/hono.ts';
import { playedBackplane } from './support/recordedBackplane.ts';
import { hubForTest, listen } from './support/servers.ts';

/** What a route does, told once for all frameworks. */
interface Answer {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly throws?: boolean;
}

type Route = (collector: DirectiveCollector) => Answer;
type Serve = (hub: Hub, route: Route, options: MiddlewareOptions) => Promise<string>;

const ticket = (id: number, more: object = {}): DirectiveInput => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});

const serveHono: Serve = async (hub, route, options) => {
  const app = new Hono();
  app.use(forHono(hub, options)).all('/tickets/:id', (c) => {
    const {
      status = 200,
      json,
      text,
      throws,
    } = route((c.get as (name: 'directives') => DirectiveCollector)('directives'));
    if (throws === true) throw new Error('The route failed.');
    if (json !== undefined) return c.json(json as object, status as 200);
    return new Response(text ?? null, { status });
  });
  app.onError((_, c) => c.text('failed', 500));
  return listen(createServer(getRequestListener(app.fetch)));
};

const serveExpress: Serve = async (hub, route, options) => {
  const app = express();
  app.use(forExpress(hub, options));
  app.all('/tickets/:id', (_: ExpressRequest, res: ExpressAnswer) => {
    const {
      status = 200,
      json,
      text,
      throws,
    } = route((res.locals as { directives: DirectiveCollector }).directives);
    if (throws === true) throw new Error('The route failed.');
    res.status(status);
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
    const { status = 200, json, text, throws } = route(request.directives);
    if (throws === true) throw new Error('The route failed.');
    reply.status(status);
    return json ?? reply.send(text);
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
};

const asks = { 'x-service-client-id': 'me', 'x-service-directive-request': 'send me directives' };

describe.each([
  ['Hono', serveHono],
  ['Express', serveExpress],
  ['Fastify', serveFastify],
])('the middleware for %s', (_, serve) => {
  async function setup(route: Route, hub: Hub = hubForTest({ authorize: () => true })) {
    const lines: string[] = [];
    /** The source that each list was emitted with. */
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
    const send = (headers: Record<string, string> = asks, method = 'PUT', id = 1): Promise<Response> =>
      fetch(`${url}/tickets/${id}`, { method, headers, redirect: 'manual' });
    return { hub, lines, sources, send };
  }

  it('emits after success and adds the stamped directives to the JSON object of the answer', async () => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      collector.emit([ticket(2, { idempotency_key: 'mine' })], { audience: ['a', 'b'] });
      return { json: { ok: true, directives: [{ op: 'own' }] } };
    });
    const response = await send();
    const body = (await response.json()) as { directives: Record<string, unknown>[] };
    expect(response.headers.get('x-service-directives')).toBeNull();
    expect(body).toMatchObject({
      ok: true,
      directives: [
        { op: 'own' },
        { id: 1, audience: 'global', source: 'me' },
        { id: 2, audience: 'a', source: 'me', idempotency_key: 'mine' },
        { id: 2, audience: 'b', source: 'me', idempotency_key: 'mine' },
      ],
    });
    expect(body.directives[1]?.['seq']).toBe((await hub.cursor()).seq);
    expect(hub.metrics().emits).toBe(2);
  });

  it.each([
    ['text', { text: 'tïcket' }, 'tïcket'],
    ['a JSON list', { json: [1, 2] }, '[1,2]'],
    ['a JSON number', { json: 7 }, '7'],
    ['nothing', { status: 204 }, ''],
  ])('adds them as a header to an answer of %s', async (_name, answer: Answer, text) => {
    const { send } = await setup((collector) => {
      collector.emit([ticket(1, { name: 'tïcket' })]);
      return answer;
    });
    const response = await send();
    expect(await response.text()).toBe(text);
    expect(JSON.parse(response.headers.get('x-service-directives') ?? '')).toMatchObject([
      { id: 1, name: 'tïcket', source: 'me' },
    ]);
  });

  it('says so when they are too long for a header, and leaves them to the stream of the client', async () => {
    const { send, lines, sources, hub } = await setup((collector) => {
      collector.emit([ticket(1, { result: 'x'.repeat(5000) })]);
      return { status: 204 };
    });
    expect((await send()).headers.get('x-service-directives')).toBeNull();
    expect(lines).toEqual([expect.stringContaining('JSON object')]);
    expect(hub.metrics().emits).toBe(1);
    expect(sources).toEqual([null]);
  });

  it.each([
    ['of a client that did not ask', { json: { ok: true } }, { 'x-service-client-id': 'me' }],
    ['that redirects', { status: 303, json: { ok: true } }, asks],
  ])('leaves them to the stream of the client in an answer %s', async (_name, answer: Answer, headers) => {
    const { hub, send, sources } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return answer;
    });
    const response = await send(headers);
    expect(await response.json()).toEqual({ ok: true });
    expect(response.headers.get('x-service-directives')).toBeNull();
    expect(hub.metrics().emits).toBe(1);
    expect(sources).toEqual([null]);
  });

  it('emits what is collected after the answer, without a source, and says so', async () => {
    let late: DirectiveCollector | undefined;
    const { hub, send, sources, lines } = await setup((collector) => {
      collector.emit([ticket(1)]);
      late = collector;
      return { json: { ok: true } };
    });
    await send();
    late?.emit([ticket(2)]);
    expect(sources).toEqual(['me', null]);
    expect(lines).toEqual([expect.stringContaining('after the answer')]);
    await hub.emit([ticket(3)]); // Behind the late one.
    expect(hub.metrics().emits).toBe(3);
  });

  it('drops what is collected after a failure', async () => {
    let late: DirectiveCollector | undefined;
    const { send, sources } = await setup((collector) => {
      late = collector;
      return { status: 409, json: {} };
    });
    await send();
    late?.emit([ticket(2)]);
    expect(sources).toEqual([]);
  });

  it.each([
    ['answers 4xx', { status: 409, json: { error: 'conflict' } }, 409],
    ['throws', { throws: true }, 500],
  ])('drops them when the handler %s', async (_name, answer: Answer, status) => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return answer;
    });
    const response = await send();
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('directives');
    expect(hub.metrics().emits).toBe(0);
  });

  it('throws at the place of a wrong directive, with the path of the fault', async () => {
    const seen: string[] = [];
    const { hub, send } = await setup((collector) => {
      try {
        collector.emit([ticket(1), { op: 'refresh_item', name: 'ticket' } as DirectiveInput]);
      } catch (error) {
        seen.push(String(error));
      }
      return { status: 204 };
    });
    await send();
    expect(seen).toEqual([expect.stringContaining('directives[1].id')]);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-1 throws for a misspelt option, which would tell everybody', async () => {
    const seen: string[] = [];
    const { hub, send } = await setup((collector) => {
      try {
        collector.emit([ticket(1)], { audiences: 'team-7' } as object);
      } catch (error) {
        seen.push(String(error));
      }
      return { status: 204 };
    });
    await send();
    expect(seen).toEqual(['TypeError: emit: audiences is not an option; there are audience, source.']);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-1 fails the request whose directive is meant for others than it is emitted to', async () => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(1, { audience: 'team-7' })], { audience: 'team-8' });
      return { json: { ok: true } };
    });
    expect((await send()).status).toBe(500);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-DIR-11 answers with a key also where an empty one was given and the backplane did not confirm', async () => {
    const backplane = playedBackplane();
    backplane.setAway(true);
    const { send } = await setup((collector) => {
      collector.emit([ticket(1, { idempotency_key: '' })]);
      return { json: { ok: true } };
    }, hubForTest({ backplane }));
    const { directives } = (await (await send()).json()) as { directives: { idempotency_key: string }[] };
    expect(directives[0]?.idempotency_key).toMatch(/./);
  });

  it('answers with the directives and their keys although the backplane did not confirm', async () => {
    const backplane = playedBackplane();
    backplane.setAway(true);
    const { send, lines } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return { json: { ok: true } };
    }, hubForTest({ backplane }));
    const response = await send();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      ok: true,
      directives: [{ ...ticket(1), idempotency_key: expect.any(String) }],
    });
    expect(lines).toEqual([expect.stringContaining('not confirmed')]);
  });

  it('warns of a silent mutation unless it runs in production, if nobody says otherwise', async () => {
    const lines: string[] = [];
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const mode of ['production', 'development']) {
      vi.stubEnv('NODE_ENV', mode);
      const log = (_level: string, message: string): void => void lines.push(`${mode}: ${message}`);
      const url = await serve(hubForTest(), () => ({ json: {} }), { log });
      await fetch(`${url}/tickets/1`, { method: 'PUT' });
    }
    expect(lines).toEqual([expect.stringMatching(/^development: PUT /)]);
  });

  it('warns once for each route whose mutation was silent, not for reads, failures or what emitted', async () => {
    let status = 200;
    const { send, lines } = await setup((collector) => {
      if (status === 201) collector.emit([ticket(1)]);
      return { status, json: {} };
    });
    await send(asks, 'GET');
    status = 500;
    await send();
    status = 201;
    await send();
    expect(lines).toEqual([]);
    status = 200;
    await send(asks, 'PUT', 1);
    await send(asks, 'PUT', 2);
    expect(lines).toEqual([
      expect.stringMatching(/^PUT \/tickets\/:id answered 200 and collected no directive/),
    ]);
    await send(asks, 'DELETE');
    expect(lines).toHaveLength(2);
  });
});

describe('the middleware for Express', () => {
  it('leaves directives to the stream of the client where the handler has written its headers before it ends', async () => {
    const hub = hubForTest();
    const sources: unknown[] = [];
    const app = express();
    app.use(
      forExpress({
        emit(list, emitOptions) {
          sources.push(emitOptions?.source);
          return hub.emit(list, emitOptions);
        },
      }),
    );
    app.put('/', (_, res) => {
      (res.locals as { directives: DirectiveCollector }).directives.emit([ticket(1)]);
      res.write('one ');
      res.end('two');
    });
    const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
    expect(await response.text()).toBe('one two');
    expect(sources).toEqual([null]);
  });
});

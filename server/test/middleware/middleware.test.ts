import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import express, { type Request as ExpressRequest, type Response as ExpressAnswer } from 'express';
import fastify from 'fastify';
import { Hono, type MiddlewareHandler } from 'hono';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { invalidate, type Directive } from '@edict/core/protocol';
import type { DirectiveInput, Hub } from '../../src/index.ts';
import type { DirectiveCollector, MiddlewareOptions } from '../../src/middleware/collector.ts';
import { directives as forExpress } from '../../src/middleware/express.ts';
import { directives as forFastify } from '../../src/middleware/fastify.ts';
import { directives as forHono } from '../../src/middleware/hono.ts';
import { playedBackplane } from '../support/recordedBackplane.ts';
import { hubForTest, listen } from '../support/servers.ts';
import { asks, ticket } from './requests.ts';

/** The response of a route, in a form that all frameworks share. */
interface Answer {
  readonly status?: number;
  /** The headers that the application exposes to other origins. */
  readonly exposed?: string;
  readonly json?: unknown;
  readonly text?: string;
  readonly throws?: boolean;
  /** The route responds after it. */
  readonly after?: Promise<unknown>;
}

type Route = (collector: DirectiveCollector) => Answer;
type Serve = (hub: Hub, route: Route, options: MiddlewareOptions) => Promise<string>;

const exposeHeaders = 'access-control-expose-headers';

const serveHono: Serve = async (hub, route, options) => {
  const app = new Hono();
  app.use(forHono(hub, options)).all('/tickets/:id', async (c) => {
    const { status = 200, json, text, throws, exposed, after } = route(c.var.directives);
    if (after !== undefined) await after;
    if (throws === true) throw new Error('The route failed.');
    if (exposed !== undefined) c.header(exposeHeaders, exposed);
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
    const { status = 200, json, text, throws, exposed, after } = route(res.locals.directives);
    if (after !== undefined) await after;
    if (throws === true) throw new Error('The route failed.');
    res.status(status);
    if (exposed !== undefined) res.set(exposeHeaders, exposed);
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
    const { status = 200, json, text, throws, exposed, after } = route(request.directives);
    if (after !== undefined) await after;
    if (throws === true) throw new Error('The route failed.');
    reply.status(status);
    if (exposed !== undefined) reply.header(exposeHeaders, exposed);
    return json ?? reply.send(text);
  });
  return app.listen({ port: 0, host: '127.0.0.1' });
};

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

  it('D-HUB-12 emits after success and adds the completed directives to the JSON object of the response', async () => {
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
    ['no body', { status: 204 }, ''],
  ])('adds directives as a header to a response with %s', async (_name, answer: Answer, text) => {
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

  it.each([
    ['no header', undefined, 'X-Service-Directives'],
    ['another header', 'X-Total', 'X-Total, X-Service-Directives'],
  ])('exposes the header to other origins when the application exposes %s', async (_name, exposed, all) => {
    const { send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return { status: 204, ...(exposed === undefined ? {} : { exposed }) };
    });
    expect((await send()).headers.get(exposeHeaders)).toBe(all);
  });

  it('logs directives that are too long for a header, and delivers them over the stream of the client', async () => {
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
    ['in several lists', 21, 500, ['global']],
    ['to several audiences', 1, 4000, ['a', 'b', 'c']],
  ])(
    'D-DIR-10 delivers directives over the stream of the client when one response would have too many: %s',
    async (_name, lists, length, audience) => {
      const { send, lines, sources, hub } = await setup(
        (collector) => {
          for (let at = 0; at < lists; at += 1) {
            collector.emit(
              Array.from({ length }, (_, id) => ticket(id)),
              { audience },
            );
          }
          return { json: { ok: true } };
        },
        hubForTest({ limits: { maxEnvelopeBytes: 1_000_000 } }),
      );
      expect(await (await send()).json()).toEqual({ ok: true });
      expect(lines).toEqual([expect.stringContaining('more than 10000 directives')]);
      expect(hub.metrics().emits).toBe(lists);
      expect(new Set(sources)).toEqual(new Set([null]));
    },
  );

  it.each([
    ['to a client that did not request directives', { json: { ok: true } }, { 'x-service-client-id': 'me' }],
    ['with a redirect', { status: 303, json: { ok: true } }, asks],
  ])(
    'D-HUB-12 emits without a source, and adds nothing to a response %s',
    async (_name, answer: Answer, headers) => {
      const { hub, send, sources } = await setup((collector) => {
        collector.emit([ticket(1)]);
        return answer;
      });
      const response = await send(headers);
      expect(await response.json()).toEqual({ ok: true });
      expect(response.headers.get('x-service-directives')).toBeNull();
      expect(hub.metrics().emits).toBe(1);
      expect(sources).toEqual([null]);
    },
  );

  it.each([
    ['without a source, if the response does not contain it', { 'x-service-client-id': 'me' }, undefined],
    ['with the client as its source, if the response contains it', asks, 'me'],
  ])('D-HUB-12 emits a directive that names a source itself %s', async (_name, headers, source) => {
    const hub = hubForTest();
    const emitted: Directive[] = [];
    const { send } = await setup(
      (collector) => {
        collector.emit([
          ticket(1, { source: 'me' }),
          invalidate([ticket(2, { source: 'me' })], { source: 'me' }),
        ]);
        return { json: { ok: true } };
      },
      {
        ...hub,
        async emit(...given) {
          emitted.push(...(await hub.emit(...given)));
          return emitted;
        },
      },
    );
    await send(headers);
    expect(emitted.map((directive) => directive.source)).toEqual([source, source]);
    expect(emitted[1]).toMatchObject({ targets: [expect.not.objectContaining({ source: 'me' })] });
  });

  it('D-HUB-12 emits without a source for HEAD, whose response has no body', async () => {
    const { hub, send, sources } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return { json: { ok: true } };
    });
    const response = await send(asks, 'HEAD');
    expect(response.status).toBe(200);
    expect(response.headers.get('x-service-directives')).toBeNull();
    expect(hub.metrics().emits).toBe(1);
    expect(sources).toEqual([null]);
  });

  it('D-HUB-6 lets a hub that closes wait for the directives of a mutation', async () => {
    const hub = hubForTest({ authorize: () => true });
    let commit = (): void => {};
    let hasStarted = (): void => {};
    const started = new Promise<void>((done) => (hasStarted = done));
    const { send, lines } = await setup((collector) => {
      hasStarted();
      const committed = new Promise<void>((done) => (commit = done));
      return { json: { ok: true }, after: committed.then(() => collector.emit([ticket(1)])) };
    }, hub);
    const response = send();
    await started;
    let isClosed = false;
    const closed = hub.close().then(() => (isClosed = true));
    await hubForTest().close(); // It began to close later, and waits for nothing.
    expect(isClosed).toBe(false);
    commit();
    expect(await (await response).json()).toMatchObject({ directives: [{ id: 1, seq: expect.any(Number) }] });
    await closed;
    expect([hub.metrics().emits, lines]).toEqual([1, []]);
  });

  it('adds directives to the JSON form of a database document, not to its fields', async () => {
    class Document {
      readonly internals = 'secret';
      toJSON(): object {
        return { id: 1, subject: 'Printer' };
      }
    }
    const { send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return { json: new Document() };
    });
    expect(await (await send()).json()).toEqual({
      id: 1,
      subject: 'Printer',
      directives: [expect.objectContaining({ id: 1, source: 'me' })],
    });
  });

  it('adds directives as a header if the JSON form of an object is a string, such as that of a date', async () => {
    const { send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return { json: { toJSON: () => 'some text' } };
    });
    const response = await send();
    expect(await response.json()).toBe('some text');
    expect(JSON.parse(response.headers.get('x-service-directives') ?? '')).toMatchObject([{ source: 'me' }]);
  });

  it('D-HUB-7 waits for one deadline of the backplane for any number of lists', async () => {
    const hub = hubForTest();
    const waiting: (() => void)[] = [];
    const { send } = await setup(
      (collector) => {
        for (const id of [1, 2, 3]) collector.emit([ticket(id)]);
        return { json: { ok: true } };
      },
      {
        ...hub,
        // No list is confirmed before all three are in flight.
        emit(list, options) {
          const emitted = hub.emit(list, options);
          return new Promise((resolve) => {
            waiting.push(() => resolve(emitted));
            if (waiting.length === 3) for (const confirm of waiting) confirm();
          });
        },
      },
    );
    const { directives } = (await (await send()).json()) as { directives: { id: number; seq: number }[] };
    expect(directives.map(({ id }) => id)).toEqual([1, 2, 3]);
    const seqs = directives.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_seq, index) => (seqs[0] ?? 0) + index));
  });

  it('D-HUB-12 emits a directive that is collected after the response without a source, and logs it', async () => {
    let late: DirectiveCollector | undefined;
    const { hub, send, sources, lines } = await setup((collector) => {
      collector.emit([ticket(1)]);
      late = collector;
      return { json: { ok: true } };
    });
    await send();
    late?.emit([ticket(2)]);
    expect(sources).toEqual(['me', null]);
    expect(lines).toEqual([expect.stringMatching(/^PUT \/tickets\/:id: directives .* after the response/)]);
    await hub.emit([ticket(3)]); // Resolves after the late directive was emitted.
    expect(hub.metrics().emits).toBe(3);
  });

  it('D-HUB-12 drops a directive that is collected after a failure', async () => {
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
    ['responds with 4xx', { status: 409, json: { error: 'conflict' } }, 409],
    ['throws', { throws: true }, 500],
  ])('D-HUB-12 drops the directives of a handler that %s', async (_name, answer: Answer, status) => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      return answer;
    });
    const response = await send();
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain('directives');
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-12 throws when an invalid directive is collected, with the path of the error', async () => {
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

  it('D-HUB-1 throws for a misspelled option, which would send the directive to all clients', async () => {
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
    expect(seen).toEqual([
      'TypeError: [edict] emit: audiences is not an option. Use one of: audience, source.',
    ]);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-1 fails a request that emits a directive to another audience than the directive has', async () => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(1, { audience: 'team-7' })], { audience: 'team-8' });
      return { json: { ok: true } };
    });
    expect((await send()).status).toBe(500);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-1 throws when an invalidate with a target for another audience is collected', async () => {
    const seen: string[] = [];
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(1)]);
      try {
        collector.emit([{ op: 'invalidate', targets: [ticket(2, { audience: 'team-7' })] }]);
      } catch (error) {
        seen.push(String(error));
      }
      return { json: { ok: true } };
    });
    expect((await send()).status).toBe(200);
    expect(seen).toEqual([
      expect.stringMatching(/^TypeError: \[edict\] emit: directives\[0\]\.targets\[0\]\.audience/),
    ]);
    expect(hub.metrics().emits).toBe(1);
  });

  it('D-HUB-12 keeps the response, and logs an error, when the hub refuses some of the directives', async () => {
    const { hub, send, lines } = await setup(
      (collector) => {
        collector.emit([ticket(1)]);
        collector.emit([ticket(2, { result: 'x'.repeat(5000) })]);
        collector.emit([ticket(3)]);
        return { json: { ok: true } };
      },
      hubForTest({ limits: { maxEnvelopeBytes: 4096 } }),
    );
    const response = await send();
    expect(response.status).toBe(200);
    const { directives } = (await response.json()) as { directives: { id: number }[] };
    expect(directives.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(hub.metrics().emits).toBe(2);
    expect(lines).toEqual([expect.stringContaining('were not emitted')]);
  });

  it('keeps the response and emits the other lists when one list is longer than clients accept', async () => {
    const { hub, send, lines } = await setup((collector) => {
      collector.emit([ticket(1)]);
      collector.emit(Array.from({ length: 10_001 }, (_, id) => ticket(id)));
      return { json: { ok: true } };
    });
    const response = await send();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
    expect(hub.metrics().emits).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining('were not emitted'));
  });

  it('D-DIR-11 responds with a key even if an empty one was passed and the backplane did not confirm', async () => {
    const backplane = playedBackplane();
    backplane.setAway(true);
    const { send } = await setup((collector) => {
      collector.emit([ticket(1, { idempotency_key: '' })]);
      return { json: { ok: true } };
    }, hubForTest({ backplane }));
    const { directives } = (await (await send()).json()) as { directives: { idempotency_key: string }[] };
    expect(directives[0]?.idempotency_key).toMatch(/./);
  });

  it('responds with the directives and their keys even if the backplane did not confirm', async () => {
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

  it('D-HUB-12 emits directives that were not confirmed again, in order and as plain refreshes', async () => {
    const backplane = playedBackplane();
    const hub = hubForTest({ backplane });
    const again: unknown[] = [];
    const { send } = await setup(
      (collector) => {
        collector.emit([ticket(1, { result: { title: 'old' } }), invalidate([ticket(2, { result: null })])]);
        collector.emit([ticket(3)], { audience: ['a'] });
        return { json: { ok: true } };
      },
      {
        ...hub,
        async emit(...given) {
          const sent = await hub.emit(...given);
          again.push(...given);
          return sent;
        },
      },
    );
    backplane.setAway(true);
    const { directives } = (await (await send()).json()) as { directives: Directive[] };
    backplane.setAway(false);
    await vi.waitUntil(() => again.length === 4, { timeout: 5000 });
    const [one, many, three] = directives;
    expect(again).toEqual([
      [
        { ...ticket(1), idempotency_key: one?.idempotency_key },
        { op: 'invalidate', targets: [ticket(2)], idempotency_key: many?.idempotency_key },
      ],
      { source: 'me' },
      [{ ...ticket(3), idempotency_key: three?.idempotency_key }],
      { audience: ['a'], source: 'me' },
    ]);
  });

  it('warns of a mutation without directives by default, but not in production', async () => {
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

  it('keeps the response of a mutation when the log throws', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const log = (): never => {
      throw new Error('the log is full');
    };
    const url = await serve(hubForTest(), () => ({ json: { ok: true } }), { log, warnWhenSilent: true });
    const answer = await fetch(`${url}/tickets/1`, { method: 'PUT' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true });
    expect(failed).toHaveBeenCalledWith('[edict] The option "log" failed', new Error('the log is full'));
    expect(said).toHaveBeenCalledWith(expect.stringContaining('collected no directive'));
  });

  it('warns once per route whose mutation has no directives, but not for reads or failures', async () => {
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
      expect.stringMatching(/^PUT \/tickets\/:id responded 200 and collected no directive/),
    ]);
    await send(asks, 'DELETE');
    expect(lines).toHaveLength(2);
  });
});

describe.each([
  ['Express', serveExpress],
  ['Fastify', serveFastify],
])('a response of %s that is sent without a body', (_, serve) => {
  it.each([204, 205])(
    'has its directives in a header even if the handler passed an object: %d',
    async (status) => {
      const route: Route = (collector) => {
        collector.emit([ticket(1)]);
        return { status, json: { ok: true } };
      };
      const url = await serve(hubForTest(), route, {});
      const response = await fetch(`${url}/tickets/1`, { method: 'PUT', headers: asks });
      expect(await response.text()).toBe('');
      expect(JSON.parse(response.headers.get('x-service-directives') ?? '')).toMatchObject([
        { id: 1, source: 'me' },
      ]);
    },
  );
});

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

type SourceOf = (user: string, clientId: string | null) => string | null | Promise<string | null>;

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

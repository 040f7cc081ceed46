import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import express, { type Express, type Response as ExpressAnswer } from 'express';
import { describe, expect, it } from 'vitest';
import type { Hub } from '../../src/index.ts';
import type { DirectiveCollector } from '../../src/middleware/collector.ts';
import { directives as forExpress } from '../../src/middleware/express.ts';
import { hubForTest, listen } from '../support/servers.ts';
import { asks, sendAndLeave, ticket, toldHub } from './requests.ts';

describe('the middleware for Express', () => {
  const collectorOf = (res: ExpressAnswer): DirectiveCollector =>
    (res.locals as { directives: DirectiveCollector }).directives;

  it('delivers directives over the stream of the client if the handler writes headers before it ends the response', async () => {
    const { hub, next } = toldHub();
    const app = express();
    app.use(forExpress(hub));
    app.put('/', (_, res) => {
      collectorOf(res).emit([ticket(1)]);
      res.write('one ');
      res.end('two');
    });
    const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
    expect(await response.text()).toBe('one two');
    expect(await next()).toBeNull();
  });

  it.each([
    ['text/html', null],
    ['application/json-seq', null],
    ['application/vnd.api+json', 1],
  ])(
    'adds directives in the body or the header, as clients expect for an object that is sent as %s',
    async (type, inBody) => {
      const app = express();
      app.use(forExpress(hubForTest()));
      app.put('/', (_, res) => {
        collectorOf(res).emit([ticket(1)]);
        res.type(type).json({ ok: true });
      });
      const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
      const { directives = null } = (await response.json()) as { directives?: object[] };
      expect(directives?.length ?? null).toBe(inBody);
      const header = response.headers.get('x-service-directives');
      expect(header === null ? null : JSON.parse(header)).toEqual(
        inBody === null ? [expect.objectContaining({ id: 1, source: 'me' })] : null,
      );
    },
  );

  it('emits when the client leaves during a response that never ends', async () => {
    const { hub, next } = toldHub();
    const app = express();
    app.use(forExpress(hub, { log: () => {} }));
    app.put('/', (_, res) => {
      collectorOf(res).emit([ticket(1)]);
      res.write('one');
      res.once('close', () => collectorOf(res).emit([ticket(2)]));
    });
    await sendAndLeave(await listen(createServer(app)));
    expect(await next()).toBeNull();
    expect(await next()).toBeNull();
  });

  it('throws for a response that cannot be serialized where the handler sends it, and emits nothing then', async () => {
    const hub = hubForTest();
    const app = express();
    app.use(forExpress(hub));
    app.put('/', (req, res) => {
      collectorOf(res).emit([ticket(1)]);
      try {
        res.json({ id: 1n });
      } catch (error) {
        if (req.query['mode'] === 'throw') throw error;
        res.status(422).json({ caught: (error as Error).name });
      }
    });
    app.use(
      (error: Error, _: unknown, res: ExpressAnswer, __: unknown) => void res.status(500).end(error.name),
    );
    const url = await listen(createServer(app));
    const thrown = await fetch(`${url}?mode=throw`, { method: 'PUT', headers: asks });
    expect([thrown.status, await thrown.text()]).toEqual([500, 'TypeError']);
    const caught = await fetch(url, { method: 'PUT', headers: asks });
    expect([caught.status, await caught.json()]).toEqual([422, { caught: 'TypeError' }]);
    expect(hub.metrics().emits).toBe(0);
  });

  it.each(['before', 'after'])(
    'adds directives beside the envelope of a middleware that wraps res.json and is registered %s it',
    async (order) => {
      const app = express();
      const envelope: express.RequestHandler = (_, res, next) => {
        const json = res.json.bind(res);
        res.json = (body) => json({ data: body as unknown });
        next();
      };
      const ours = forExpress(hubForTest());
      app.use(order === 'before' ? [envelope, ours] : [ours, envelope]);
      app.put('/', (_, res) => {
        collectorOf(res).emit([ticket(1)]);
        res.json({ ok: true });
      });
      const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
      expect(await response.json()).toMatchObject({
        data: { ok: true },
        directives: [{ id: 1, source: 'me' }],
      });
    },
  );

  it.each(['before', 'after'])(
    'adds directives beside a middleware that ends responses later, as express-session does, and is registered %s it',
    async (order) => {
      const app = express();
      const session: express.RequestHandler = (_, res, next) => {
        const end = res.end.bind(res) as (...all: unknown[]) => ExpressAnswer;
        res.end = (...all: unknown[]) => {
          setImmediate(end, ...all);
          return res;
        };
        next();
      };
      const ours = forExpress(hubForTest());
      app.use(order === 'before' ? [session, ours] : [ours, session]);
      app.put('/:kind', (req, res) => {
        collectorOf(res).emit([ticket(1)]);
        res.send(req.params.kind === 'json' ? { ok: true } : 'text');
      });
      const url = await listen(createServer(app));
      const sent = await fetch(`${url}/json`, { method: 'PUT', headers: asks });
      expect(await sent.json()).toMatchObject({ ok: true, directives: [{ id: 1, source: 'me' }] });
      const text = await fetch(`${url}/text`, { method: 'PUT', headers: asks });
      expect(text.headers.get('x-service-directives')).toContain('"source":"me"');
      expect(await text.text()).toBe('text');
    },
  );

  it('does not warn of a mutation behind two middlewares, of which one collected', async () => {
    const lines: string[] = [];
    const options = { log: (_: string, line: string) => void lines.push(line), warnWhenSilent: true };
    const app = express();
    app.use(forExpress(hubForTest(), options), forExpress(hubForTest(), options));
    app.put('/', (_, res) => {
      collectorOf(res).emit([ticket(1)]);
      res.json({ ok: true });
    });
    const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
    expect(await response.json()).toMatchObject({ ok: true, directives: [{ id: 1, source: 'me' }] });
    expect(lines).toEqual([]);
  });

  it('emits what is collected right after the response without a source, because the response does not contain it', async () => {
    const { hub, next } = toldHub();
    const app = express();
    app.use(forExpress(hub, { log: () => {} }));
    app.put('/', (_, res) => {
      collectorOf(res).emit([ticket(1)]);
      res.json({ ok: true });
      collectorOf(res).emit([ticket(2)]);
    });
    const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
    expect(await response.json()).toMatchObject({ directives: [{ id: 1, source: 'me' }] });
    expect([await next(), await next()]).toEqual([null, 'me']);
  });
});

describe('the middleware for Express when a handler responds and calls next', () => {
  const fail = (): never => {
    throw new Error('The second handler failed.');
  };
  const tooLate: [string, (app: Express) => unknown][] = [
    ['no handler', () => {}],
    [
      'an application’s own 404',
      (app) => app.use((_, res) => void res.status(404).type('text').set('X-Late', '1').send('no')),
    ],
    ['a second handler', (app) => app.use((_, res) => void res.json({ is: 'the second' }))],
    ['a handler that throws', (app) => app.use(fail)],
    ['a failure', (app) => app.use((_, res) => void res.status(500).json({ failed: true }))],
    ['a failure as text', (app) => app.use((_, res) => void res.sendStatus(503))],
    ['res.write', (app) => app.use((_, res) => (res.write('late'), void res.end()))],
    ['res.writeHead', (app) => app.use((_, res) => void res.writeHead(404).end('late'))],
    ['res.flushHeaders', (app) => app.use((_, res) => res.flushHeaders())],
    ['a stream', (app) => app.use((_, res) => void Readable.from(['la', 'te']).pipe(res))],
    ['a file', (app) => app.use((_, res) => res.sendFile(fileURLToPath(import.meta.url)))],
  ];

  it.each(tooLate)('sends the response of that handler when %s follows', async (_, add) => {
    const hub = hubForTest();
    const app = express();
    const slow: Pick<Hub, 'emit'> = {
      async emit(...given) {
        // Express sends no 404 of its own once the request has been read.
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
        return hub.emit(...given);
      },
    };
    app.use(forExpress(slow));
    app.put('/', (_request, res, next) => {
      (res.locals as { directives: DirectiveCollector }).directives.emit([ticket(1)]);
      res.status(201).set('X-Own', '1').json({ is: 'the first' });
      next();
    });
    add(app);
    const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-own')).toBe('1');
    expect(response.headers.get('x-late')).toBeNull();
    // The client is the source, so it ignores the directives of the stream and needs them here.
    expect(await response.json()).toMatchObject({
      is: 'the first',
      directives: [{ id: 1, source: 'me' }],
    });
  });
});

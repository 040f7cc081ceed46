import { createServer } from 'node:http';
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

  it('passes a response that cannot be serialized to the error handler', async () => {
    const app = express();
    app.use(forExpress(hubForTest()));
    app.put('/', (_, res) => {
      collectorOf(res).emit([ticket(1)]);
      res.json({ id: 1n });
    });
    app.use(
      (error: Error, _: unknown, res: ExpressAnswer, __: unknown) => void res.status(500).end(error.name),
    );
    const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('TypeError');
  });

  it.each([
    ['text', (res: ExpressAnswer) => res.send('failed'), /^failed$/],
    ['JSON', (res: ExpressAnswer) => res.json({ failed: true }), /^{"failed":true,"directives":/],
  ])(
    'sends only the response of the error handler when a handler throws after it responded: %s',
    async (_, fail, text) => {
      const app = express();
      app.use(forExpress(hubForTest()));
      app.put('/', (_request, res) => {
        collectorOf(res).emit([ticket(1)]);
        res.json({ ok: true });
        throw new Error('The route failed.');
      });
      app.use((__: unknown, ___: unknown, res: ExpressAnswer, ____: unknown) => void fail(res.status(500)));
      const response = await fetch(await listen(createServer(app)), { method: 'PUT', headers: asks });
      const body = await response.text();
      expect(response.status).toBe(500);
      expect(body).toMatch(text);
      // The client is the source, so it ignores the directives of the stream and needs them here.
      expect(`${body}${response.headers.get('x-service-directives')}`).toContain('"source":"me"');
    },
  );
});

describe('the middleware for Express when a handler responds and calls next', () => {
  const tooLate: [string, (app: Express) => unknown][] = [
    ['no handler', () => {}],
    [
      'an application’s own 404',
      (app) => app.use((_, res) => void res.status(404).type('text').set('X-Late', '1').send('no')),
    ],
    ['a second handler', (app) => app.use((_, res) => void res.json({ is: 'the second' }))],
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

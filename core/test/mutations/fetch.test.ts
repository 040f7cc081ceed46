// DL.fetch compared with `fetch`, over real sockets: the received requests, the returned responses, and their timing.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import nodeFetch from 'node-fetch';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer, Env } from '@edict/core';
import { untyped } from '../world.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A request as the server received it, without the headers that the platform chooses for each connection. */
interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: string[][];
  body: string;
}

const isOwn = (name: string): boolean => /^x-service-/i.test(name);
const change = { op: 'refresh_item', name: 'ticket', id: 7 };

async function serve(handler: Handler): Promise<{ origin: string; close: () => Promise<unknown> }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // It listens on a port.
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}

let own: Awaited<ReturnType<typeof serve>>;
let other: Awaited<ReturnType<typeof serve>>;
/** The handler of the own server for each path. */
const routes = new Map<string, Handler>();
let received: Received[] = [];

beforeAll(async () => {
  const record =
    (handler: (path: string) => Handler | undefined): Handler =>
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, rawHeaders } = request;
        const pairs = rawHeaders.flatMap((name, at) =>
          at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
        );
        const headers = pairs.filter(([name = '']) => !/^(host|connection)$/.test(name));
        headers.sort((a, b) => String(a).localeCompare(String(b)));
        received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString('latin1') });
        (handler(url ?? '') ?? ((_, plain) => plain.end()))(request, response);
      });
    };
  own = await serve(record((path) => routes.get(path)));
  other = await serve(
    record(() => (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('x-service-directives', JSON.stringify([change]));
      response.end(JSON.stringify({ from: 'another origin', directives: [change] }));
    }),
  );
});
afterAll(() => Promise.all([own.close(), other.close()]));

interface Client {
  dl: DataLayer;
  /** The directives that were applied. */
  applied: unknown[];
  logged: string[];
}

function client(env: Partial<Env> = {}): Client {
  received = [];
  const [applied, logged]: [unknown[], string[]] = [[], []];
  const dl = createDataLayer({ env: { ...env, log: (_level, message) => void logged.push(message) } });
  dl.init({ sse: { enabled: false, baseUrl: own.origin } });
  dl.onLifecycle('directive:processed', ({ detail }) => applied.push(detail.directive));
  onTestFinished(() => dl.dispose());
  return { dl, applied, logged };
}

/** The requests that the server received for one call of this fetch. */
async function requestOf(send: () => Promise<Response>): Promise<Received[]> {
  received = [];
  await (await send()).text();
  return received;
}

async function shape(response: Response): Promise<object> {
  const { status, statusText, url, redirected, type, ok, bodyUsed } = response;
  const headers = [...response.headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name));
  return { status, statusText, url, redirected, type, ok, bodyUsed, headers, body: await response.text() };
}

const withoutOwn = (requests: readonly Received[]): object[] =>
  requests.map((request) => ({ ...request, headers: request.headers.filter(([name = '']) => !isOwn(name)) }));

describe('D-SRC-3 DL.fetch sends the request that fetch sends', () => {
  const at = (path: string): string => `${own.origin}${path}`;
  const form = (): FormData => {
    const data = new FormData();
    data.set('title', 'Printer');
    return data;
  };

  it.each<[string, () => [input: string | URL | Request, init?: RequestInit]]>([
    ['a GET', () => [at('/x')]],
    ['a GET with init null', () => [at('/x'), untyped(null)]],
    ['a HEAD', () => [at('/x'), { method: 'HEAD' }]],
    ['a lower-case method', () => [at('/x'), { method: 'post', body: 'a' }]],
    ['a PATCH', () => [at('/x'), { method: 'PATCH', body: 'a' }]],
    ['a DELETE', () => [at('/x'), { method: 'DELETE' }]],
    ['a URL', () => [new URL(at('/x?a=1#b')), { method: 'PUT' }]],
    ['headers as an object', () => [at('/x'), { method: 'POST', headers: { 'X-Mine': '1' } }]],
    ['headers as Headers', () => [at('/x'), { method: 'POST', headers: new Headers({ 'x-mine': '1' }) }]],
    [
      'headers as a list with repeated names',
      () => [
        at('/x'),
        {
          method: 'POST',
          headers: [
            ['x-mine', '1'],
            ['X-Mine', '2'],
            ['accept', 'text/html'],
          ],
        },
      ],
    ],
    ['a string', () => [at('/x'), { method: 'POST', body: 'a text' }]],
    ['bytes', () => [at('/x'), { method: 'POST', body: new Uint8Array([0, 255, 7]) }]],
    ['a Blob', () => [at('/x'), { method: 'POST', body: new Blob(['{}'], { type: 'application/json' }) }]],
    ['URLSearchParams', () => [at('/x'), { method: 'POST', body: new URLSearchParams({ a: '1 2' }) }]],
    [
      'a stream',
      () => [at('/x'), { method: 'POST', body: new Blob(['streamed']).stream(), ...{ duplex: 'half' } }],
    ],
    ['a Request', () => [new Request(at('/x'), { method: 'POST', headers: { 'x-mine': '1' }, body: 'a' })]],
    [
      'a Request and an init',
      () => [
        new Request(at('/x'), { method: 'POST', headers: { 'x-mine': '1' }, body: 'a' }),
        { method: 'PUT' },
      ],
    ],
    ['a Request whose method the init replaces', () => [new Request(at('/x')), { method: 'POST' }]],
    [
      'a Request whose headers the init replaces',
      () => [
        new Request(at('/x'), { method: 'POST', headers: { 'x-mine': '1' } }),
        { headers: { 'x-other': '2' } },
      ],
    ],
    [
      'a Request as init',
      () => [at('/x'), untyped(new Request(at('/y'), { method: 'POST', headers: { 'x-mine': '1' } }))],
    ],
  ])('%s', async (_title, args) => {
    const { dl } = client();
    const plain = await requestOf(() => fetch(...args()));
    const sent = await requestOf(() => dl.fetch(...args()));
    expect(withoutOwn(sent)).toEqual(plain);
    const mine = sent[0]?.headers.filter(([name = '']) => isOwn(name));
    const isSafe = ['GET', 'HEAD'].includes(sent[0]?.method ?? '');
    expect(mine).toEqual(
      isSafe
        ? []
        : [
            ['x-service-client-id', dl.clientId()],
            ['x-service-directive-request', 'send me directives'],
          ],
    );
  });

  it('a form', async () => {
    const { dl } = client();
    const [plain] = await requestOf(() => fetch(at('/x'), { method: 'POST', body: form() }));
    const [sent] = await requestOf(() => dl.fetch(at('/x'), { method: 'POST', body: form() }));
    const fields = /name="title"\r\n\r\nPrinter/;
    expect([plain?.body, sent?.body]).toEqual([expect.stringMatching(fields), expect.stringMatching(fields)]);
  });

  it('a header of the application with the name of an own header is replaced', async () => {
    const { dl } = client();
    const headers = { 'x-service-client-id': 'someone else' };
    const [sent] = await requestOf(() => dl.fetch(at('/x'), { method: 'POST', headers }));
    expect(sent?.headers.filter(([name]) => name === 'x-service-client-id')).toEqual([
      ['x-service-client-id', dl.clientId()],
    ]);
  });
});

describe('D-SRC-3 DL.fetch returns the response that fetch returns', () => {
  const text =
    (body: string, type: string, status = 200): Handler =>
    (_, response) =>
      response.writeHead(status, { 'content-type': type, 'set-cookie': ['a=1', 'b=2'] }).end(body);
  const to =
    (status: number, location: () => string): Handler =>
    (_, response) =>
      response.writeHead(status, { location: location() }).end();

  it.each<[string, Handler]>([
    ['a JSON object', text('{"title":"Printer","directives":[]}', 'application/json')],
    ['a JSON list', text('[1,2]', 'application/json')],
    ['malformed JSON', text('{"title":', 'application/json')],
    ['text', text('{"title":1}', 'text/plain')],
    ['an empty JSON body', text('', 'application/json')],
    ['bytes', (_, response) => response.end(Buffer.from([0, 255, 7]))],
    ['204', (_, response) => response.writeHead(204).end()],
    ['404 with JSON', text('{"error":"none"}', 'application/json', 404)],
    ['500 with JSON', text('{"error":"broken"}', 'application/json', 500)],
    ['302 to the own origin', to(302, () => '/moved')],
    ['303 to the own origin', to(303, () => '/moved')],
    ['307 to the own origin', to(307, () => '/moved')],
    ['302 to another origin', to(302, () => `${other.origin}/y`)],
    ['307 to another origin', to(307, () => `${other.origin}/y`)],
  ])('%s', async (_title, handler) => {
    routes.set('/x', handler);
    routes.set('/moved', text('{"moved":true}', 'application/json'));
    const { dl } = client();
    for (const init of [{ method: 'GET' }, { method: 'POST', body: 'a' }])
      expect(await shape(await dl.fetch(`${own.origin}/x`, init))).toEqual(
        await shape(await fetch(`${own.origin}/x`, init)),
      );
  });

  it('a redirect with redirect: manual', async () => {
    routes.set(
      '/x',
      to(302, () => '/moved'),
    );
    const { dl } = client();
    const init = { method: 'POST', redirect: 'manual' } as const;
    expect(await shape(await dl.fetch(`${own.origin}/x`, init))).toEqual(
      await shape(await fetch(`${own.origin}/x`, init)),
    );
  });

  it('rejects as fetch does', async () => {
    routes.set('/x', (request) => request.socket.destroy());
    const { dl } = client();
    const init = { method: 'POST' };
    await expect(dl.fetch(`${own.origin}/x`, init)).rejects.toThrow(new TypeError('fetch failed'));
    await expect(dl.fetch('http://[', init)).rejects.toThrow(TypeError);
  });

  it('rejects with the reason of an abort, before and during the request', async () => {
    const { dl } = client();
    const stop = new AbortController();
    const open = new Promise<void>((asked) => routes.set('/x', () => asked()));
    const sending = dl.fetch(`${own.origin}/x`, { method: 'POST', signal: stop.signal });
    await open;
    const reason = new Error('The user left.');
    stop.abort(reason);
    await expect(sending).rejects.toBe(reason);
    await expect(dl.fetch(`${own.origin}/x`, { method: 'POST', signal: stop.signal })).rejects.toBe(reason);
  });

  it('returns a response whose body rejects after an abort', async () => {
    const { dl } = client();
    const stop = new AbortController();
    const begun = new Promise<void>((sent) =>
      routes.set('/x', (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"title":', () => sent());
      }),
    );
    const sending = dl.fetch(`${own.origin}/x`, { method: 'POST', signal: stop.signal });
    await begun;
    stop.abort();
    const result = await sending
      .then(
        (response) => response.text(),
        (error: unknown) => Promise.reject(error as Error),
      )
      .catch((error: unknown) => (error as Error).name);
    expect(result).toBe('AbortError');
  });
});

describe('D-SRC-3 DL.fetch and other origins', () => {
  it.each(['GET', 'HEAD', 'POST'])(
    'a %s to another origin has no own headers, and its response is not searched',
    async (method) => {
      const { dl, applied } = client();
      await dl.fetch(`${other.origin}/x`, { method });
      expect(received.flatMap(({ headers }) => headers).filter(([name = '']) => isOwn(name))).toEqual([]);
      expect(applied).toEqual([]);
    },
  );

  it('a download that is redirected to another origin sends no own header', async () => {
    routes.set('/x', (_, response) => response.writeHead(302, { location: `${other.origin}/file` }).end());
    const { dl } = client();
    await expect(dl.fetch(`${own.origin}/x`).then((response) => response.json())).resolves.toMatchObject({
      from: 'another origin',
    });
    expect(received.flatMap(({ headers }) => headers).filter(([name = '']) => isOwn(name))).toEqual([]);
  });

  it.each([302, 303, 307])(
    'a mutation that is redirected to another origin with %d applies no directives',
    async (status) => {
      routes.set('/x', (_, response) => response.writeHead(status, { location: `${other.origin}/y` }).end());
      const { dl, applied } = client();
      const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
      expect(await response.json()).toMatchObject({ from: 'another origin' });
      expect(applied).toEqual([]);
    },
  );

  it('a mutation that is redirected to an origin in fetchOrigins applies its directives', async () => {
    routes.set('/x', (_, response) => response.writeHead(307, { location: `${other.origin}/y` }).end());
    const { dl, applied } = client();
    dl.init({ fetchOrigins: [other.origin] });
    await dl.fetch(`${own.origin}/x`, { method: 'POST' });
    expect(applied).toHaveLength(1);
  });

  it.each(['GET', 'HEAD', 'options'])('the response of a %s is not searched', async (method) => {
    routes.set('/x', (_, response) =>
      response.writeHead(200, { 'x-service-directives': JSON.stringify([change]) }).end(),
    );
    const { dl, applied } = client();
    await dl.fetch(`${own.origin}/x`, { method });
    expect(applied).toEqual([]);
  });
});

/** Sends the first parts of a body, and the last one when `finish` is called. */
function growing(type: string, parts: readonly string[], last: string): { finish: () => void } {
  let finish = (): void => undefined;
  routes.set('/x', (_, response) => {
    response.writeHead(200, { 'content-type': type });
    response.flushHeaders();
    finish = () => void response.end(last);
    const write = (at: number): void => {
      const part = parts[at];
      // Each part is sent in a separate packet.
      if (part !== undefined) response.write(part, () => setImmediate(() => write(at + 1)));
    };
    write(0);
  });
  return { finish: () => finish() };
}

const implementations: [string, Env['fetch']][] = [
  ['the fetch of the platform', (input, init) => fetch(input, init)],
  ['node-fetch 2', nodeFetch],
];

describe.each(implementations)('D-SRC-3 DL.fetch over %s', (_name, implementation) => {
  it.each([
    ['a JSON list', 'application/json', ['[{"token":"a"}', ',{"token":"b"}'], ']'],
    ['a list that opens before its first element', 'application/json', ['['], '1]'],
    ['JSON lines', 'application/json', ['{"0":[[0]]}\n', '[0,"one"]\n'], '[0,"two"]\n'],
    ['JSON lines in one packet', 'application/json', ['{"a":1}\n{"b":2}\n'], '{"c":3}\n'],
    ['a string', 'application/json', ['"Prin'], 'ter"'],
    ['text with a JSON type', 'application/json', ['Printer '], 'on fire'],
    ['text with a JSON type that begins with a brace', 'application/json', ['{ Printer '], 'on fire }'],
    ['text', 'text/plain', ['{"title":"Pri'], 'nter"}'],
    ['an event stream', 'text/event-stream', ['data: {}\n\n'], 'data: {}\n\n'],
    ['newline-delimited JSON', 'application/x-ndjson', ['{"a":1}\n'], '{"b":2}\n'],
    ['a JSON sequence', 'application/json-seq', ['\u001E{}\n'], '\u001E{}\n'],
    ['a JSON stream', 'application/stream+json', ['{"a":1}\n'], '{"b":2}\n'],
    ['a body without a type', '', ['{"title":"Pri'], 'nter"}'],
  ])('does not wait for the end of %s', async (_title, type, parts, last) => {
    const { dl, applied, logged } = client({ fetch: implementation });
    const body = growing(type, parts, last);
    const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
    expect(response.bodyUsed).toBe(false);
    body.finish();
    expect(await response.text()).toBe(parts.join('') + last);
    expect(applied).toEqual([]);
    expect(logged).toEqual([]);
  });

  it('does not treat a body that it did not wait for as lost', async () => {
    const { dl, applied } = client({ fetch: implementation });
    const body = growing('application/json', ['[1'], ']');
    const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
    await dl.applyDirectives([{ ...change, source: dl.clientId() }]);
    expect(applied).toEqual([]);
    body.finish();
    await response.text();
  });

  it('waits for the end of an object, and applies its directives', async () => {
    const { dl, applied } = client({ fetch: implementation });
    const text = JSON.stringify({ text: 'a \\ "quote" {[ ✓', nested: [{}, []], directives: [change] });
    const cut = Buffer.from(text).indexOf('✓') + 1; // Within the character.
    const bytes = Buffer.from(text);
    const begun = new Promise<() => void>((sent) =>
      routes.set('/x', (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(bytes.subarray(0, cut), () => sent(() => void response.end(bytes.subarray(cut))));
      }),
    );
    let isDone = false;
    const sending = dl.fetch(`${own.origin}/x`, { method: 'POST' }).finally(() => (isDone = true));
    const finish = await begun;
    await new Promise((next) => setImmediate(next));
    expect(isDone).toBe(false);
    finish();
    expect(await (await sending).text()).toBe(text);
    expect(applied).toEqual([change]);
  });

  it('applyResponse waits for a body of which nothing has arrived yet', async () => {
    const { dl, applied } = client();
    const body = growing('application/json', [], JSON.stringify({ directives: [change] }));
    const applying = dl.applyResponse(await implementation(`${own.origin}/x`, { method: 'POST' }));
    await new Promise((next) => setImmediate(next));
    body.finish();
    await applying;
    expect(applied).toEqual([change]);
  });

  it('applyResponse logs that the application has already read the body', async () => {
    const { dl, logged } = client();
    routes.set('/x', (_, response) => response.setHeader('content-type', 'application/json').end('{}'));
    const response = await implementation(`${own.origin}/x`, { method: 'POST' });
    await response.text();
    await dl.applyResponse(response);
    expect(logged).toEqual([expect.stringContaining('could not be read')]);
  });

  it('leaves an empty JSON body to be read later', async () => {
    const { dl, applied } = client({ fetch: implementation });
    routes.set('/x', (_, response) => response.setHeader('content-type', 'application/json').end());
    const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
    await new Promise((next) => setImmediate(next));
    expect(await response.text()).toBe('');
    expect(applied).toEqual([]);
  });

  it.each([0, 1, 16_383, 16_384, 16_385, 65_537, 4_194_304])(
    'works with %d bytes of payload',
    async (size) => {
      const { dl, applied } = client({ fetch: implementation });
      const text = JSON.stringify({ payload: 'x'.repeat(size), directives: [change] });
      routes.set('/x', (_, response) => response.setHeader('content-type', 'application/json').end(text));
      const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
      expect(applied).toEqual([change]);
      expect((await response.text()).length).toBe(text.length);
    },
  );

  it.each([
    ['an empty body', ''],
    ['a large list', JSON.stringify(Array.from({ length: 50_000 }, (_, at) => at))],
    ['a malformed object', '{"title": tr'],
  ])('leaves %s readable', async (_title, text) => {
    const { dl } = client({ fetch: implementation });
    routes.set('/x', (_, response) => response.setHeader('content-type', 'application/json').end(text));
    const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
    expect(await response.text()).toBe(text);
  });

  it('applyResponse leaves the response of another client readable', async () => {
    const { dl, applied } = client({ fetch: implementation });
    const text = JSON.stringify({ payload: 'x'.repeat(100_000), directives: [change] });
    routes.set('/x', (_, response) => response.setHeader('content-type', 'application/json').end(text));
    const response = await implementation(`${own.origin}/x`, { method: 'POST' });
    await dl.applyResponse(response);
    expect(applied).toEqual([change]);
    expect(await response.text()).toBe(text);
  });

  it('D-SRC-4 a body that breaks off counts as lost, and the response is returned', async () => {
    const { dl, applied } = client({ fetch: implementation });
    routes.set('/x', (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"directives":[', () => request.socket.destroy());
    });
    const response = await dl.fetch(`${own.origin}/x`, { method: 'POST' });
    await expect(response.text()).rejects.toThrow();
    await dl.applyDirectives([{ ...change, source: dl.clientId() }]);
    expect(applied).toHaveLength(1);
  });
});

describe('D-SRC-3 mocks of fetch in application tests', () => {
  it.each<[string, object]>([
    ['no headers', { ok: true, json: () => Promise.resolve({}) }],
    ['headers that are a plain object', { status: 200, headers: { 'content-type': 'application/json' } }],
    ['headers that are a Map', { status: 200, headers: new Map([['content-type', 'text/plain']]) }],
    ['no body and a text method', { status: 200, headers: new Headers(), text: () => Promise.resolve('') }],
  ])('a response with %s is returned and does not count as lost', async (_title, response) => {
    const { dl, applied } = client({ fetch: () => Promise.resolve(response as Response) });
    await expect(dl.fetch('/tickets/7', { method: 'POST' })).resolves.toBe(response);
    await dl.applyDirectives([{ ...change, source: dl.clientId() }]);
    expect(applied).toEqual([]);
  });

  it.each([[undefined], [null], [5]])(
    '%j as the URL is passed to the fetch of the environment',
    async (input) => {
      const asked: unknown[] = [];
      const { dl } = client({
        fetch(target) {
          asked.push(target);
          return Promise.reject(new TypeError('no address'));
        },
      });
      await expect(dl.fetch(untyped(input), { method: 'POST' })).rejects.toThrow('no address');
      expect(asked).toEqual([input]);
    },
  );

  it('many requests in flight look like no leak to Node, and dispose ends them', async () => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warnings.mockRestore());
    const { dl } = client({ fetch: () => new Promise(() => undefined) });
    const requests = Array.from({ length: 20 }, () => dl.fetch('/tickets/7', { method: 'POST' }));
    dl.dispose();
    const ends = await Promise.allSettled(requests);
    expect(ends.map(({ status }) => status)).toEqual(requests.map(() => 'rejected'));
    expect(warnings.mock.calls).toEqual([]);
  });

  it('a response without streams, as in React Native, is read as a whole', async () => {
    const text = JSON.stringify({ directives: [change] });
    const response = {
      status: 200,
      headers: new Headers({ 'content-type': 'application/json' }),
      text: () => Promise.resolve(text),
    };
    const { dl, applied } = client({
      fetch: () => Promise.resolve({ ...response, clone: () => response } as unknown as Response),
    });
    await dl.fetch('/tickets/7', { method: 'POST' });
    expect(applied).toEqual([change]);
  });
});

// The script-tag build in a real browser, without a bundler. Needs `npm run build` first, as `npm test` does it.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import type { DataLayer } from '@edict/core';
import { chromium, type Browser } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumOptions } from '../../scripts/chromium.ts';

const file = (name: string): Buffer => readFileSync(new URL(`../dist/${name}`, import.meta.url));
const bundle = file('index.global.js');

/** The globals that a script without a page needs. */
const globals = {
  AbortController,
  TextDecoder,
  URL,
  URLSearchParams,
  setTimeout,
  clearTimeout,
  console,
  crypto,
};

const worker = `
importScripts('/dist/index.global.js');
DL.createType('invoice', { fetch: async (id) => (await fetch('/api/invoices/' + id)).json() });
DL.onLifecycle('sse:open', async () => {
  const ref = DL.fetchItem('invoice', 7);
  await DL.whenSettled(ref);
  postMessage(ref.data);
});
DL.init();
`;

const page = `<!doctype html><title>script tag</title><script src="/dist/index.global.js"></script><body></body>`;

let server: Server;
let browser: Browser;
let address: string;
let stream: ((envelope: object) => void) | null = null;
let amount = 1;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/dist/index.global.js') {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(bundle);
    }
    if (path === '/worker.js') {
      return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(worker);
    }
    if (path === '/api/invoices/7') {
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: 7, amount }));
    }
    if (path === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      stream = (envelope) => void response.write(`event: message\ndata: ${JSON.stringify(envelope)}\n\n`);
      return stream({ type: 'directives', audience: 'global', seq: 10, directives: [], recovered: true });
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // A TCP server's address has a port.
  browser = await chromium.launch(chromiumOptions);
});

afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

it('D-NAME-1 the script-tag build sets globalThis.DL, which fetches, streams and shows a pushed change', async () => {
  const tab = await browser.newPage();
  const problems: string[] = [];
  tab.on('pageerror', (error) => problems.push(error.message));
  await tab.goto(address);
  const shown = await tab.evaluate(async () => {
    const { DL } = globalThis as unknown as { DL: DataLayer };
    DL.createType('invoice', {
      fetch: async (id) => (await fetch(`/api/invoices/${id}`)).json() as Promise<unknown>,
    });
    const opened = new Promise((open) => DL.onLifecycle('sse:open', open));
    DL.init();
    await opened;
    const ref = DL.fetchItem('invoice', 7);
    await DL.whenSettled(ref);
    return { operations: Object.keys(DL), data: ref.data };
  });
  expect(shown.data).toEqual({ id: 7, amount: 1 });
  expect(shown.operations).toEqual(
    expect.arrayContaining([
      'init',
      'createType',
      'fetchItem',
      'applyDirectives',
      'ingestEnvelope',
      'whenSettled',
      'dispose',
    ]),
  );

  amount = 2;
  const changed = tab.evaluate(
    () =>
      new Promise((done) => {
        const { DL } = globalThis as unknown as { DL: DataLayer };
        const ref = DL.getItemRef('invoice', 7);
        DL.onRefChange(ref, () => {
          if ((ref.data as { amount: number }).amount === 2) done(ref.data);
        });
        document.title = 'watching';
      }),
  );
  await tab.waitForFunction(() => document.title === 'watching');
  stream?.({
    type: 'directives',
    audience: 'global',
    seq: 11,
    directives: [{ op: 'refresh_item', name: 'invoice', id: 7 }],
  });
  expect(await changed).toEqual({ id: 7, amount: 2 });
  expect(problems).toEqual([]);
});

it('D-SSE-1 the stream works in a worker', async () => {
  amount = 3;
  const tab = await browser.newPage();
  await tab.goto(address);
  const shown = await tab.evaluate(
    () =>
      new Promise((done) => {
        new Worker('/worker.js').addEventListener('message', ({ data }) => done(data));
      }),
  );
  expect(shown).toEqual({ id: 7, amount: 3 });
});

it.each([
  ['index.global.js', false],
  ['index.global.dev.js', true],
])('%s never touches process, and checks options: %s', (name, isChecked) => {
  const text = file(name).toString();
  expect(text).not.toMatch(/\bprocess\.env|typeof process/);
  const page: typeof globals & { DL?: DataLayer } = { ...globals };
  runInNewContext(text, page);
  const init = (): void => page.DL?.init({ sse: { enabled: false }, ...({ unknown: true } as object) });
  if (isChecked) expect(init).toThrow('unknown is not an option');
  else expect(init).not.toThrow();
  page.DL?.dispose();
});

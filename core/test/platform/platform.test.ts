// Runs the core in a bare JavaScript engine with a real server, which shows what a platform must provide.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';

/** As in a browser of 2022. */
const earlyUrl = Object.defineProperty(class extends URL {}, 'canParse', { value: undefined });

/** What `docs/help/platforms.md` lists. */
const needed = {
  fetch,
  AbortController,
  TextDecoder,
  URL: earlyUrl,
  URLSearchParams,
  setTimeout,
  clearTimeout,
};

/** An invoice that changes once, with a directive, whenever a stream opens. */
async function serve(): Promise<string> {
  let amount = 10;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/events') !== true)
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ amount }));
    const tell = (seq: number, directives: unknown[]): boolean =>
      response.write(
        `data: ${JSON.stringify({ type: 'directives', audience: 'global', seq, directives })}\n\n`,
      );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    tell(10, []);
    amount = 20;
    tell(11, [{ op: 'refresh_item', name: 'invoice', id: 7 }]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port.
}

it.each([
  ['and `crypto`', { ...needed, crypto }, ''],
  ['and `newId`', needed, `{ env: { newId: () => 'given' } }`],
])(
  'fetches, streams, mutates, and disposes with only the required globals %s',
  async (_, globals, options) => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: 'edict',
    });
    const context = createContext({ ...globals, base: await serve() });
    runInContext(outputFiles[0]?.text ?? '', context);
    const shown: unknown = await runInContext(
      `(async () => {
      const dl = edict.createDataLayer(${options});
      dl.createType('invoice', { fetch: async (id) => (await fetch(base + '/api/invoices/' + id)).json() });
      dl.init({ sse: { baseUrl: base } });
      const invoice = dl.fetchItem('invoice', 7);
      await new Promise((done) => dl.onRefChange(invoice, () => invoice.data?.amount === 20 && done()));
      await dl.fetch(base + '/api/invoices/7', { method: 'POST' });
      const late = dl.fetch(base + '/api/invoices/7').catch(({ name }) => name);
      dl.dispose();
      return [invoice.data.amount, await late];
    })()`,
      context,
    );
    expect(shown).toEqual([20, 'AbortError']);
  },
);

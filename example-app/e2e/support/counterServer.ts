// A process with a counter and a hub over HTTP/1.1, and a page that shows the counter. The page uses the default, a shared stream. It is bundled
// like an application, so that the code of the shared stream is in a separate file.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createHub, directiveRequest } from '@edict/server';
import { build } from 'esbuild';

/** The tests read `window.tab`. A query such as `?withCredentials` sets an option. */
const program = (isAlone: boolean): string => `
  import { DL as dl } from '@edict/core';
  dl.createType('counter', { fetch: async () => (await fetch('/counter')).json() });
  const options = Object.fromEntries([...new URLSearchParams(location.search).keys()].map((key) => [key, true]));
  dl.init({ sse: { ...${isAlone ? '{ share: false }' : 'options'} } });
  const counter = dl.fetchItem('counter', 'main');
  const show = () => { document.body.textContent = JSON.stringify(counter.data); };
  dl.onRefChange(counter, show);
  show();
  window.tab = {
    count: () => counter.data?.count,
    state: () => dl.state().sse,
    read: async () => (await (await fetch('/counter')).json()).count,
    increment: async () => (await dl.fetch('/counter', { method: 'POST' })).status,
  };
`;

async function bundle(
  entryNames: string,
  isAlone: boolean,
  mode: 'production' | 'development',
): Promise<[string, string][]> {
  const { outputFiles } = await build({
    stdin: {
      contents: program(isAlone),
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      sourcefile: 'page.js',
    },
    bundle: true,
    splitting: true,
    write: false,
    outdir: '/',
    entryNames,
    chunkNames: `${entryNames}-[hash]`,
    format: 'esm',
    conditions: ['source'],
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
  });
  return outputFiles.map(({ path, text }) => [path, text]);
}

const files = new Map([
  ...(await bundle('page', false, 'production')),
  ...(await bundle('alone', true, 'development')),
]);
const hub = createHub({ heartbeatMs: 2000 });
let count = 0;

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const json = (body: unknown): void =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  const file = files.get(pathname);
  if (pathname === '/api/events') hub.nodeHandler(request, response);
  else if (file !== undefined) response.setHeader('content-type', 'text/javascript').end(file);
  else if (pathname === '/streams') json(hub.metrics().connections);
  else if (pathname !== '/counter')
    response
      .setHeader('content-type', 'text/html')
      .end(
        `<!doctype html><title>Counter</title><body></body><script type="module" src="${pathname === '/alone' ? '/alone.js' : '/page.js'}"></script>`,
      );
  else if (request.method === 'POST') {
    count += 1;
    const directive = { op: 'refresh_item', name: 'counter', id: 'main' } as const;
    const source = directiveRequest(request).clientId;
    void hub.emit([directive as never], { source }).then((directives) => json({ count, directives }));
  } else json({ count });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://localhost:${(server.address() as AddressInfo).port}`); // The address is not a string for a port.
});
process.once('SIGTERM', () => {
  void hub.close({ retryMs: [0, 0] });
  server.closeAllConnections();
  server.close();
});

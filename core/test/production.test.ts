// Production builds omit code that only developers need, and behave the same.

import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DataLayer } from '@edict/core';
import { developmentOnly } from '../../scripts/developmentOnly.ts';

type Core = typeof import('@edict/core');

/** `unbundled` and `node` are the package itself: in a browser without a bundler, and in Node without NODE_ENV. */
const modes = ['production', 'development', 'unbundled', 'node'];
const texts: Record<string, string> = {};

async function bundle(mode: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'edict',
    minify: mode === 'production',
    ...(mode === 'production' || mode === 'development'
      ? { define: { 'process.env.NODE_ENV': JSON.stringify(mode) } }
      : { platform: 'node' }), // For browsers, esbuild would replace it by itself.
    plugins: [developmentOnly({ isPackage: true })],
  });
  return outputFiles[0]?.text ?? '';
}

beforeAll(async () => {
  for (const mode of modes) texts[mode] = await bundle(mode);
});

/** A new copy of the core, in an engine that has `process` only in the mode `node`. */
function load(mode: string): { core: Core; logged: unknown[] } {
  const logged: unknown[] = [];
  const log = (...args: unknown[]): void => void logged.push(args[0]);
  const globals = {
    AbortController,
    TextDecoder,
    URL,
    URLSearchParams,
    setTimeout,
    clearTimeout,
    crypto,
    Response,
  };
  const node = mode === 'node' ? { process: { env: {} } } : {};
  const context = { ...globals, ...node, console: { debug: log, warn: log, error: log } };
  runInNewContext(texts[mode] ?? '', context);
  return { core: (context as unknown as { edict: Core }).edict, logged };
}

const mistakes: [string, (core: Core, dl: DataLayer) => unknown][] = [
  ['an unknown option of createDataLayer', ({ createDataLayer }) => createDataLayer({ clock: 1 } as object)],
  ['an unknown option of init', (_, dl) => dl.init({ stream: {} } as object)],
  [
    'a wrong option of init',
    (_, dl) => dl.init({ sse: { enabled: false, withCredentials: 'yes' as never } }),
  ],
  ['contradictory options', (_, dl) => dl.configureSse({ initialRetryMs: 10, maxRetryMs: 5 })],
  ['an unknown member of a config', (_, dl) => dl.createType('a', { fetch: () => ({}), tpyo: 1 } as never)],
  ['an unknown option of a read', (_, dl) => dl.fetchItem('ticket', 7, null, { forced: true } as object)],
  ['a filter beside params', (_, dl) => dl.fetchCollection('tickets', { status: 'open' } as object)],
];

function create({ createDataLayer }: Core): DataLayer {
  const dl = createDataLayer();
  dl.init({ sse: { enabled: false } });
  dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
  dl.createCollection('tickets', { fetch: () => Promise.resolve({ ids: [7] }) });
  return dl;
}

describe('a production build', () => {
  it.each(mistakes)('does not check for %s, and a development build does', (_title, make) => {
    const { core } = load('production');
    expect(() => make(core, create(core))).not.toThrow();
    const development = load('development').core;
    expect(() => make(development, create(development))).toThrow(/^\[edict\] .+\.$/);
  });

  it('contains no developer messages and no `process`', () => {
    expect(texts['production']).not.toMatch(
      /process\.env|is not an option|but it is|milliseconds|Standard Schema/,
    );
    expect(texts['development']).toMatch(/is not an option/);
  });

  it('is smaller than the minified development build', async () => {
    const { transform } = await import('esbuild');
    const { code } = await transform(texts['development'] ?? '', { minify: true });
    const saved = code.length - (texts['production'] ?? '').length;
    console.info(`A production build saves ${saved} bytes of ${code.length}.`);
    expect(saved).toBeGreaterThan(4000);
  });

  it.each(modes)('D-REG-1 reads, applies directives, and reports errors in %s', async (mode) => {
    const isDevelopment = mode === 'development' || mode === 'node';
    const { core, logged } = load(mode);
    const dl = create(core);
    const [ticket, tickets] = [dl.fetchItem('ticket', 7), dl.fetchCollection('tickets')];
    await dl.whenSettled();
    expect([ticket.data, tickets.data.ids]).toEqual([{ id: 7 }, [7]]);
    await dl.applyDirectives([
      { op: 'refresh_item', name: 'ticket', id: 7, result: { id: 7, title: 'new' } },
    ]);
    expect(ticket.data).toEqual({ id: 7, title: 'new' });
    dl.createCollection('empty', { fetch: () => undefined as never });
    const empty = dl.fetchCollection('empty');
    await dl.whenSettled();
    expect(empty.meta.error).toBe(
      `[edict] Collection "empty"${isDevelopment ? ': fetch must return { ids, count? } or { items }, but returned undefined.' : ' is not valid (undefined).'}`,
    );
    expect(() => dl.fetchItem('tickte', 7)).toThrow(
      `[edict] type "tickte" is not registered (registered: ${isDevelopment ? '"ticket"). Call register or createType on this data layer, or select another with <DLProvider>.' : 'ticket).'}`,
    );
    const atLevel = (): unknown => dl.fetchItem('ticket', 7, 'full');
    expect(atLevel).toThrow(/level "full" of type "ticket" is not registered \(registered: "?default"?\)/);
    await dl.applyDirectives([{ op: 'refresh_item', name: 'ticket' }]);
    expect(logged).toHaveLength(isDevelopment ? 1 : 0);
    dl.dispose();
  });
});

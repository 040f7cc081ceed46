// Checks that the named files of docs/guides/nextjs.md are those of the example, which next/test runs with the real Next.js.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { blocksOf, openPage } from '../support/pages.ts';

const guide = 'docs/guides/nextjs.md';
const example = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../examples/next-app-router/${path}`, import.meta.url)), 'utf8');

const files = blocksOf(guide).filter(({ name }) => name !== null && name !== 'lib/live.redis.ts');

it.each(files.map(({ name, code }) => [name ?? '', code] as const))(
  'shows %s of the example',
  (name, code) => {
    expect(code).toBe(`// ${name}\n${example(name)}`);
  },
);

it('needs at most 25 lines besides data, pages, and actions', () => {
  const glue = ['lib/live.ts', 'app/api/events/route.ts', 'app/live.tsx'].map(example).join('');
  const lines = glue.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('/**'));
  expect(lines.length).toBeLessThanOrEqual(25);
});

it('reads the database with Redis too', () => {
  const withRedis = blocksOf(guide).find(({ name }) => name === 'lib/live.redis.ts')?.code;
  const [sources = ''] = /^ {2}sources:.*/m.exec(example('lib/live.ts')) ?? [];
  expect(sources).not.toBe('');
  expect(withRedis).toContain(sources);
});

it('creates a hub with Redis when the hub is first used, not when a build loads the module', async () => {
  const { live } = await openPage(guide).run<{ live: { prefetch: unknown } }>('lib/live.redis.ts');
  expect(live.prefetch).toBeTypeOf('function');
  expect(Reflect.get(globalThis, Symbol.for('@edict/next/hub/default'))).toBeUndefined();
});

// What the guides show is what runs here.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each([
  ['migrating', 'rtkQuery.ts'],
  ['migrating', 'ownCache.ts'],
  ['guides/testing', 'tickets.ts'],
  ['guides/testing', 'tickets.test.ts'],
  ['guides/testing', 'anyRun.test.ts'],
  ['guides/other-views', 'views/data.ts'],
  ['guides/other-views', 'views/watch.ts'],
  ['guides/other-views', 'views/dom.ts'],
  ['guides/other-views', 'views/vue.ts'],
  ['guides/other-views', 'views/svelte.ts'],
  ['guides/other-views', 'views/solid.ts'],
])('docs/%s.md shows %s as it is executed', (page, name) => {
  const guide = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const source = readFileSync(new URL(`recipes/${name}`, import.meta.url), 'utf8');
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
});

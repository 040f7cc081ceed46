// The code in the guides is the code that runs here.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each([
  ['help/migrating', 'rtkQuery.ts'],
  ['help/migrating', 'ownCache.ts'],
  ['guides/testing', 'tickets.ts'],
  ['guides/testing', 'tickets.test.ts'],
  ['guides/testing', 'anyRun.test.ts'],
  ['guides/other-frameworks', 'views/data.ts'],
  ['guides/other-frameworks', 'views/watch.ts'],
  ['guides/other-frameworks', 'views/dom.ts'],
  ['guides/other-frameworks', 'views/vue.ts'],
  ['guides/other-frameworks', 'views/svelte.ts'],
  ['guides/other-frameworks', 'views/solid.ts'],
])('docs/%s.md shows %s as it is executed', (page, name) => {
  const guide = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
  const source = readFileSync(new URL(`recipes/${name}`, import.meta.url), 'utf8');
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
});

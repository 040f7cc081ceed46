// What the guides show is what runs here.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each([
  ['testing', 'tickets.ts'],
  ['testing', 'tickets.test.ts'],
  ['testing', 'anyRun.test.ts'],
  ['other-views', 'views/watch.ts'],
  ['other-views', 'views/dom.ts'],
  ['other-views', 'views/vue.ts'],
  ['other-views', 'views/svelte.ts'],
  ['other-views', 'views/solid.ts'],
])('the guide %s shows %s as it is executed', (page, name) => {
  const guide = readFileSync(new URL(`../../docs/guides/${page}.md`, import.meta.url), 'utf8');
  const source = readFileSync(new URL(`recipes/${name}`, import.meta.url), 'utf8');
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
});

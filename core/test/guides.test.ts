// What docs/guides/testing.md shows is what runs here.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const guide = readFileSync(new URL('../../docs/guides/testing.md', import.meta.url), 'utf8');

it.each(['tickets.ts', 'tickets.test.ts', 'anyRun.test.ts'])(
  'the testing guide shows %s as it is executed',
  (name) => {
    const source = readFileSync(new URL(`recipes/${name}`, import.meta.url), 'utf8');
    expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
  },
);

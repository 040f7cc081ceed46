// Checks that the component test in docs/guides/testing.md is the test that runs here.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('the testing guide shows the component test that is executed', () => {
  const guide = readFileSync(new URL('../../docs/guides/testing.md', import.meta.url), 'utf8');
  const source = readFileSync(new URL('recipes/ticket.test.tsx', import.meta.url), 'utf8');
  expect(guide).toContain(`\`\`\`tsx\n${source}\`\`\``);
});

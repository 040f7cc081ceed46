import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it('D-REACT-9 with a register, names, levels, params and data are checked and inferred in every hook', () => {
  const compiler = at('../../node_modules/typescript-7/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', at('../test-types')], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

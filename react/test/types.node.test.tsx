import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it('D-REACT-9 a register makes every hook check and infer names, levels, params, and data', () => {
  const compiler = at('../../node_modules/typescript-7/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', at('../test-types')], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

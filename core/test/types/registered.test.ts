import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it.each([
  ['the builders check names, levels, and params against the Register of an application', '.'],
  ['RegisterOf types names that are written as strings', 'definitions'],
])(
  'D-REACT-9 %s',
  async (_, folder) => {
    const compiler = at('../../../node_modules/typescript-7/bin/tsc');
    const project = at(`../../test-types/${folder}`);
    const result = await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(
      (error: { stdout: string }) => error,
    );
    expect(result.stdout).toBe('');
  },
  60_000,
);

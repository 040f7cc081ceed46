import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it('D-REACT-9 the builders check names, levels and params against the Register of an application', async () => {
  const compiler = at('../../../node_modules/typescript/bin/tsc');
  const answer = await promisify(execFile)(process.execPath, [compiler, '-p', at('../../test-types')]).catch(
    (error: { stdout: string }) => error,
  );
  expect(answer.stdout).toBe('');
}, 60_000);

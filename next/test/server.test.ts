// The built package in Node itself, as scripts and test runners load it.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

async function print(code: string): Promise<string> {
  const program = `import { createLive } from '@edict/next/server'; ${code}`;
  const cwd = new URL('.', import.meta.url);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd });
  return stdout.trim();
}

it('loads the components and hooks without a bundler', async () => {
  const code = `const { createLiveProvider } = await import('@edict/next'); console.log(typeof createLiveProvider);`;
  expect(await print(code)).toBe('function');
});

it('emits without a bundler', async () => {
  const emitted = `[{ op: 'refresh_item', name: 'ticket', id: 7 }]`;
  const code = `const [directive] = await createLive({ definitions: [] }).hub.emit(${emitted}); console.log(directive.id);`;
  expect(await print(code)).toBe('7');
});

it.each([
  ['{}', 'definitions must be a list'],
  ['{ definitions: [undefined] }', 'definitions must be a list'],
  [
    '{ definitions: [], audiences: ["team-7"] }',
    'audiences is not an option. Use one of: definitions, sources,',
  ],
])('names what is wrong with the options %s', async (options, message) => {
  const code = `try { createLive(${options}); } catch (error) { console.log(error.message); }`;
  expect(await print(code)).toContain(`[edict] createLive: ${message}`);
});

// Programs of the tests for processes of their own.

import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** A program that Node runs as it is. */
export interface Program {
  readonly file: string;
  readonly remove: () => Promise<void>;
}

/** Bundles a program from the sources: its processes start at once, and with nothing that compiles them on the way. */
export async function compileProgram(source: string): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'edict-program-'));
  const file = join(folder, `${basename(source, '.ts')}.mjs`);
  await build({
    entryPoints: [source],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
    // What is required by packages that are no modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

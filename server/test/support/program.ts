// Programs that tests run in separate processes.

import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** A program that Node can run directly. */
export interface Program {
  readonly file: string;
  readonly remove: () => Promise<void>;
}

/** Bundles a program from the sources, so that its processes start fast and without a compiler. */
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
    // CommonJS packages need `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'silent',
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

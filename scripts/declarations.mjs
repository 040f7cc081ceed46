// Writes the declarations of the package in the working directory: one bundled file per entry point. They come from the sources alone
// (`isolatedDeclarations`), so this takes seconds where the compiler would take a minute.
import { copyFileSync, readFileSync } from 'node:fs';
import { build } from 'tsdown';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.values(exports).filter(({ source }) => source !== undefined);
const targetOf = (entry) => entry.types ?? entry.import.types;

// Each alone: `Register` can only be augmented where it is declared, so `index.d.ts` must contain it.
for (const entry of entries) {
  const name = targetOf(entry).replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1');
  await build({
    config: false,
    logLevel: 'error',
    entry: { [name]: entry.source },
    format: 'esm',
    outDir: 'dist',
    clean: false,
    dts: { emitDtsOnly: true, oxc: true },
    deps: { neverBundle: [/^@edict\//] },
    outExtensions: () => ({ dts: '.d.ts' }),
  });
  if (entry.require !== undefined) copyFileSync(`dist/${name}.d.ts`, `dist/${name}.d.cts`);
}

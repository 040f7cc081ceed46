// Weighs bundles: minified by esbuild, gzipped at level 9, React left out. Fails above the budget.
// `--parts` lists what each source file adds to ours.

import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { build } from 'esbuild';
import { bytes, publish, table, verdict } from '../report/tables.ts';
import { bundles } from './entries.ts';

interface Weighed {
  minified: number;
  gzipped: number;
  metafile: Metafile;
}

async function weigh(source: string): Promise<Weighed> {
  const result = await build({
    stdin: { contents: source, resolveDir: process.env['BENCH_ROOT'] ?? '.', loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions: ['source'],
    external: ['react', 'react-dom'],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'error',
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error('esbuild wrote nothing');
  return {
    minified: file.contents.byteLength,
    gzipped: gzipSync(file.contents, { level: 9 }).byteLength,
    metafile: result.metafile,
  };
}

function partsOf({ outputs }: Metafile): string {
  const inputs = Object.values(outputs)[0]?.inputs ?? {};
  const rows = Object.entries(inputs)
    .toSorted(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .map(([path, { bytesInOutput }]) => [path.replace(/^(\.\.\/)+/, ''), bytes(bytesInOutput)]);
  return table(['file', 'minified'], rows);
}

async function main(): Promise<void> {
  const rows: string[][] = [];
  let isWithin = true;
  let parts = '';
  for (const { title, source, budget, aim } of bundles) {
    const { minified, gzipped, metafile } = await weigh(source);
    const fits = budget === undefined || gzipped <= budget;
    isWithin &&= fits;
    if (budget !== undefined) parts ||= partsOf(metafile);
    rows.push([
      title,
      bytes(minified),
      bytes(gzipped),
      budget === undefined ? '' : `<= ${bytes(budget)}`,
      budget === undefined ? '' : verdict(fits),
      aim === undefined ? '' : `<= ${bytes(aim)}: ${verdict(gzipped <= aim)}`,
    ]);
  }
  publish(
    'size',
    [
      '# Size',
      'Bundles for production by esbuild, minified, gzip -9; React and React DOM left out.',
      table(['what an application imports', 'minified', 'min + gzip', 'budget', 'holds', 'aim'], rows),
    ].join('\n\n'),
  );
  if (process.argv.includes('--parts')) console.log(parts);
  if (!isWithin) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

// Weighs bundles: minified by esbuild, gzipped at level 9, React left out. Fails above the budget.
// `--parts` lists what each source file adds to ours.

import { gzipSync } from 'node:zlib';
import type { Metafile } from 'esbuild';
import { build } from 'esbuild';
import { bytes, publish, table, verdict } from '../report/tables.ts';
import { bundles } from './entries.ts';
import { byPurpose } from './purposes.ts';

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
    // The shared stream is loaded only with `sse.share`, and has a row of its own.
    external: ['react', 'react-dom', './share/sharedStream.ts'],
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

/** Minified bytes by source file. */
function filesOf({ outputs }: Metafile): Record<string, number> {
  const inputs = Object.values(outputs)[0]?.inputs ?? {};
  return Object.fromEntries(
    Object.entries(inputs).map(([path, { bytesInOutput }]) => [
      path.replace(/^(\.\.\/)+/, ''),
      bytesInOutput,
    ]),
  );
}

function partsOf(files: Readonly<Record<string, number>>): string {
  const rows = Object.entries(files)
    .toSorted(([, a], [, b]) => b - a)
    .map(([path, count]) => [path, bytes(count)]);
  return table(['file', 'minified'], rows);
}

/** Compressed bytes belong to no file alone: each purpose has the part of them that it has of the minified ones. */
function purposesOf(files: Readonly<Record<string, number>>, gzipped: number): string {
  const sums = byPurpose(files);
  const all = sums.reduce((sum, [, count]) => sum + count, 0);
  return table(
    ['what it is for', 'minified', 'its part of min + gzip'],
    sums.map(([purpose, count]) => [purpose, bytes(count), bytes((count / all) * gzipped)]),
  );
}

async function main(): Promise<void> {
  const rows: string[][] = [];
  let isWithin = true;
  let parts = '';
  let ours = '';
  for (const { title, source, budget, aim } of bundles) {
    const { minified, gzipped, metafile } = await weigh(source);
    const fits = budget === undefined || gzipped <= budget;
    isWithin &&= fits;
    if (budget !== undefined && ours === '') {
      const files = filesOf(metafile);
      parts = partsOf(files);
      ours = `## What ours is made of\n\n${title}.\n\n${purposesOf(files, gzipped)}`;
    }
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
      ours,
    ].join('\n\n'),
  );
  if (process.argv.includes('--parts')) console.log(parts);
  if (!isWithin) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

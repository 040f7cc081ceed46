// Measures bundles of the built packages, minified and gzipped at level 9, without React. Rolldown minifies them, as in Vite. A second size is
// from esbuild. Fails if a bundle is larger than its budget. `--parts` lists the size of each source file in the bundle of Edict.

import { gzipSync } from 'node:zlib';
import type { BuildOptions } from 'esbuild';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { measuredAt } from '../report/machine.ts';
import { bytes, publish, table, verdict } from '../report/tables.ts';
import { bundles } from './entries.ts';
import { byPurpose } from './purposes.ts';

const root = process.env['BENCH_ROOT'] ?? process.cwd();
const define = { 'process.env.NODE_ENV': '"production"' };

const gzipped = (code: string | Uint8Array): number => gzipSync(code, { level: 9 }).byteLength;

/** Returns only the first chunk, because code that an option loads later has a row of its own. */
async function byRolldown(source: string): Promise<string> {
  const entry = `${root}/entry.ts`;
  const bundle = await rolldown({
    input: entry,
    logLevel: 'silent',
    external: /^react(-dom)?$/,
    platform: 'browser',
    transform: { define, target: 'es2022' },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  return output[0].code;
}

const esbuildOptions = (source: string) =>
  ({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    outdir: 'out',
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    external: ['react', 'react-dom'],
    define,
    legalComments: 'none',
    logLevel: 'error',
  }) satisfies BuildOptions;

async function byEsbuild(source: string): Promise<Uint8Array> {
  const { outputFiles } = await build(esbuildOptions(source));
  const [file] = outputFiles.filter(({ path }) => path.endsWith('stdin.js'));
  if (file === undefined) throw new Error('esbuild wrote no file.');
  return file.contents;
}

/** Returns the minified bytes by source file. */
async function filesOf(source: string): Promise<Record<string, number>> {
  const { metafile } = await build({ ...esbuildOptions(source), conditions: ['source'] });
  const inputs = metafile.outputs['out/stdin.js']?.inputs ?? {};
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

/** Divides the compressed size by purpose. Compressed bytes belong to no single file, so each purpose gets its share of the minified bytes. */
function purposesOf(files: Readonly<Record<string, number>>, size: number): string {
  const sums = byPurpose(files);
  const all = sums.reduce((sum, [, count]) => sum + count, 0);
  return table(
    ['purpose', 'size'],
    sums.map(([purpose, count]) => [purpose, bytes((count / all) * size)]),
  );
}

const limitOf = (esbuildBudget: number): string =>
  esbuildBudget < Infinity ? `, by esbuild <= ${bytes(esbuildBudget)}` : '';

async function main(): Promise<void> {
  const rows: string[][] = [];
  let isWithin = true;
  let parts = '';
  let ours = '';
  for (const { title, source, budget, esbuildBudget = Infinity, aim } of bundles) {
    const code = await byRolldown(source);
    const size = gzipped(code);
    const esbuildSize = gzipped(await byEsbuild(source));
    const fits = (budget === undefined || size <= budget) && esbuildSize <= esbuildBudget;
    isWithin &&= fits;
    if (ours === '') {
      const files = await filesOf(source);
      parts = partsOf(files);
      ours = `## Parts of the bundle of Edict\n\n${title}.\n\n${purposesOf(files, size)}`;
    }
    rows.push([
      title,
      bytes(code.length),
      bytes(size),
      bytes(esbuildSize),
      budget === undefined ? '' : `<= ${bytes(budget)}${limitOf(esbuildBudget)}`,
      budget === undefined ? '' : verdict(fits),
      aim === undefined ? '' : `<= ${bytes(aim)}: ${verdict(size <= aim)}`,
    ]);
  }
  const head = [
    'what an application imports',
    'minified',
    'min + gzip',
    'by esbuild',
    'budget',
    'holds',
    'aim',
  ];
  publish(
    'size',
    [
      '# Size',
      measuredAt(),
      'The table lists production bundles of the built packages, compressed with gzip -9, without React and React DOM. Rolldown bundles and minifies them, as in Vite. The column "by esbuild" has the gzipped size of the bundle of esbuild.',
      table(head, rows),
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

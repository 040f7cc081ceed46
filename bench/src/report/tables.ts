// Formats Markdown tables, and numbers with units.

import { mkdirSync, writeFileSync } from 'node:fs';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** At most three digits, but always all digits before the decimal point. */
function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(value >= 1 ? 3 : 2).replace(/\.0+$/, '');
}

export function duration(ns: number): string {
  if (ns < 1000) return `${digits(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  return `${digits(ns / 1e6)} ms`;
}

export const bytes = (count: number): string =>
  count < 10_000
    ? `${digits(count)} B`
    : count < 1e7
      ? `${digits(count / 1000)} kB`
      : `${digits(count / 1e6)} MB`;

export const ratio = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(value < 0.1 ? 3 : 2) : '–';

/** "yes" or "no", or an empty string for a row without a target. */
export const verdict = (holds: boolean, hasTarget = true): string =>
  hasTarget ? (holds ? 'yes' : '**no**') : '';

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints a report, and saves it in the folder `results` unless the option `--dry` is given. */
export function publish(name: string, text: string): void {
  console.log(`\n${text.trim()}\n`);
  if (process.argv.includes('--dry')) return;
  const folder = `${process.env['BENCH_ROOT'] ?? '.'}/results`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.md`, `${text.trim()}\n`);
}

// Describes the machine of a run. Without it, the times of a report have no meaning.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';

const clientPackages = [
  '@tanstack/query-core',
  '@tanstack/react-query',
  'swr',
  '@reduxjs/toolkit',
  'react-redux',
  'zustand',
  'react',
] as const;

function versionOf(name: string): string {
  const root = process.env['BENCH_ROOT'] ?? '.';
  const text = readFileSync(`${root}/../node_modules/${name}/package.json`, 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version); // Every package has one.
}

export function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** The header for reports of counts and sizes, which do not depend on the machine. */
export const measuredAt = (): string => `Measured at commit ${commit()}, with Node ${process.version}.`;

/** Returns one paragraph about the machine and its load, and one about the versions. */
export function machine(packages: readonly string[] = clientPackages): string {
  const [cpu] = cpus();
  const load = loadavg()
    .map((each) => each.toFixed(1))
    .join(', ');
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `Machine: ${cpus().length} x ${cpu?.model.trim() ?? 'unknown CPU'}, ${memory} GiB, ${platform()} ${release()}, Node ${process.version}; load average ${load}; commit ${commit()}.`,
    `Versions: ${packages.map((name) => `${name} ${versionOf(name)}`).join(', ')}.`,
  ].join('\n\n');
}

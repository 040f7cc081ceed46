// What the bytes of our bundle are for, by source file: who wonders at its size sees which promise it pays for.

export const purposes: Readonly<Record<string, readonly string[]>> = {
  'requests, levels, cache and its eviction': [
    ...[
      'cache',
      'entries',
      'refs',
      'registry',
      'reading',
      'fetching',
      'calls',
      'deadlines',
      'retries',
      'bulk',
    ],
    ...['planning', 'settling', 'watchers', 'sweep', 'clock', 'unref', 'announce', 'lifecycle'],
    ...['answers', 'equal', 'eviction', 'freshness', 'ids', 'levels', 'merge', 'params'],
  ].map((name) => `core/${name}`),
  'directives: in both shapes, inline results, answers of mutations': [
    ...['directives', 'effects', 'inlineResults', 'normalize', 'heard', 'newest', 'ownEchoes', 'seenKeys'],
    ...['marks', 'envelopeSeqs', 'pull', 'responseBody', 'headers', 'ages'],
  ].map((name) => `core/${name}`),
  'the stream: connection, numbers, resync, custom transports': [
    ...['sseClient', 'sseState', 'sseRequest', 'envelopes', 'envelope', 'sequence', 'resync', 'renewal'],
    ...['directiveSource', 'customSource', 'intake'],
  ]
    .map((name) => `core/${name}`)
    .concat('eventsource-parser'),
  'options, and errors that name the culprit': ['options', 'checks', 'describe', 'urls'].map(
    (name) => `core/${name}`,
  ),
  'server rendering: writing a cache out, taking one over': ['core/dehydration', 'core/hydration'],
  'the platform, the wiring, `state()` and `devtools()`': [
    ...['env', 'dataLayer', 'dl', 'index', 'inspect', 'names', 'table'],
  ].map((name) => `core/${name}`),
  'hooks for one item and for lists, with tracked reads': ['react', 'use-sync-external-store'],
};

/** `core/cache`, `react` or the name of a package, of a path as esbuild names it. */
function origin(path: string): string {
  const [, file] = /(?:^|\/)core\/src\/(?:.*\/)?([^/]+)\.ts$/.exec(path) ?? [];
  if (file !== undefined) return `core/${file}`;
  if (/(?:^|\/)react\/src\//.test(path)) return 'react';
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(`/${path}`)?.[1] ?? path;
}

/** Bytes by purpose. Throws for a file that has none: whoever adds one says what it is for. */
export function byPurpose(files: Readonly<Record<string, number>>): [purpose: string, bytes: number][] {
  const sums = new Map(Object.keys(purposes).map((purpose) => [purpose, 0]));
  for (const [path, bytes] of Object.entries(files)) {
    if (bytes === 0) continue;
    const from = origin(path);
    const purpose = Object.keys(purposes).find((each) => purposes[each]?.includes(from));
    if (purpose === undefined) throw new Error(`purposes.ts does not say what ${path} is for`);
    sums.set(purpose, (sums.get(purpose) ?? 0) + bytes);
  }
  return [...sums].toSorted(([, a], [, b]) => b - a);
}

// Groups the bytes of our bundle by purpose, one or more source folders each.

export const purposes: Readonly<Record<string, readonly string[]>> = {
  'cache, levels, requests, eviction': ['core/cache', 'core/levels', 'core/fetching'],
  'directives, inline results, mutation responses': ['core/directives', 'core/mutations'],
  'event stream: connection, sequence, resync, custom sources': ['core/stream', 'eventsource-parser'],
  'options and error messages': ['core/config'],
  hydration: ['core/hydration'],
  'platform, lifecycle events, wiring, `state()`, `devtools()`': [
    ...['core', 'core/platform', 'core/events', 'core/inspect', 'core/protocol'],
  ],
  'hooks with tracked reads': ['react'],
};

/** The folder of a source file (`core/cache`), `react`, or the name of a package, from a path as esbuild reports it. */
function origin(path: string): string {
  const [, folder] = /(?:^|\/)core\/src\/(?:([^/]+)\/)?/.exec(path) ?? [];
  if (/(?:^|\/)core\/src\//.test(path)) return folder === undefined ? 'core' : `core/${folder}`;
  if (/(?:^|\/)react\/src\//.test(path)) return 'react';
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(`/${path}`)?.[1] ?? path;
}

/** Sums bytes by purpose. Throws for a file of a folder that no purpose lists. */
export function byPurpose(files: Readonly<Record<string, number>>): [purpose: string, bytes: number][] {
  const sums = new Map(Object.keys(purposes).map((purpose) => [purpose, 0]));
  for (const [path, bytes] of Object.entries(files)) {
    if (bytes === 0) continue;
    const from = origin(path);
    const purpose = Object.keys(purposes).find((each) => purposes[each]?.includes(from));
    if (purpose === undefined) throw new Error(`purposes.ts lists no purpose for ${path}`);
    sums.set(purpose, (sums.get(purpose) ?? 0) + bytes);
  }
  return [...sums].toSorted(([, a], [, b]) => b - a);
}

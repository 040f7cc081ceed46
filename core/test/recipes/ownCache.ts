// ownCache.ts
import type { DataLayer } from '@edict/core';
import { connectCache, type CacheOptions, type Change } from '@edict/core/adapters/cache';

/** A cache of your own, by the paths of what it holds. */
export function createPages(load: (path: string) => Promise<unknown>) {
  const held = new Map<string, unknown>();
  const underWay = new Map<string, Promise<unknown>>();
  /** Changed since they were asked for. */
  const changed = new Set<string>();

  async function request(path: string): Promise<unknown> {
    changed.delete(path);
    const page = await load(path);
    // An answer that may lack the change is shown this once, and not kept.
    if (!changed.has(path)) held.set(path, page);
    return page;
  }

  return {
    async get(path: string): Promise<unknown> {
      if (held.has(path)) return held.get(path);
      // Who asks after the change is not content with an answer from before it.
      if (changed.has(path)) await underWay.get(path)?.catch(() => undefined);
      const asked = underWay.get(path) ?? request(path).finally(() => underWay.delete(path));
      underWay.set(path, asked);
      return asked;
    },
    forget(isChanged: (path: string) => boolean): void {
      for (const path of [...held.keys()].filter(isChanged)) held.delete(path);
      for (const path of [...underWay.keys()].filter(isChanged)) changed.add(path);
    },
  };
}

/** Which paths a change is about. */
function isAbout(change: Change, path: string): boolean {
  if (change.kind === 'collection') return path.split('?')[0] === `/${change.name}`;
  const { type, id } = change;
  return id === null ? path.startsWith(`/${type}s/`) : path === `/${type}s/${id}`;
}

/** The server's word for it. Returns what ends it. */
export function keepCurrent(
  dl: DataLayer,
  pages: ReturnType<typeof createPages>,
  options?: CacheOptions,
): () => void {
  return connectCache(
    dl,
    {
      markStale: (change) => pages.forget((path) => isAbout(change, path)),
      changed: () => {}, // Here whoever shows a page would ask for it again.
      resync: () => pages.forget(() => true),
    },
    options,
  );
}

// ownCache.ts
import type { DataLayer } from '@edict/core';
import { connectCache, type CacheOptions, type Change } from '@edict/core/adapters/cache';

/** A cache of your own, by path. */
export function createPages(load: (path: string) => Promise<unknown>) {
  const cached = new Map<string, unknown>();
  const inFlight = new Map<string, Promise<unknown>>();
  /** Paths that changed since they were requested. */
  const changed = new Set<string>();

  async function request(path: string): Promise<unknown> {
    changed.delete(path);
    const page = await load(path);
    // A response that may lack the change is shown once, and not cached.
    if (!changed.has(path)) cached.set(path, page);
    return page;
  }

  return {
    async get(path: string): Promise<unknown> {
      if (cached.has(path)) return cached.get(path);
      // A read after the change waits for the older request, and sends a new one.
      if (changed.has(path)) await inFlight.get(path)?.catch(() => undefined);
      const requested = inFlight.get(path) ?? request(path).finally(() => inFlight.delete(path));
      inFlight.set(path, requested);
      return requested;
    },
    forget(isChanged: (path: string) => boolean): void {
      for (const path of [...cached.keys()].filter(isChanged)) cached.delete(path);
      for (const path of [...inFlight.keys()].filter(isChanged)) changed.add(path);
    },
  };
}

/** Whether a change concerns a path. */
function isAbout(change: Change, path: string): boolean {
  if (change.kind === 'collection') return path.split('?')[0] === `/${change.name}`;
  const { type, id } = change;
  return id === null ? path.startsWith(`/${type}s/`) : path === `/${type}s/${id}`;
}

/** Applies the server's directives to the cache. Returns a function that ends it. */
export function keepCurrent(
  dl: DataLayer,
  pages: ReturnType<typeof createPages>,
  options?: CacheOptions,
): () => void {
  return connectCache(
    dl,
    {
      markStale: (change) => pages.forget((path) => isAbout(change, path)),
      changed: () => {}, // Refetch here what is on the screen.
      resync: () => pages.forget(() => true),
    },
    options,
  );
}

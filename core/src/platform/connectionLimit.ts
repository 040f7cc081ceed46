// Over HTTP/1.1 a browser opens six connections to a host, for all its tabs together. In development, this file notices when event streams
// take them all. Each stream holds a lock in shared mode, so the locks of a browser count its streams.

import type { Env } from './env.ts';
import { urlOf } from './urls.ts';

const limit = 6;
const warned = new WeakSet<Env>();

/** Warns once if no request gets a connection because of event streams. The signal ends with the stream. */
export function watchConnections(env: Env, address: string, signal: AbortSignal): void {
  if (!env.page || env.tabs === null || warned.has(env) || !globalThis.document || !('locks' in navigator))
    return;
  const originOf = (url: string): string | undefined => urlOf(url, location.href)?.origin;
  const origin = originOf(address);
  const name = `edict stream ${origin}`;
  // The page itself and its requests. Both types have the fields of a resource.
  const known = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
  const isHttp1 = (known as PerformanceResourceTiming[]).some(
    (entry) => originOf(entry.name) === origin && entry.nextHopProtocol.startsWith('http/1'),
  );
  if (!isHttp1) return;
  navigator.locks
    .request(name, { mode: 'shared' }, async () => {
      const { held = [] } = await navigator.locks.query();
      const streams = held.filter((lock) => lock.name === name).length;
      if (streams >= limit && !signal.aborted) {
        warned.add(env);
        env.log(
          'warn',
          `Event stream: ${streams} tabs have a stream to ${origin} over HTTP/1.1, and a browser opens only ${limit} connections to a host, so requests of all tabs wait. Set sse.share to true, or serve over HTTP/2.`,
        );
      }
      if (!signal.aborted) await new Promise((end) => signal.addEventListener('abort', end));
    })
    .catch(() => undefined);
}

// Over HTTP/1.1 a browser opens six connections to a host, for all its tabs together. In development, this file notices when event streams
// take them up. Each stream holds a lock in shared mode, so the locks of a browser count its streams.

import type { Env } from './env.ts';
import { urlOf } from './urls.ts';

const limit = 6;
/** With this many streams, a long wait for a connection is their fault. With fewer, it is that of other requests. */
const many = 4;
const longWaitMs = 2000;
const warned = new WeakSet<Env>();

const isHttp1 = ({ nextHopProtocol }: PerformanceResourceTiming): boolean =>
  nextHopProtocol.startsWith('http/1');

/** How long a request waited for a connection. The time that a new connection or a slow server takes does not count. */
export const queuedMs = ({
  workerStart,
  fetchStart,
  domainLookupStart,
  connectEnd,
  requestStart,
}: Pick<
  PerformanceResourceTiming,
  'workerStart' | 'fetchStart' | 'domainLookupStart' | 'connectEnd' | 'requestStart'
>): number =>
  // Other origins may hide their times, which are 0 then. A service worker may delay a request on purpose.
  requestStart === 0 || workerStart > 0 ? 0 : requestStart - fetchStart - (connectEnd - domainLookupStart);

/** Warns once if requests have to wait because of event streams. The signal ends with the stream. */
export function watchConnections(env: Env, address: string, signal: AbortSignal): void {
  if (env.page === null || env.tabs === null || warned.has(env) || typeof document === 'undefined') return;
  if (!('locks' in navigator) || typeof PerformanceObserver === 'undefined') return;
  const originOf = (url: string): string | undefined => urlOf(url, location.href)?.origin;
  const origin = originOf(address);
  const name = `edict stream ${origin}`;

  async function warnFrom(fewest: number): Promise<void> {
    const { held = [] } = await navigator.locks.query();
    const streams = held.filter((lock) => lock.name === name).length;
    if (streams < fewest || warned.has(env)) return;
    warned.add(env);
    env.log(
      'warn',
      `Event stream: ${streams} tabs have a stream to ${origin} over HTTP/1.1, and a browser opens only ${limit} connections to a host, so requests of all tabs wait. Set sse.share to true, or serve over HTTP/2.`,
    );
  }
  const ignore = (): void => undefined;

  // Entries of the page itself and of its requests. These types have the fields of a resource.
  const known = ['navigation', 'resource'].flatMap((type) =>
    performance.getEntriesByType(type),
  ) as PerformanceResourceTiming[];
  const isOld = known.some((entry) => originOf(entry.name) === origin && isHttp1(entry));
  navigator.locks
    .request(name, { mode: 'shared' }, async () => {
      if (signal.aborted) return;
      const ended = new Promise((end) => signal.addEventListener('abort', end));
      if (isOld) await warnFrom(limit);
      await ended;
    })
    .catch(ignore);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceResourceTiming[])
      if (originOf(entry.name) === origin && isHttp1(entry) && queuedMs(entry) >= longWaitMs)
        warnFrom(many).catch(ignore);
  });
  observer.observe({ type: 'resource' });
  signal.addEventListener('abort', () => observer.disconnect());
}

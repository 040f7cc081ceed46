// One real client: a data layer whose screen shows a list, its rows and a notice.

import { createDataLayer, type CollectionReference, type DataLayer } from '@edict/core';
import type { Chance } from './chance.ts';
import { audienceOf, type Truth } from './truth.ts';

/** A running client. */
export interface Client {
  readonly dl: DataLayer;
  /** Describes the first difference from the current data, or returns null. */
  readonly difference: () => string | null;
  readonly counts: { requests: number; gaps: number; resyncs: number; connects: number; errors: number };
  readonly close: () => void;
}

const hourMs = 3_600_000;

/** Opens a client of one team. It learns of changes only from directives, because no entry becomes stale by age. */
export function openClient(truth: Truth, chance: Chance, team: string, baseUrl: string): Client {
  const dl = createDataLayer({ env: { log: () => {} } }); // It logs each response that is not a stream.
  const counts = { requests: 0, gaps: 0, resyncs: 0, connects: 0, errors: 0 };
  const watched = new Map<number, () => void>();

  /** Reads immediately and responds later, so that a response is outdated if a write happens in between. */
  async function answer<T>(read: () => T): Promise<T> {
    counts.requests += 1;
    const value = read();
    await new Promise((done) => setTimeout(done, chance.next() * 30));
    return value;
  }

  dl.init({
    sse: {
      baseUrl,
      audience: ['global', audienceOf(team)],
      initialRetryMs: 100,
      maxRetryMs: 800,
      resyncJitterMinMs: 10,
      resyncJitterMaxMs: 100,
    },
    bulk: { delayMs: 20 },
  });
  dl.createType('ticket', {
    stalenessMs: hourMs,
    fetch: (id) => answer(() => truth.ticket(Number(id))),
    bulkFetch: (ids) => answer(() => ids.flatMap((id) => truth.ticket(Number(id)) ?? [])),
  });
  dl.createType('notice', { stalenessMs: hourMs, fetch: () => answer(truth.notice) });
  dl.createCollection('tickets', {
    stalenessMs: hourMs,
    fetch: () => answer(() => ({ ids: truth.idsOf(team) })),
  });

  dl.onLifecycle('sse:gap', () => (counts.gaps += 1));
  dl.onLifecycle('sse:resync-dispatch', () => (counts.resyncs += 1));
  dl.onLifecycle('sse:open', () => (counts.connects += 1));
  dl.onLifecycle('sse:error', () => (counts.errors += 1));

  const list: CollectionReference = dl.fetchCollection('tickets', { params: { team } });
  function watchRows(): void {
    const ids = new Set(list.data.ids.map(Number));
    for (const [id, unwatch] of watched) {
      if (ids.has(id)) continue;
      unwatch();
      watched.delete(id);
    }
    for (const id of ids) {
      if (watched.has(id)) continue;
      watched.set(
        id,
        dl.onRefChange(dl.getItemRef('ticket', id), () => {}),
      );
      dl.fetchItem('ticket', id);
    }
  }
  dl.onRefChange(list, watchRows);
  const notice = dl.fetchItem('notice', 1);
  dl.onRefChange(notice, () => {});

  function difference(): string | null {
    const ids = truth.idsOf(team);
    if (list.data.ids.join() !== ids.join()) return `the list has ${list.data.ids.join()}, not ${ids.join()}`;
    for (const id of ids) {
      const held = dl.getItemRef('ticket', id).data as { version?: unknown } | null; // The shape of `truth.ticket`.
      const version = truth.ticket(id)?.version;
      if (held?.version !== version)
        return `ticket ${id} has version ${String(held?.version)}, not ${version}`;
    }
    const held = notice.data as { version?: unknown } | null; // The shape of `truth.notice`.
    const { version } = truth.notice();
    return held?.version === version
      ? null
      : `the notice has version ${String(held?.version)}, not ${version}`;
  }

  return { dl, difference, counts, close: () => dl.dispose() };
}

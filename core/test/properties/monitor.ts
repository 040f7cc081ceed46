// Checks one client: no entry may be fresh if its response was requested before the last directive for it was
// received, or show data older than a received directive.

import type { DehydratedState } from '@edict/core/hydration';
import type { DataLayer, Reference, Target } from '@edict/core';
import type { Truth } from './truth.ts';

export interface Monitor {
  /** Checks this reference from now on, until it is evicted. */
  follow: (key: string, ref: Reference) => void;
  check: () => void;
  /** Hydrates a state. Its data may be fresh without a request. Received directives still apply. */
  trust: (state: DehydratedState) => void;
  report: (text: string) => void;
  /** The oldest version that a field of this document may show after the received directives. */
  leastOf: (id: string, field: string) => number;
  /** Descriptions of the violations. */
  violations: string[];
}

const convertsTo: Readonly<Record<string, readonly string[]>> = {
  full: ['full'],
  mid: ['mid', 'full'],
  default: ['default', 'mid', 'full'],
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** @param itemsAt the level of the items that lists contain */
export function createMonitor(dl: DataLayer, truth: Truth, itemsAt: string | null): Monitor {
  let order = 0;
  let allMarked = 0;
  const asked = new Map<string, number>();
  const answered = new Map<string, number>();
  const marked = new Map<string, number>();
  const announced = new Map<string, number>();
  const refs = new Map<string, Reference>();
  const violations: string[] = [];

  const slotKey = (kind: string, key: string, level: string): string => `${kind}/${key}/${level}`;
  const keyOf = (params: object | undefined): string =>
    dl.getCollectionRef('docs', { params }).meta.paramsKey;
  const targetKey = (target: Target): string =>
    target.kind === 'item'
      ? slotKey(target.type, String(target.id), target.level)
      : slotKey('docs', keyOf(target.params), 'default');

  const leastOf = (id: string, field: string): number => announced.get(`${id}/${field}`) ?? 0;

  /** The minimum versions of the document fields that a directive names. */
  function announce(directive: unknown, inherited: unknown): void {
    if (!isRecord(directive)) return;
    const version = directive['timestamp'] ?? inherited;
    const { targets } = directive;
    if (Array.isArray(targets)) for (const target of targets) announce(target, version);
    if (directive['name'] !== 'doc' || typeof version !== 'number') return;
    const id = String(directive['id']);
    for (const [field, value] of Object.entries(truth.after(version, id) ?? {})) {
      if (value === version) announced.set(`${id}/${field}`, Math.max(version, leastOf(id, field)));
    }
  }

  dl.onLifecycle('*', (message) => {
    const { event, detail } = message;
    switch (event) {
      case 'item:fetch:intent':
      case 'collection:fetch:intent':
        asked.set(detail.qid, ++order);
        break;
      case 'item:fetch:success':
        answered.set(slotKey(detail.type, String(detail.id), detail.level), asked.get(detail.qid) ?? 0);
        break;
      case 'collection:fetch:success':
        answered.set(slotKey('docs', keyOf(detail.params), 'default'), asked.get(detail.qid) ?? 0);
        if (itemsAt !== null)
          for (const id of dl.getCollectionRef('docs', { params: detail.params }).data.ids) {
            const key = slotKey('doc', String(id), itemsAt);
            answered.set(key, Math.max(answered.get(key) ?? 0, asked.get(detail.qid) ?? 0));
          }
        break;
      case 'directive:processed':
        order += 1;
        for (const target of detail.triggered) marked.set(targetKey(target), order);
        for (const target of detail.satisfied) answered.set(targetKey(target), order);
        announce(detail.directive, undefined);
        break;
      case 'sse:resync-dispatch':
        allMarked = ++order;
        break;
      case 'memory:evict':
        refs.delete(`${detail.name}/${detail.key}`);
        break;
    }
  });

  function report(text: string): void {
    if (violations.length < 5) violations.push(text);
  }

  function checkSlot(key: string, level: string, sources: readonly string[]): void {
    const last = Math.max(marked.get(`${key}/${level}`) ?? 0, allMarked);
    const latest = Math.max(...sources.map((source) => answered.get(`${key}/${source}`) ?? 0));
    if (latest < last) {
      report(
        `${key}/${level} is fresh, but its answer was requested (${latest}) before the last directive (${last})`,
      );
    }
  }

  function checkFields(key: string, data: unknown): void {
    if (!isRecord(data)) return;
    for (const [field, value] of Object.entries(data)) {
      const least = leastOf(key.slice('doc/'.length), field);
      if (typeof value === 'number' && field !== 'id' && value < least) {
        report(`${key} is fresh with ${field} ${value}, but a directive had announced ${least}`);
      }
    }
  }

  return {
    violations,
    report,
    leastOf,
    follow: (key, ref) => void refs.set(key, ref),
    trust({ items, collections }) {
      order += 1;
      for (const { type, id, payloads } of items)
        for (const level of payloads.flatMap(({ levels }) => levels))
          answered.set(slotKey(type, String(id), level), order);
      for (const { params } of collections) answered.set(slotKey('docs', keyOf(params), 'default'), order);
    },
    check() {
      for (const [key, { meta, data }] of refs) {
        if (meta.isStale) continue;
        if ('paramsKey' in meta) {
          checkSlot(key, 'default', ['default']);
          continue;
        }
        for (const [level, stamp] of Object.entries(meta.levelStamps)) {
          if (stamp !== null) checkSlot(key, level, convertsTo[level] ?? [level]);
        }
        if (key.startsWith('doc/')) checkFields(key, data);
      }
    },
  };
}

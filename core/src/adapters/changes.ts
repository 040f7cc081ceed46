// What a data layer hears, told to a cache that is not its own. Numbers, replay, audiences, sources and idempotency have been
// judged when a directive gets here; what is left is what changed.

import type { DataLayer, Id } from '@edict/core';
import { createNewest } from '../newest.ts';
import { normalize, targetsOf } from '../rules/normalize.ts';

/** An inline result that is known to be the newest of its audience. */
export interface InlineResult {
  readonly value: unknown;
}

/** What a directive says has changed. */
export type Change =
  | {
      readonly kind: 'item';
      readonly type: string;
      /** Null: every item of the type. */
      readonly id: Id | null;
      /** Null: every level. */
      readonly level: string | null;
      readonly result: InlineResult | null;
    }
  | {
      readonly kind: 'collection';
      readonly name: string;
      /** Null: every params set. */
      readonly params: object | null;
      readonly mode: 'exact' | 'contains';
      readonly result: InlineResult | null;
    };

/** Who is told. */
export interface ChangeListener {
  readonly changed: (change: Change) => void;
  /** What was missed is unknown: everything may have changed (D-SSE-9). */
  readonly resync: () => void;
}

/** A directive's number and audience, with those of its wrapper and its list filled in. */
interface Place {
  readonly seq: number | null;
  readonly audience: string | null;
}

const presence = '@edict/adapters';

/**
 * Makes the data layer know that there are requests besides its own, the oldest of this age: with its first connection it then
 * asks the hub for all that happened since (D-SSE-8). A hydrated entry says just that, and causes no request and no event.
 */
export function noteRequests(dl: DataLayer, ageMs: number): void {
  dl.createType(presence, { fetch: () => null });
  const payloads = [{ levels: ['default'], data: null, ageMs }];
  // An entry for each age: one with a younger answer would keep that, and say nothing of the older.
  dl.hydrate({ v: 1, items: [{ type: presence, id: ageMs, payloads }], collections: [], cursors: [] });
}

/** Listens to a data layer; returns what ends it. */
export function listen(dl: DataLayer, listener: ChangeListener): () => void {
  const places = new WeakMap<object, Place>();
  const newest = createNewest();

  /** Before any of a list is applied: its numbers count, whatever becomes of it. */
  function place(directive: unknown, above: Place): void {
    if (typeof directive !== 'object' || directive === null) return;
    const { seq, audience } = directive as { seq?: unknown; audience?: unknown }; // An object: any of its fields may be read.
    const own: Place = {
      seq: typeof seq === 'number' && Number.isFinite(seq) ? seq : above.seq,
      audience: typeof audience === 'string' ? audience : above.audience,
    };
    places.set(directive, own);
    newest.note(own.audience, own.seq);
    for (const target of targetsOf(directive) ?? []) place(target, own);
  }

  /**
   * A result is taken over only where its number says that nothing newer was heard. One without a number is refetched: a cache
   * that is not ours does not know when its answers were requested.
   */
  function resultOf(raw: unknown, result: InlineResult | null): InlineResult | null {
    const its = typeof raw === 'object' && raw !== null ? places.get(raw) : undefined;
    if (result === null || its === undefined || its.seq === null) return null;
    return newest.isPassed(its.audience, its.seq) ? null : result;
  }

  function tell(raw: unknown): void {
    const { directive } = normalize(raw);
    if (directive === null) return;
    switch (directive.kind) {
      case 'item': {
        const { name: type, id, level } = directive;
        return listener.changed({ kind: 'item', type, id, level, result: resultOf(raw, directive.result) });
      }
      case 'collection': {
        const { name, params, mode } = directive;
        return listener.changed({
          kind: 'collection',
          name,
          params,
          mode,
          result: resultOf(raw, directive.result),
        });
      }
      case 'named': {
        // Nothing is registered that could tell which it is (D-DIR-1).
        const { name, params, level } = directive;
        listener.changed({ kind: 'collection', name, params, mode: 'exact', result: null });
        if (directive.legacy) listener.changed({ kind: 'item', type: name, id: null, level, result: null });
        return;
      }
      case 'wrapper': // Its targets were processed before it, each by itself.
      case 'reload': // The data layer reloads the page.
    }
  }

  const ends = [
    dl.onLifecycle('directive:received', ({ detail }) => {
      for (const directive of detail.directives) place(directive, { seq: null, audience: detail.audience });
    }),
    dl.onLifecycle('directive:processed', ({ detail }) => tell(detail.directive)),
    dl.onLifecycle('sse:gap', ({ detail: { audience, lastSeq, incomingSeq } }) =>
      newest.moved(audience, lastSeq, incomingSeq),
    ),
    dl.onLifecycle('sse:resync-dispatch', () => listener.resync()),
  ];
  return () => {
    for (const end of ends) end();
  };
}

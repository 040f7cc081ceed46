// What a data layer hears, told to a cache that is not its own. Numbers, replay, audiences, sources and idempotency have been
// judged when a directive gets here; what is left is what changed.

import type { DataLayer, Id } from '@edict/core';
import { seqOf } from '@edict/core/internal';
import { createNewest } from '../directives/newest.ts';
import type { Leaf, NormalDirective } from '../directives/normalize.ts';
import { normalize, targetsOf } from '../directives/normalize.ts';
import type { Place } from '../stream/sequence.ts';
import { createRecords, type Named } from './records.ts';

/** An inline result that is known to be the newest of its audience. */
export interface InlineResult {
  /** As the server sent it; of a collection `{ ids, count? }`. */
  readonly value: unknown;
}

/** An item changed. */
export interface ItemChange {
  /** Tells it from a collection. */
  readonly kind: 'item';
  /** The name of its type. */
  readonly type: string;
  /** Null: every item of the type. */
  readonly id: Id | null;
  /** Null: every level. */
  readonly level: string | null;
  /**
   * What this item holds at this level (`level` null: at the level that is read without naming one) by the newest that was heard; its other
   * levels are to be asked for. It may be passed over, and asked for. An answer to a request that began before must not take its place.
   * Null: all that changed is to be asked for.
   */
  readonly result: InlineResult | null;
}

/** A collection changed. */
export interface CollectionChange {
  /** Tells it from an item. */
  readonly kind: 'collection';
  /** Its name. */
  readonly name: string;
  /** Null: every params set. */
  readonly params: object | null;
  /** `contains`: every params set that has all of `params` (D-PARAM-3). */
  readonly mode: 'exact' | 'contains';
  /**
   * What it holds with exactly these params (`params` null: with none) by the newest that was heard; with other params it is to be asked for.
   * Otherwise as that of an item.
   */
  readonly result: InlineResult | null;
}

/** What a directive says has changed. */
export type Change = ItemChange | CollectionChange;

/** Who is told. */
export interface ChangeListener {
  readonly changed: (change: Change) => void;
  /** What was missed is unknown: everything may have changed (D-SSE-9). */
  readonly resync: () => void;
}

/** What a name without a kind may be, where nothing is registered. */
const eitherOf = (name: string): readonly Named[] => [
  { kind: 'collection', name },
  { kind: 'item', name },
];

const nowhere: Place = { seq: null, audience: null };

/** Listens to a data layer; returns what ends it. */
export function listen(dl: DataLayer, listener: ChangeListener): () => void {
  const places = new WeakMap<object, Place>();
  const newest = createNewest();
  const records = createRecords();

  const placeOf = (raw: unknown): Place =>
    (typeof raw === 'object' && raw !== null ? places.get(raw) : undefined) ?? nowhere;

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
  function resultOf(
    directive: Leaf,
    part: unknown,
    raw: unknown,
    result: InlineResult | null,
  ): InlineResult | null {
    const its = placeOf(raw);
    const isDoubtful = records.name(directive, its);
    const isTaken =
      result !== null && !isDoubtful && its.seq !== null && !newest.isPassed(its.audience, its.seq);
    if (isTaken) records.take(directive, part, its);
    return isTaken ? result : null;
  }

  /** A directive that was passed over may all the same show that a result is older than it (D-DIR-9); a wrapper for each of its targets. */
  function passedOver(raw: unknown, isOwn: boolean): void {
    const { directive } = normalize(raw);
    if (directive === null || directive.kind === 'reload') return;
    if (directive.kind === 'wrapper') {
      for (const { own } of directive.targets) passedOver(own.raw, isOwn);
      return;
    }
    const named = directive.kind === 'named' ? eitherOf(directive.name) : [directive];
    if (named.some((record) => records.overtakes(record, placeOf(raw), isOwn))) tell(directive, raw, null);
  }

  function tell(directive: NormalDirective, raw: unknown, result: InlineResult | null): void {
    switch (directive.kind) {
      case 'item': {
        const { name: type, id, level } = directive;
        const taken = resultOf(directive, level, raw, result);
        return listener.changed({ kind: 'item', type, id, level, result: taken });
      }
      case 'collection': {
        const { name, params, mode } = directive;
        const taken = resultOf(directive, params, raw, result);
        return listener.changed({ kind: 'collection', name, params, mode, result: taken });
      }
      case 'named': {
        // Nothing is registered that could tell which it is (D-DIR-1).
        const { name, params, level } = directive;
        for (const record of eitherOf(name)) records.name(record, placeOf(raw));
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
      const above: Place = { seq: seqOf(detail), audience: detail.audience };
      for (const directive of detail.directives) place(directive, above);
    }),
    dl.onLifecycle('directive:processed', ({ detail: { directive: raw } }) => {
      const { directive } = normalize(raw);
      if (directive !== null) tell(directive, raw, 'result' in directive ? directive.result : null);
    }),
    dl.onLifecycle('directive:skipped', ({ detail: { directive, reason } }) => {
      if (reason === 'own-source' || reason === 'duplicate') passedOver(directive, reason === 'own-source');
    }),
    dl.onLifecycle('sse:gap', ({ detail: { audience, lastSeq, incomingSeq } }) =>
      newest.moved(audience, lastSeq, incomingSeq),
    ),
    dl.onLifecycle('sse:resync-dispatch', () => listener.resync()),
  ];
  return () => {
    for (const end of ends) end();
  };
}

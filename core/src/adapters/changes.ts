// Turns the directives that a data layer applies into changes for another cache. The data layer has already checked sequence numbers,
// audiences, sources, and idempotency keys.

import type { DataLayer, Id } from '@edict/core';
import { seqOf, type Internals } from '@edict/core/internal';
import { isNewestPushed } from '../directives/inlineResults.ts';
import type { Leaf, NormalDirective } from '../directives/normalize.ts';
import { normalize } from '../directives/normalize.ts';
import type { SequencePosition } from '../directives/metadata.ts';
import { targetsOf } from '../protocol/targets.ts';
import { createRecords, type Named } from './records.ts';

/** An inline result that is the newest of its audience. */
export interface InlineResult {
  /** As the server sent it. For a collection: `{ ids, count? }`. */
  readonly value: unknown;
}

/** An item changed. */
export interface ItemChange {
  /** Discriminates items from collections. */
  readonly kind: 'item';
  /** The name of its type. */
  readonly type: string;
  /** Null: every item of the type. */
  readonly id: Id | null;
  /** Null: every level. */
  readonly level: string | null;
  /**
   * The new data of this item at `level` (null: the default level). Refetch its other levels. A cache may ignore the result and refetch
   * instead. A response to a request that began earlier must not replace it. Null: refetch everything that changed.
   */
  readonly result: InlineResult | null;
}

/** A collection changed. */
export interface CollectionChange {
  /** Discriminates collections from items. */
  readonly kind: 'collection';
  /** Its name. */
  readonly name: string;
  /** Null: every params set. */
  readonly params: Readonly<Record<string, unknown>> | null;
  /** `contains`: every params set that has all of `params` */
  readonly mode: 'exact' | 'contains';
  /**
   * The new data with exactly these params (`params` null: without params). Refetch every other params set. In all
   * other respects it is like the result of an item.
   */
  readonly result: InlineResult | null;
}

/** One change that a directive announced. */
export type Change = ItemChange | CollectionChange;

/** Callbacks for changes. */
export interface ChangeListener {
  readonly changed: (change: Change) => void;
  /** Messages were missed, so everything may have changed. */
  readonly resync: () => void;
}

/** Nothing is registered, so a name without a kind can be a collection or a type. */
const eitherOf = (name: string): readonly Named[] => [
  { kind: 'collection', name },
  { kind: 'item', name },
];

const inlineIn = (directive: NormalDirective): InlineResult | null =>
  'result' in directive && directive.result !== undefined ? { value: directive.result } : null;

const noPosition: SequencePosition = { seq: null, audience: null };

/** Subscribes to a data layer. Returns the function that ends the subscription. */
export function listen(dl: DataLayer, internals: Internals, listener: ChangeListener): () => void {
  const positions = new WeakMap<object, SequencePosition>();
  const records = createRecords();

  const positionOf = (raw: unknown): SequencePosition =>
    (typeof raw === 'object' && raw !== null ? positions.get(raw) : undefined) ?? noPosition;

  /** Stores the position of a directive. It inherits the values that it lacks. */
  function notePosition(directive: unknown, above: SequencePosition): void {
    if (typeof directive !== 'object' || directive === null) return;
    const { seq, audience } = directive as { seq?: unknown; audience?: unknown }; // An object: any of its fields may be read.
    const own: SequencePosition = {
      seq: typeof seq === 'number' && Number.isFinite(seq) ? seq : above.seq,
      audience: typeof audience === 'string' ? audience : above.audience,
    };
    positions.set(directive, own);
    for (const target of targetsOf(directive)) notePosition(target, own);
  }

  /**
   * A result is used under the same conditions as one that the data layer caches. A result without a number is refetched, because this
   * cache does not know when its responses were requested.
   */
  function resultOf(
    { kind, name, id, record }: Leaf,
    part: unknown,
    raw: unknown,
    result: InlineResult | null,
  ): InlineResult | null {
    const { parts } = internals;
    const { audience, seq } = positionOf(raw);
    if (result === null || seq === null || parts.audiences.isPassed({ audience, seq })) return null;
    if (!isNewestPushed(parts, { name, record, audience, seq })) return null;
    records.noteUsed({ kind, name, id }, part, { audience, seq });
    return result;
  }

  /** A skipped directive can still prove that a result is older than it. For a wrapper, each target counts. */
  function skipped(raw: unknown, isOwn: boolean): void {
    const directive = normalize(raw);
    if (directive === null || directive.kind === 'reload') return;
    if (directive.kind === 'wrapper') {
      for (const target of directive.targets) skipped(target.raw, isOwn);
      return;
    }
    const named = directive.kind === 'named' ? eitherOf(directive.name) : [directive];
    if (named.some((record) => records.overtakes(record, positionOf(raw), isOwn)))
      deliver(directive, raw, null);
  }

  function deliver(directive: NormalDirective, raw: unknown, result: InlineResult | null): void {
    switch (directive.kind) {
      case 'item': {
        const { name: type, id, level } = directive;
        const used = resultOf(directive, level, raw, result);
        return listener.changed({ kind: 'item', type, id, level, result: used });
      }
      case 'collection': {
        const { name, params, mode } = directive;
        const used = resultOf(directive, params, raw, result);
        return listener.changed({ kind: 'collection', name, params, mode, result: used });
      }
      case 'named': {
        // Nothing is registered, so the directive may name a type or a collection.
        const { name, params, level } = directive;
        listener.changed({ kind: 'collection', name, params, mode: 'exact', result: null });
        if (directive.legacy) listener.changed({ kind: 'item', type: name, id: null, level, result: null });
        return;
      }
      case 'wrapper': // Its targets were processed before it, one by one.
      case 'reload': // The data layer reloads the page.
    }
  }

  const ends = [
    dl.onLifecycle('directive:received', ({ detail }) => {
      const above: SequencePosition = { seq: seqOf(detail), audience: detail.audience };
      for (const directive of detail.directives) notePosition(directive, above);
    }),
    dl.onLifecycle('directive:processed', ({ detail: { directive: raw } }) => {
      const directive = normalize(raw);
      if (directive !== null) deliver(directive, raw, inlineIn(directive));
    }),
    dl.onLifecycle('directive:skipped', ({ detail: { directive, reason } }) => {
      if (reason === 'own-source' || reason === 'duplicate') skipped(directive, reason === 'own-source');
      positions.delete(directive as object); // An own echo that is applied later is refetched (D-SRC-4).
    }),
    dl.onLifecycle('sse:resync-dispatch', () => listener.resync()),
  ];
  return () => {
    for (const end of ends) end();
  };
}

// Directives by hand, with names, levels and params checked against the application's `Register` (D-REACT-9).

// From the package and not from a file: `Register` is extended there, and a copy in this entry's types would stay empty.
import type {
  CollectionName,
  CollectionParams,
  Directive,
  DirectiveMeta,
  ForceReloadPageDirective,
  Id,
  InvalidateDirective,
  ItemResult,
  LevelName,
  RefreshCollectionDirective,
  RefreshItemDirective,
  TypeName,
} from '@edict/core';

/** What `refreshCollection` takes last. */
export type RefreshCollectionOptions<C extends CollectionName = CollectionName> = DirectiveMeta & {
  /** The new answer inline: `{ ids, count? }` (D-DIR-8). */
  result?: unknown;
} & (
    | {
        /** Which parameter sets; all of them when absent. */
        params?: CollectionParams<C> | null | undefined;
        /** `exact` (default): equal params. */
        mode?: 'exact' | null | undefined;
      }
    | {
        /** Some of the params: those that have to be equal. */
        params?: Partial<CollectionParams<C>> | null | undefined;
        /** `contains`: params that include the given ones (D-PARAM-3). */
        mode: 'contains';
      }
  );

/** What `refreshItem` takes last. */
export interface RefreshItemOptions<
  T extends TypeName = TypeName,
  L extends LevelName<T> = LevelName<T>,
> extends DirectiveMeta {
  /** The level that must be fetched; the levels each client holds when absent. */
  level?: L | null | undefined;
  /** The new payload inline; `null` is a payload (D-DIR-8, D-DIR-10). */
  result?: ItemResult<T, L>;
}

/** What `forceReloadPage` takes. */
export interface ForceReloadPageOptions extends DirectiveMeta {
  /** Bypass caches. Default false. */
  hard?: boolean | null | undefined;
}

/**
 * A collection changed: clients refetch the parameter sets they hold (document §4.5). Also the answer to a removed item.
 * Of a name that may be one of several it is a directive for one of them, so that a loop over names can be emitted.
 */
export function refreshCollection<C extends CollectionName>(
  name: C,
  options?: RefreshCollectionOptions<C>,
): C extends CollectionName ? RefreshCollectionDirective<C> : never;
export function refreshCollection(
  name: CollectionName,
  options: RefreshCollectionOptions = {},
): RefreshCollectionDirective {
  const { mode, ...rest } = { ...options }; // Null is none, as everywhere here.
  const directive: RefreshCollectionDirective = { op: 'refresh_collection', name, ...rest };
  return mode === undefined ? directive : { ...directive, params_mode: mode };
}

/** An item changed: clients refetch the levels they hold, or the level named (document §4.5). Of several types it is for one of them. */
export function refreshItem<T extends TypeName, L extends LevelName<T> = LevelName<T>>(
  name: T,
  id: Id,
  options?: RefreshItemOptions<T, L>,
): T extends TypeName ? RefreshItemDirective<T> : never;
export function refreshItem(name: TypeName, id: Id, options: RefreshItemOptions = {}): RefreshItemDirective {
  return { op: 'refresh_item', name, id, ...options };
}

/** Several directives as one; the metadata holds for targets that have none (document §4.5, D-DIR-10). */
export function invalidate(targets: readonly Directive[], meta: DirectiveMeta = {}): InvalidateDirective {
  return { op: 'invalidate', targets, ...meta };
}

/**
 * Every client reloads its page, the originator too (document §4.5). For critical changes only.
 * Give it an `idempotency_key`: without one, a redelivery reloads again.
 */
export function forceReloadPage(options: ForceReloadPageOptions = {}): ForceReloadPageDirective {
  return { op: 'force_reload_page', ...options };
}

// Builders of directives. Names, levels, ids, params, and results are checked against definitions or the application's `Register`. In
// development, an unknown option is a `TypeError`.

// Imported from the package instead of a file, because applications extend `Register` there. A copy in this
// entry's types would stay empty.
import type {
  CollectionDefinition,
  CollectionName,
  CollectionParams,
  Directive,
  DirectiveMeta,
  ForceReloadPageDirective,
  Id,
  InvalidateDirective,
  LevelPayload,
  LevelsOf,
  RefreshCollectionDirective,
  RefreshItemDirective,
  ItemDefinition,
  TypeInvalidate,
  TypeName,
} from '@edict/core';
import { check, isList, must, mustHave } from '../config/checks.ts';
import { nameOf } from '../config/definitions.ts';

/** The new content of a list, for an inline result. Without `info`, the previous `info` is removed. */
export interface ListResult<I extends Id = Id, Info = unknown> {
  /** The ids, in the order in which the items are shown. */
  ids: readonly I[];
  /** The number of all items, on all pages. Default: the number of `ids`. */
  count?: number | undefined;
  /** Any further data about the list. */
  info?: Info | undefined;
}

/** What `refreshCollection` accepts after the name. */
export type RefreshCollectionOptions<P = object, I extends Id = Id, Info = unknown> = DirectiveMeta & {
  /** The new content of the list with these params. Clients show it without a request. */
  result?: ListResult<I, Info> | undefined;
} & (
    | {
        /** The lists to refresh: those with equal params. Default: all lists of the collection. */
        params?: P | null | undefined;
        /** `exact` (default): the params must be equal. */
        mode?: 'exact' | null | undefined;
      }
    | {
        /** Some of the params. */
        params?: Partial<P> | null | undefined;
        /** `contains`: the lists whose params include the given ones. */
        mode: 'contains';
      }
  );

/** What `refreshItem` accepts after the id. `Levels` are the payloads of the type by level, and `L` is the named level. */
export interface RefreshItemOptions<
  Levels extends object = Record<string, unknown>,
  L extends keyof Levels = keyof Levels,
> extends DirectiveMeta {
  /** The level that changed. Default: the levels that each client caches. */
  level?: L | null | undefined;
  /** The new payload. Clients show it without a request. `null` is a payload; `undefined` means no result. */
  result?: LevelPayload<Levels, L> | undefined;
}

/** What `forceReloadPage` accepts. */
export interface ForceReloadPageOptions extends DirectiveMeta {
  /** Whether to bypass the caches of the browser. Default false. */
  hard?: boolean | null | undefined;
}

const metadata = ['idempotency_key', 'timestamp', 'audience', 'source', 'seq'];

/** Clients ignore an unknown field. So a misspelled one would refresh too much, or emit to everyone. */
function checkOptions(builder: string, given: unknown, ...names: readonly string[]): void {
  const isAny = check('', () => true); // The hub checks the values.
  const known = Object.fromEntries([...names, ...metadata].map((name) => [name, isAny]));
  mustHave(`${builder}: the options`, known, given ?? {}, `${builder}: `);
}

/**
 * A collection changed. Clients refetch the lists that they cache. Emit it for the lists of a removed item too.
 *
 * ```ts
 * import { refreshCollection } from '@edict/core/protocol';
 *
 * refreshCollection('tickets', { params: { status: 'open' }, mode: 'contains' });
 * ```
 */
export function refreshCollection<
  C extends CollectionName,
  P = CollectionParams<C>,
  I extends Id = Id,
  Info = unknown,
>(
  collection: C | CollectionDefinition<string, P, I, Info>,
  options?: RefreshCollectionOptions<NoInfer<P>, NoInfer<I>, NoInfer<Info>>,
): C extends CollectionName ? RefreshCollectionDirective<C> : never;
export function refreshCollection(
  collection: CollectionName | CollectionDefinition<string, unknown, Id, unknown>,
  options: RefreshCollectionOptions | null = {},
): RefreshCollectionDirective {
  const { mode, ...rest } = options ?? {};
  // The signature above allows registered names only, and definitions.
  const name = nameOf(collection) as CollectionName;
  if (process.env.NODE_ENV !== 'production')
    checkOptions('refreshCollection', options, 'params', 'mode', 'result');
  const directive: RefreshCollectionDirective = { op: 'refresh_collection', name, ...rest };
  return mode === undefined ? directive : { ...directive, params_mode: mode };
}

/** An item changed. Clients refetch the levels that they cache, or only `level`. A `result` replaces the request. */
export function refreshItem<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends keyof Levels & string = keyof Levels & string,
>(
  type: T | ItemDefinition<string, I, Levels>,
  id: NoInfer<I>,
  options?: RefreshItemOptions<Levels, L>,
): T extends TypeName ? RefreshItemDirective<T> : never;
export function refreshItem(
  type: TypeName | ItemDefinition<string, Id, object>,
  id: Id,
  options?: RefreshItemOptions,
): RefreshItemDirective {
  if (process.env.NODE_ENV !== 'production') checkOptions('refreshItem', options, 'level', 'result');
  // The signature above allows the levels and payloads of the type only.
  return { op: 'refresh_item', name: nameOf(type), id, ...options } as RefreshItemDirective;
}

/**
 * An item does not exist anymore. Clients that cache it show `null` and `isGone`, and request nothing. Refresh the collections that listed the
 * item with directives of their own.
 */
export function removeItem<T extends TypeName, I extends Id = Id>(
  type: T | ItemDefinition<string, I, object>,
  id: NoInfer<I>,
  meta?: DirectiveMeta,
): T extends TypeName ? RefreshItemDirective<T> : never;
export function removeItem(
  type: TypeName | ItemDefinition<string, Id, object>,
  id: Id,
  meta?: DirectiveMeta,
): RefreshItemDirective {
  if (process.env.NODE_ENV !== 'production') checkOptions('removeItem', meta);
  return { op: 'refresh_item', name: nameOf(type) as TypeName, id, result: null, ...meta };
}

/**
 * Every item of a type may have changed. Clients mark all of them stale and refetch those on screen. This
 * directive is an extension that only Edict clients understand.
 */
export function refreshType<T extends TypeName>(
  type: T | ItemDefinition<string, Id, object>,
  meta?: DirectiveMeta,
): T extends TypeName ? TypeInvalidate<T> : never;
export function refreshType(
  type: TypeName | ItemDefinition<string, Id, object>,
  meta?: DirectiveMeta,
): TypeInvalidate {
  if (process.env.NODE_ENV !== 'production') checkOptions('refreshType', meta);
  return { op: 'invalidate', kind: 'item', name: nameOf(type) as TypeName, ...meta };
}

/** Combines several directives into one. The metadata applies to the targets that have none of their own. */
export function invalidate(targets: readonly Directive[], meta: DirectiveMeta = {}): InvalidateDirective {
  if (process.env.NODE_ENV !== 'production') {
    must('invalidate: the targets', isList, targets);
    checkOptions('invalidate', meta);
  }
  return { op: 'invalidate', targets, ...meta };
}

/**
 * Every client reloads its page, including the one that caused the directive. Use it for critical changes only, and pass an
 * `idempotency_key`, such as the release: without one, a repeated `emit` reloads the page again.
 */
export function forceReloadPage(options: ForceReloadPageOptions = {}): ForceReloadPageDirective {
  if (process.env.NODE_ENV !== 'production') checkOptions('forceReloadPage', options, 'hard');
  return { op: 'force_reload_page', ...options };
}

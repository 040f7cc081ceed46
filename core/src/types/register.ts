// The typed registry: applications name their types and collections once, by declaration merging (D-REACT-9).

/**
 * Extend it to have names, levels, params and data checked everywhere; without it any string is a name.
 *
 * ```ts
 * import type {} from '@edict/core';
 *
 * interface Summary {
 *   id: number;
 *   title: string;
 * }
 *
 * declare module '@edict/core' {
 *   interface Register {
 *     types: { ticket: { default: Summary; full: Summary & { body: string } } };
 *     collections: { tickets: { status?: 'open' | 'closed'; page?: number } };
 *   }
 * }
 * ```
 */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Register {}

type Types = Register extends { types: infer T } ? T : never;
type Collections = Register extends { collections: infer C } ? C : never;

/** The registered type names, or any string where nothing is registered. */
export type TypeName = [Types] extends [never] ? string : keyof Types & string;

/** The levels of a type; `'default'` always is one. */
export type LevelName<T extends TypeName = TypeName> = [Types] extends [never]
  ? string
  : T extends keyof Types
    ? (keyof Types[T] & string) | 'default'
    : string;

/** The payload of one level of a type. */
export type LevelData<T extends TypeName = TypeName, L = 'default'> = [Types] extends [never]
  ? unknown
  : T extends keyof Types
    ? L extends keyof Types[T]
      ? Types[T][L]
      : unknown
    : unknown;

type Keys<Union> = Union extends unknown ? keyof Union : never;
type Value<Union, Key extends PropertyKey> = Union extends { [K in Key]?: infer V } ? V : never;
type PartialMerge<Union> = Union extends object ? { [K in Keys<Union>]?: Value<Union, K> } : Union;

/** What an item reference holds: the partial merge of all levels of the type. */
export type ItemData<T extends TypeName = TypeName> = [Types] extends [never]
  ? unknown
  : T extends keyof Types
    ? [Types[T][keyof Types[T]]] extends [object]
      ? { [K in Keys<Types[T][keyof Types[T]]>]?: Value<Types[T][keyof Types[T]], K> }
      : PartialMerge<Types[T][keyof Types[T]]>
    : unknown;

/** The registered collection names, or any string where nothing is registered. */
export type CollectionName = [Collections] extends [never] ? string : keyof Collections & string;

/** The params of a collection. */
export type CollectionParams<C extends CollectionName = CollectionName> = [Collections] extends [never]
  ? object
  : C extends keyof Collections
    ? Collections[C]
    : object;

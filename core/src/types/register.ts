// The names that an application registers with TypeScript, by declaration merging.

/**
 * Extend this interface so that TypeScript checks names, levels, params, and payloads wherever a name is a string.
 * Without an entry, every string is accepted as a name and payloads are `unknown`. Definitions (`defineItem`,
 * `defineCollection`) are typed without it.
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
 *
 * `RegisterOf` derives both members from definitions.
 */
// oxlint-disable-next-line typescript/no-empty-interface
export interface Register {}

type Types = Register extends { types: infer T } ? T : never;
type Collections = Register extends { collections: infer C } ? C : never;

/** The registered type names, or any string if `Register` has no types. */
export type TypeName = [Types] extends [never] ? string : keyof Types & string;

interface WithDefaultLevel {
  /** The payload of the default level. */
  default: unknown;
}

/** The levels of a type by name, each with its payload. Every type has the level `default`. */
export type LevelsOf<T extends TypeName = TypeName> = [Types] extends [never]
  ? Record<string, unknown>
  : T extends keyof Types
    ? Types[T] extends WithDefaultLevel
      ? Types[T]
      : Types[T] & WithDefaultLevel
    : Record<string, unknown>;

/** The level names of a type. `'default'` is one of them. */
export type LevelName<T extends TypeName = TypeName> = [Types] extends [never]
  ? string
  : T extends keyof Types
    ? (keyof Types[T] & string) | 'default'
    : string;

/** The payload of one level. `Levels` is an object of payloads by level name. */
export type LevelPayload<Levels, L = 'default'> = Levels extends unknown
  ? L extends keyof Levels
    ? Levels[L]
    : unknown
  : never;

/**
 * The payload of the level that an operation received: the level's name, or null or undefined for the default
 * level.
 */
export type GivenPayload<Levels, L> = LevelPayload<Levels, L extends null | undefined ? 'default' : L>;

/** The payload of one level of a type. */
export type LevelData<T extends TypeName = TypeName, L = 'default'> = LevelPayload<LevelsOf<T>, L>;

type Keys<Union> = Union extends unknown ? keyof Union : never;
type Value<Union, Key extends PropertyKey> = Union extends { [K in Key]?: infer V } ? V : never;
type PartialMerge<Union> = [Union] extends [object]
  ? { [K in Keys<Union>]?: Value<Union, K> }
  : Union extends object
    ? { [K in Keys<Union>]?: Value<Union, K> }
    : Union;

/** The content of an item reference: the fields of all levels, each optional, because a level may not have been fetched. */
export type MergedLevels<Levels> = string extends keyof Levels
  ? unknown
  : Levels extends unknown
    ? PartialMerge<Exclude<Levels[keyof Levels], null>>
    : never;

/** The content of the reference of an item of this type: the fields of all its levels, each optional. */
export type ItemData<T extends TypeName = TypeName> = MergedLevels<LevelsOf<T>>;

/** The registered collection names, or any string if `Register` has no collections. */
export type CollectionName = [Collections] extends [never] ? string : keyof Collections & string;

/** The params of a collection. */
export type CollectionParams<C extends CollectionName = CollectionName> = [Collections] extends [never]
  ? object
  : C extends keyof Collections
    ? Collections[C]
    : object;

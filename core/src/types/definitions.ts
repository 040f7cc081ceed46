// Definitions: a name, a config, and the types that were inferred from its fetch functions.

import type { Id } from '../protocol/directive.ts';
import type { ItemConfig, ListConfig } from './configs.ts';

/**
 * An item type with its inferred types, as `defineItem` returns it. Every operation that accepts a type name accepts it too.
 *
 * `I` is the type of the ids, `Levels` has the payload of each level by its name.
 */
export interface ItemDefinition<N extends string = string, I = Id, Levels extends object = object> {
  /** Distinguishes the two kinds of definitions. */
  readonly kind: 'item';
  /** The name of the type, as directives use it. */
  readonly name: N;
  /** The config that `register` checks and uses. */
  readonly config: ItemConfig<never>;
  /** Only for the compiler. The property does not exist. */
  readonly '~types'?: {
    /** The type of the ids. */
    readonly id: I;
    /** The payload of each level, by its name. */
    readonly levels: Levels;
  };
}

/**
 * A collection with its inferred types, as `defineCollection` returns it. Every operation that accepts a collection name accepts it too.
 *
 * `P` is the type of the params, `I` that of the ids, and `Info` that of `data.info`.
 */
export interface CollectionDefinition<
  N extends string = string,
  P = unknown,
  I extends Id = Id,
  Info = unknown,
> {
  /** Distinguishes the two kinds of definitions. */
  readonly kind: 'collection';
  /** The name of the collection, as directives use it. */
  readonly name: N;
  /** The config that `register` checks and uses. */
  readonly config: ListConfig<never>;
  /** Only for the compiler. The property does not exist. */
  readonly '~types'?: {
    /** The type of the params. */
    readonly params: P;
    /** The type of the ids. */
    readonly id: I;
    /** The type of `data.info`. */
    readonly info: Info;
  };
}

/** A definition of either kind. */
export type Definition = ItemDefinition | CollectionDefinition;

type LevelsIn<D> = D extends ItemDefinition<string, Id, infer Levels> ? Levels : never;
// If every field is optional, `undefined` adds nothing, and the plain object type reads better.
type ParamsIn<D> =
  D extends CollectionDefinition<string, infer P> ? ({} extends NonNullable<P> ? NonNullable<P> : P) : never;

/**
 * The `Register` entries of a list of definitions. With them, the same names are typed when they are written as strings.
 *
 * ```ts
 * import { defineItem, type RegisterOf } from '@edict/core';
 *
 * const user = defineItem('user', { fetch: async (id: number) => ({ id, name: 'Ann' }) });
 *
 * declare module '@edict/core' {
 *   interface Register extends RegisterOf<[typeof user]> {}
 * }
 * ```
 */
export interface RegisterOf<Definitions extends readonly Definition[]> {
  /** The payload of each level, by type and level. */
  types: { [D in Extract<Definitions[number], ItemDefinition> as D['name']]: LevelsIn<D> };
  /** The params of each collection. */
  collections: { [D in Extract<Definitions[number], CollectionDefinition> as D['name']]: ParamsIn<D> };
}

/** Whether a collection cannot be fetched without params: its params type has required fields. */
export type NeedsParams<P> = undefined extends P ? false : {} extends P ? false : true;

interface RequiredParams<P> {
  /** The params. */
  params: P;
}

/** `params` in the options of an operation on a collection: required if the params type has required fields. */
export type WithParams<P, Options> = NeedsParams<P> extends true ? Options & RequiredParams<P> : Options;

/** The last arguments of an operation on a collection. The options can be omitted unless the params type has required fields. */
export type CollectionArguments<P, Options> =
  NeedsParams<P> extends true ? [options: Options & RequiredParams<P>] : [options?: Options];

// Definitions are plain frozen objects. Creating one registers nothing, so a module with definitions has no side effects.

import type { Id } from '../protocol/directive.ts';
import type { ItemConfig, ItemLevelName, ListArgument } from '../types/configs.ts';
import type { CollectionDefinition, Definition, ItemDefinition } from '../types/definitions.ts';
import { check, isName, isObject, must, type Check } from './checks.ts';
import { dev } from './describe.ts';

/** The payloads of all levels, `default` included. */
type AllLevels<D, L> = {
  [K in keyof L | 'default']: K extends 'default' ? D : K extends keyof L ? L[K] : never;
};

/**
 * Defines an item type. The types of ids, levels, and payloads are inferred from the fetch functions.
 *
 * Register the definition with `register`, which also checks the config. Use it wherever a type name is accepted.
 *
 * ```ts
 * import { defineItem, DL } from '@edict/core';
 *
 * interface Ticket {
 *   id: number;
 *   title: string;
 * }
 *
 * export const ticket = defineItem('ticket', {
 *   fetch: async (id: number, { signal }): Promise<Ticket> =>
 *     (await fetch(`/api/tickets/${id}`, { signal })).json(),
 * });
 *
 * DL.register(ticket);
 * console.log(DL.fetchItem(ticket, 7).data?.title);
 * ```
 */
export function defineItem<const N extends string, I extends Id = Id, D = unknown, L extends object = {}>(
  name: N,
  config: ItemConfig<I, D, L>,
): ItemDefinition<N, I, AllLevels<D, L>>;
export function defineItem(name: string, config: object): Definition {
  return Object.freeze({ kind: 'item', name, config }) as ItemDefinition; // The signature above infers its parts.
}

/**
 * Defines a collection. The types of params, ids, and `info` are inferred from the fetch function. With `of`, the fetch function may return
 * items, an object with `items`, or an object with `ids`.
 *
 * Register the definition with `register`, which also checks the config. Use it wherever a collection name is accepted.
 * If the params type has required fields, operations on the collection require `params`. Otherwise write `| undefined`: the fetch
 * function receives `undefined` when there are no params.
 *
 * ```ts
 * import { defineCollection } from '@edict/core';
 *
 * export const tickets = defineCollection('tickets', {
 *   fetch: async (params: { page?: number } | undefined, { signal }): Promise<{ ids: number[] }> =>
 *     (await fetch(`/api/tickets?page=${params?.page ?? 1}`, { signal })).json(),
 * });
 * ```
 */
export function defineCollection<
  const N extends string,
  P = object | undefined,
  I = Id,
  Info = never,
  Levels extends object = never,
  O extends string = never,
  L extends ItemLevelName<Levels> = never,
  Given = never,
>(
  name: N,
  // The payload type is unknown here if only a string names the type.
  config: ListArgument<P, I, Info, Levels, O, L, object, Given>,
): CollectionDefinition<N, P, I & Id, Info>;
export function defineCollection(name: string, config: object): Definition {
  return Object.freeze({ kind: 'collection', name, config }) as CollectionDefinition; // Like an item.
}

/** What `register` accepts. */
export const isDefinition: Check<Definition> = /* @__PURE__ */ check(
  dev`be what defineItem or defineCollection returned for a name and a config`,
  (value) =>
    isObject(value) && (value['kind'] === 'item' || value['kind'] === 'collection') && isName(value['name']),
);

/** How an operation names a type or a collection. */
export type NameOrDefinition = string | Definition;

/**
 * The name. Untyped callers may pass any value, which is then not a registered name. A definition is undefined while its module is loading, in
 * a cycle of imports.
 */
export function nameOf(named: { readonly name: string } | string | undefined): string {
  if (!isObject(named)) return named as string;
  if (process.env.NODE_ENV !== 'production') must('the name of a definition', isName, named['name']);
  return named['name'] as string;
}

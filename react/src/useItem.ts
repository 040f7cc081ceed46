import type { Id, ItemDefinition, LevelsOf, TypeName } from '@edict/core';
import { nameOf } from '@edict/core/internal';
import { checkOptions } from './binding/checkOptions.ts';
import { itemKey, levelOf, optionsOf } from './binding/untyped.ts';
import { useEntry } from './binding/useSource.ts';
import type { ItemSnapshot, LevelArgumentData, UseItemOptions } from './types.ts';

/**
 * Reads one item at one level. It is fetched when the component mounts, and kept up to date by directives. With an `id` of null or undefined,
 * nothing is fetched. A failed fetch is in `error`. Throws while rendering if the type is not registered.
 *
 * ```tsx
 * import { defineItem } from '@edict/core';
 * import { useItem } from '@edict/react';
 *
 * const ticket = defineItem('ticket', { fetch: async (id: number) => ({ id, title: `Ticket ${id}` }) });
 *
 * function Title({ id }: { id: number }) {
 *   const { data, error, isPending, isGone, refresh } = useItem(ticket, id);
 *   if (isPending) return <p>Loading …</p>;
 *   if (isGone) return <p>Ticket not found</p>;
 *   return data === null ? <button onClick={refresh}>{error?.message}</button> : <h1>{data.title}</h1>;
 * }
 * ```
 */
export function useItem<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends (keyof Levels & string) | null | undefined = undefined,
  R = LevelArgumentData<Levels, L> | null,
>(
  type: T | ItemDefinition<string, I, Levels>,
  id: NoInfer<I> | null | undefined,
  level?: L,
  options?: UseItemOptions<LevelArgumentData<Levels, L>, R>,
): ItemSnapshot<R>;
/** The level can also be an option. */
export function useItem<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends (keyof Levels & string) | null | undefined = undefined,
  R = LevelArgumentData<Levels, L> | null,
>(
  type: T | ItemDefinition<string, I, Levels>,
  id: NoInfer<I> | null | undefined,
  options: { level?: L } & UseItemOptions<LevelArgumentData<Levels, L>, R>,
): ItemSnapshot<R>;
export function useItem(
  type: { name: string } | string,
  id: Id | null | undefined,
  second?: object | string | null,
  third?: UseItemOptions<never, unknown>,
): unknown {
  const name = nameOf(type);
  const level = levelOf(second);
  const options = optionsOf(second, third);
  if (process.env.NODE_ENV !== 'production')
    checkOptions(`useItem("${name}")`, options, 'enabled silent keepPrevious select isEqual', second);
  return useEntry(itemKey(name, id ?? '', level), id !== null && id !== undefined, options).shown.snapshot;
}

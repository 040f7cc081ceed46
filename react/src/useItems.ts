import type { Id, ItemDefinition, LevelsOf, TypeName } from '@edict/core';
import * as React from 'react';
import { nameOf } from '@edict/core/internal';
import { checkOptions } from './binding/checkOptions.ts';
import { newInstanceState } from './binding/instanceState.ts';
import { levelOf, optionsOf } from './binding/untyped.ts';
import { useStore } from './binding/useStore.ts';
import { useScope } from './binding/scope.ts';
import { type List, listOf } from './lists/items.ts';
import type { ItemSnapshot, LevelArgumentData, ReadOptions } from './types.ts';

/**
 * Reads many items at one level, with one subscription and one bulk request. Returns a row for each id, in the order of the ids. An id may occur
 * twice, or be null for an empty row. A row stays the same object until a field of it that was read changes.
 */
export function useItems<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends (keyof Levels & string) | null | undefined = undefined,
>(
  type: T | ItemDefinition<string, I, Levels>,
  ids: readonly (NoInfer<I> | null | undefined)[],
  level?: L,
  options?: ReadOptions,
): readonly ItemSnapshot<LevelArgumentData<Levels, L> | null>[];
/** As above, with the level as an option. */
export function useItems<
  T extends TypeName,
  I extends Id = Id,
  Levels extends object = LevelsOf<T>,
  L extends (keyof Levels & string) | null | undefined = undefined,
>(
  type: T | ItemDefinition<string, I, Levels>,
  ids: readonly (NoInfer<I> | null | undefined)[],
  options: { level?: L } & ReadOptions,
): readonly ItemSnapshot<LevelArgumentData<Levels, L> | null>[];
export function useItems(
  type: { name: string } | string,
  ids: readonly (Id | null | undefined)[],
  second?: object | string | null,
  third?: ReadOptions,
): unknown {
  const name = nameOf(type);
  const level = levelOf(second);
  const options = optionsOf(second, third);
  if (process.env.NODE_ENV !== 'production') {
    checkOptions(`useItems("${name}")`, options, 'enabled silent', second);
    if (!Array.isArray(ids))
      throw new TypeError(
        `[edict] useItems("${name}"): ids must be an array, but is ${String(ids)}. Pass [] while there are none.`,
      );
  }
  const scope = useScope();
  const [instance] = React.useState(newInstanceState<List>);
  const isEnabled = options?.enabled !== false;
  const { group } = listOf(instance, {
    scope,
    name,
    ids,
    level,
    isEnabled,
    isSilent: options?.silent === true,
  });
  return group.rowsOf(useStore(group));
}

// Definitions that read data directly on the server, where the browser would send a request to an endpoint.

import type { CollectionDefinition, Definition, FetchContext, Id, ItemDefinition } from '@edict/core';

type Later<D> = Promise<D> | D;
type Ctx = Pick<FetchContext, 'signal' | 'level'>;

type SourceOf<D> =
  D extends ItemDefinition<string, infer I, infer Levels>
    ? (id: I, ctx: Ctx) => Later<Levels[keyof Levels]>
    : D extends CollectionDefinition<string, infer P>
      ? (params: P, ctx: Ctx) => Later<object>
      : never;

/**
 * Fetch functions of the server by name of the type or list. For a type with levels, `ctx.level` is the requested
 * level. A list function returns the same as the endpoint.
 */
export type Sources<D extends Definition> = {
  readonly [N in D['name']]?: SourceOf<Extract<D, { readonly name: N }>>;
};

type Source = (key: never, ctx: FetchContext) => Later<object>;

/** The same type, but one function reads every level. */
function itemWith({ config, ...rest }: ItemDefinition<string, Id, object>, fetch: Source): ItemDefinition {
  const own = { fetch, bulkFetch: undefined };
  const levels = Object.entries<object | undefined>(config.levels ?? {});
  return {
    ...rest,
    config: {
      ...config,
      ...own,
      levels: Object.fromEntries(levels.map(([name, level]) => [name, { ...level, ...own }])),
    },
  };
}

const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one: unknown) => typeof one === 'object' && one !== null);

/** The definitions, with the server's functions instead of their own. */
export function withSources<D extends Definition>(
  definitions: readonly D[],
  sources: Sources<D> | undefined,
): readonly Definition[] {
  if (!isListOfObjects(definitions))
    throw new TypeError(
      '[edict] createLive: definitions must be a list of what defineItem and defineCollection return.',
    );
  const byName = new Map<string, Source>(Object.entries(sources ?? {}));
  const names = new Set(definitions.map(({ name }) => name));
  for (const name of byName.keys())
    if (!names.has(name))
      throw new TypeError(
        `[edict] createLive: sources.${name} is not among the definitions. Add its definition, or remove it.`,
      );
  return definitions.map((definition) => {
    const fetch = byName.get(definition.name);
    if (fetch === undefined) return definition;
    if (definition.kind === 'item') return itemWith(definition, fetch);
    return {
      ...definition,
      config: { ...definition.config, fetch: fetch as typeof definition.config.fetch },
    };
  });
}

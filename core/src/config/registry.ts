// The registered types and collections. Each config is compiled once into the settings of its requests.

import type { Clock } from '../platform/clock.ts';
import type { Def, Entry, Fetcher, Slot } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import { isObject, must } from './checks.ts';
import { dev } from './describe.ts';
import { checkCollectionConfig, checkTypeConfig } from './configChecks.ts';
import { levelGraph } from '../levels/graph.ts';
import type { Definition } from '../types/definitions.ts';
import { isDefinition, nameOf, type NameOrDefinition } from './definitions.ts';
import type { ItemConfig, LevelConfig, LevelConversionMap, ListConfig } from '../types/configs.ts';

export interface Registry {
  readonly types: ReadonlyMap<string, Def>;
  readonly collections: ReadonlyMap<string, Def>;
  /** Types and collections. */
  defs: () => Def[];
  /** The entries of all types and collections. */
  entries: () => Entry[];
  /** The slots of all entries. */
  slots: () => Slot[];
  createType: (name: string, config: ItemConfig) => void;
  createCollection: (name: string, config: ListConfig) => void;
  /** Like `createType` and `createCollection`. Skips a definition whose config is already registered. */
  register: (...definitions: readonly Definition[]) => void;
  /** Accepts a name or a definition, as every operation does. Throws an `Error` that lists what is registered. */
  type: (named: NameOrDefinition) => Def;
  collection: (named: NameOrDefinition) => Def;
  /** The name of the level; `'default'` for none (D-REG-6). Throws an `Error` that lists the levels. */
  level: (def: Def, level: string | null | undefined) => string;
}

/** What else is registered. */
function hint(table: ReadonlyMap<string, unknown>, remedy: string): string {
  const names = [...table.keys()].map((name) => `"${name}"`).join(', ') || 'none';
  return ` (registered: ${names}). ${remedy}`;
}

/**
 * Production builds check this too. Names can come from the application's data, so a wrong name may occur for a
 * single user.
 */
function throwMissing(what: string, table: ReadonlyMap<string, unknown>, remedy: string): never {
  const rest = process.env.NODE_ENV !== 'production' ? hint(table, remedy) : '.';
  throw new Error(`[edict] ${what} is not registered${rest}`);
}

function registered(
  table: ReadonlyMap<string, Def>,
  named: NameOrDefinition,
  kind: string,
  remedy: string,
): Def {
  const name = nameOf(named);
  return table.get(name) ?? throwMissing(`${kind} "${String(name)}"`, table, remedy);
}

const addLevel = dev`Add it to "levels" of createType.`;

const idOf = (item: unknown): unknown => (isObject(item) ? item['id'] : undefined);

/** The options of a level or a collection. */
type Own = { readonly [K in Exclude<keyof LevelConfig, 'fetch'>]?: LevelConfig[K] | undefined };

/** The level's own options come first, then those of the type, then the defaults. */
function makeFetcher(level: string, fetch: Fetcher['fetch'], own: Own, type: Partial<ItemConfig>): Fetcher {
  const retry = own.retry ?? type.retry ?? 0;
  return {
    level,
    fetch,
    bulkFetch: (own.bulkFetch ?? type.bulkFetch ?? null) as Fetcher['bulkFetch'],
    check: own.checkIfExists ?? null,
    schema: own.schema ?? (level === 'default' ? type.schema : null) ?? null,
    stalenessMs: own.stalenessMs ?? type.stalenessMs ?? 15_000,
    timeoutMs: own.timeoutMs ?? type.timeoutMs ?? 30_000,
    retry: typeof retry === 'number' ? { attempts: retry } : retry,
  };
}

/** The levels of a type. `default` comes first, wherever the config lists it. */
const levelsOf = ({ levels }: ItemConfig): Map<string, Partial<LevelConfig>> =>
  new Map([['default', {}], ...Object.entries((levels ?? {}) as Record<string, Partial<LevelConfig>>)]); // Checked to have no undefined ones.

export function createRegistry(env: Env, clock: Clock): Registry {
  const types = new Map<string, Def>();
  const collections = new Map<string, Def>();
  const tables = { item: types, collection: collections };

  function add(
    { kind, name, config }: Definition,
    fetchers: readonly Fetcher[],
    conversions: readonly LevelConversionMap[],
    rest: Pick<Def, 'getId' | 'of'>,
  ): void {
    const byLevel = new Map(fetchers.map((fetcher) => [fetcher.level, fetcher]));
    const compiled = {
      config,
      fetchers: byLevel,
      graph: levelGraph([...byLevel.keys()], conversions),
      ...rest,
    };
    const known = tables[kind].get(name) ?? { kind, name, entries: new Map(), clock };
    tables[kind].set(name, Object.assign(known, compiled));
  }

  function createType(name: string, config: ItemConfig): void {
    if (process.env.NODE_ENV !== 'production') checkTypeConfig(name, config);
    const levels = levelsOf(config);
    const conversions = [config, ...levels.values()].map((own) => own.levelConversionMap ?? {});
    // This only warns, because one map may serve several types, and not every type has all of its levels.
    if (process.env.NODE_ENV !== 'production')
      for (const level of conversions.flatMap((map) => Object.entries(map).flat(2)))
        if (!levels.has(level))
          env.log(
            'warn',
            `level "${level}" in a levelConversionMap of type "${name}" is not registered${hint(levels, addLevel)}`,
          );
    const fetchers = [...levels].map(([level, own]) => {
      const fetch = own.fetch ?? config.fetch;
      return makeFetcher(level, (entry, ctx) => fetch(entry.id, ctx), own, config);
    });
    // Development builds check that it is a function. It receives items from the application's own responses.
    const getId = (config.getId ?? idOf) as Def['getId'];
    add({ kind: 'item', name, config }, fetchers, conversions, { getId, of: null });
  }

  function createCollection(name: string, config: ListConfig): void {
    if (process.env.NODE_ENV !== 'production') checkCollectionConfig(name, config);
    const { of, level = 'default', fetch } = config;
    const fetcher = makeFetcher('default', (entry, ctx) => fetch(entry.params, ctx), config, {});
    const type = of === undefined ? null : nameOf(of);
    const items = type === null ? null : { type, level, def: () => types.get(type) };
    add({ kind: 'collection', name, config }, [fetcher], [], { getId: idOf, of: items });
  }

  function register(definition: Definition): void {
    if (process.env.NODE_ENV !== 'production') must('register: each argument', isDefinition, definition);
    const { kind, name, config } = definition;
    if (tables[kind].get(name)?.config === config) return;
    // Ids and params are checked when the definition is used. Internally they can be of any type.
    if (kind === 'item') createType(name, config as ItemConfig);
    else createCollection(name, config as ListConfig);
  }

  const defs = (): Def[] => [...types.values(), ...collections.values()];
  const entries = (): Entry[] => defs().flatMap((def) => [...def.entries.values()]);

  return {
    types,
    collections,
    defs,
    entries,
    slots: () => entries().flatMap((entry) => entry.slots),
    createType,
    createCollection,
    register: (...definitions) => definitions.forEach(register),
    type: (named) => registered(types, named, 'type', dev`Call register or createType first.`),
    collection: (named) =>
      registered(collections, named, 'collection', dev`Call register or createCollection first.`),
    level: (def, level) =>
      def.fetchers.get(level ?? 'default')?.level ??
      throwMissing(`level "${level}" of type "${def.name}"`, def.fetchers, addLevel),
  };
}

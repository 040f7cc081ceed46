// The registered types and collections. Each config is compiled once into the settings of its requests.

import type { TimedEnv } from '../platform/clock.ts';
import type { Def, Entry, Fetcher, Slot } from '../cache/entry.ts';
import { must } from './checks.ts';
import { checkCollectionConfig, checkTypeConfig } from './configChecks.ts';
import { dev } from './describe.ts';
import { levelGraph } from '../levels/graph.ts';
import type { Definition } from '../types/definitions.ts';
import { isDefinition, nameOf, type NameOrDefinition } from './definitions.ts';
import type { FetchContext, ItemConfig, LevelConfig, ListConfig } from '../types/configs.ts';

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
  /** The settings of the level; of `'default'` for none (D-REG-6). Throws an `Error` that lists the levels. */
  fetcher: (def: Def, level: string | null | undefined) => Fetcher;
}

const remedies = {
  type: 'Call register or createType on this data layer, or select another with <DLProvider>.',
  collection: 'Call register or createCollection on this data layer, or select another with <DLProvider>.',
  level: 'Add it to the "levels" of the type.',
};
type Kind = keyof typeof remedies;

const quoted = (table: ReadonlyMap<string, unknown>): string =>
  [...table.keys()].map((name) => `"${name}"`).join(', ') || 'none';

/**
 * Production builds check this too. Names can come from the application's data, so a wrong name may occur for a
 * single user.
 */
function registered<T extends object>(kind: Kind, table: ReadonlyMap<string, T>, name: string, at = ''): T {
  const found = table.get(name);
  if (found) return found;
  const known = process.env.NODE_ENV !== 'production' ? quoted(table) : [...table.keys()].join();
  throw new Error(
    `[edict] ${kind} "${name}"${at} is not registered (registered: ${known}).${dev` ${remedies[kind]}`}`,
  );
}

const fetcherIn: Registry['fetcher'] = (def, level) =>
  registered('level', def.fetchers, level ?? 'default', ` of type "${def.name}"`);

const idOf = (item: unknown): unknown => (item as { id?: unknown } | null | undefined)?.id;

/** A member of `levels`. The entry `default` may have no fetch function. */
type Own = Partial<LevelConfig>;

/** The level's own options come first, then those of the type or collection, then the defaults. */
function makeFetcher(level: string, own: Own, kind: Def['kind'], all: Partial<ItemConfig>): Fetcher {
  const fetch = (own.fetch ?? all.fetch) as (subject: unknown, ctx: FetchContext) => unknown;
  const retry = own.retry ?? all.retry ?? 0;
  return {
    level,
    fetch: (entry, ctx) => fetch(kind === 'item' ? entry.id : entry.params, ctx),
    bulkFetch: (own.bulkFetch ?? all.bulkFetch ?? null) as Fetcher['bulkFetch'],
    check: own.checkIfExists ?? null,
    schema: own.schema ?? (level === 'default' ? all.schema : null) ?? null,
    stalenessMs: own.stalenessMs ?? all.stalenessMs ?? 15_000,
    timeoutMs: own.timeoutMs ?? all.timeoutMs ?? 30_000,
    retry: typeof retry === 'number' ? { attempts: retry } : retry,
  };
}

export function createRegistry(env: TimedEnv): Registry {
  const types = new Map<string, Def>();
  const collections = new Map<string, Def>();
  const tables = { item: types, collection: collections };

  /** A collection has the default level only: development builds reject its `levels`. */
  function add({ kind, name, config }: Definition): void {
    if (process.env.NODE_ENV !== 'production')
      (kind === 'item' ? checkTypeConfig : checkCollectionConfig)(name, config);
    const all = config as Partial<ItemConfig & ListConfig>;
    const { of, level = 'default', getId = idOf, levels } = all;
    // `default` comes first, wherever the config lists it. Checked to have no undefined levels.
    const own = new Map([['default', {}], ...Object.entries((levels ?? {}) as Record<string, Own>)]);
    const conversions = [config as Own, ...own.values()].map((one) => one.levelConversionMap ?? {});
    // This only warns, because one map may serve several types, and not every type has all of its levels.
    if (process.env.NODE_ENV !== 'production')
      for (const unknown of conversions.flatMap((map) => Object.entries(map).flat(2)))
        if (!own.has(unknown))
          env.log(
            'warn',
            `level "${unknown}" in a levelConversionMap of type "${name}" is not registered (registered: ${quoted(own)}). ${remedies.level}`,
          );
    const type = nameOf(of as NameOrDefinition);
    const items: Def['of'] = {
      level,
      def: () => types.get(type),
      fetcher: () => fetcherIn(registered('type', types, type), level),
    };
    const compiled = {
      config,
      fetchers: new Map([...own].map(([at, options]) => [at, makeFetcher(at, options, kind, all)])),
      graph: levelGraph([...own.keys()], conversions),
      getId: getId as Def['getId'], // It receives items from the application's own responses.
      of: of === undefined ? null : items,
    };
    const known = tables[kind].get(name) ?? { kind, name, entries: new Map(), env };
    tables[kind].set(name, Object.assign(known, compiled));
  }

  function register(definition: Definition): void {
    if (process.env.NODE_ENV !== 'production') must('register: each argument', isDefinition, definition);
    const { kind, name, config } = definition;
    if (config === undefined || tables[kind].get(name)?.config !== config) add(definition);
  }

  const defs = (): Def[] => [...types.values(), ...collections.values()];
  const entries = (): Entry[] => defs().flatMap((def) => [...def.entries.values()]);

  return {
    types,
    collections,
    defs,
    entries,
    slots: () => entries().flatMap((entry) => entry.slots),
    createType: (name, config) => add({ kind: 'item', name, config }),
    createCollection: (name, config) => add({ kind: 'collection', name, config }),
    register: (...definitions) => definitions.forEach(register),
    type: (named) => registered('type', types, nameOf(named)),
    collection: (named) => registered('collection', collections, nameOf(named)),
    fetcher: fetcherIn,
  };
}

// A type with levels, whose requests the tests respond to.

import type { LevelConfig, LevelConversionMap, TypeConfig } from '@edict/core';
import { refreshItem } from '../directives.ts';
import { createWorld, type Held } from '../world.ts';

type Checks = Readonly<Record<string, (data: unknown) => boolean>>;

/** A type `doc` with these levels and `default`. The test responds to each request. */
export function setup(
  names: readonly string[],
  map: LevelConversionMap = {},
  {
    checks = {},
    bulk = false,
    own = {},
  }: { checks?: Checks; bulk?: boolean; own?: Record<string, LevelConversionMap> } = {},
) {
  const world = createWorld();
  const fetchers = new Map<string, Held>(['default', ...names].map((name) => [name, world.held()]));
  const level = (name: string): Held => {
    const held = fetchers.get(name);
    if (held === undefined) throw new Error(`no level ${name}`);
    return held;
  };
  const many = world.held();
  const levels: Record<string, LevelConfig> = {};
  for (const name of names) {
    levels[name] = {
      fetch: level(name).fetch,
      ...(checks[name] === undefined ? {} : { checkIfExists: checks[name] }),
      ...(own[name] === undefined ? {} : { levelConversionMap: own[name] }),
    };
  }
  const config: TypeConfig = {
    fetch: level('default').fetch,
    levelConversionMap: map,
    levels,
    ...(bulk ? { bulkFetch: many.bulkFetch } : {}),
  };
  world.dl.createType('doc', config);
  const read = (name?: string, options?: { force?: boolean; silent?: boolean }) =>
    world.dl.fetchItem('doc', 1, name, options);
  return {
    ...world,
    level,
    many,
    read,
    ref: () => world.dl.getItemRef('doc', 1),
    /** Reads a level and responds to its request, if the read sends one. */
    async load(name: string, payload: unknown, force = false): Promise<void> {
      const before = level(name).calls.length;
      read(name, { force });
      if (level(name).calls.length > before) await level(name).last().answer(payload);
    },
    /** How often each level was fetched. */
    counts: () => Object.fromEntries([...fetchers].map(([name, { calls }]) => [name, calls.length])),
    async refresh(more: object = {}): Promise<void> {
      void world.dl.applyDirectives([refreshItem('doc', 1, more)]);
      await world.sim.advance(50);
    },
  };
}

/** A `checkIfExists` that accepts a payload with these fields. */
export const has =
  (...fields: string[]) =>
  (data: unknown): boolean =>
    typeof data === 'object' && data !== null && fields.every((field) => field in data);

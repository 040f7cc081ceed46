// A list of tickets, whose requests the tests respond to.

import type { Id, ItemReference } from '@edict/core';
import { createWorld, untyped } from '../world.ts';

export interface Options {
  level?: string;
  stalenessMs?: number;
  retry?: number;
  hasBulk?: boolean;
  of?: string | null;
}

/** Tickets with the levels `full` → `default` and `side`, and a list of them. The test sends each response. */
export function setup({
  level,
  stalenessMs = 3_600_000,
  retry = 0,
  hasBulk = true,
  of = 'ticket',
}: Options = {}) {
  const world = createWorld();
  const one = world.held();
  const many = world.held();
  const list = world.held();
  world.dl.createType('ticket', {
    stalenessMs,
    fetch: one.fetch,
    ...(hasBulk ? { bulkFetch: many.bulkFetch } : {}),
    levels: { full: { fetch: one.fetch }, side: { fetch: one.fetch } },
    levelConversionMap: { full: ['default'] },
  });
  const config = {
    stalenessMs: 3_600_000,
    fetch: list.fetch,
    retry,
    ...(of === null ? {} : { of }),
    ...(level === undefined ? {} : { level }),
  };
  world.dl.createCollection('tickets', untyped(config)); // Some of the responses are wrong on purpose.
  const asked = (): unknown[] => [
    ...list.calls.map(() => 'list'),
    ...many.calls.map((call) => call.asked),
    ...one.calls.map((call) => call.asked),
  ];
  return { ...world, one, many, list, asked };
}

export const rows = (version: number, ...ids: Id[]): object[] => ids.map((id) => ({ id, version }));

/** Watches a screen with the list and the items. */
export function watch({ dl }: ReturnType<typeof setup>, ids: readonly Id[]): ItemReference[] {
  dl.onRefChange(dl.fetchCollection('tickets'), () => undefined);
  return ids.map((id) => {
    const ref = dl.fetchItem('ticket', id);
    dl.onRefChange(ref, () => undefined);
    return ref;
  });
}

/** A screen that shows the list and its rows, with no request left. */
export async function screen(options: Options, ids: readonly Id[], response: unknown = rows(1, ...ids)) {
  const world = setup(options);
  world.dl.fetchCollection('tickets');
  await world.list.last().answer(response);
  const refs = watch(world, ids);
  await world.sim.advance(0);
  for (const held of [world.list, world.one, world.many]) held.calls.length = 0;
  world.events.length = 0;
  return { ...world, refs };
}

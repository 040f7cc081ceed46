import type { Id, Target } from '@edict/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameters } from './runs.ts';
import { climate, schedule } from './schedules.ts';
import { levels } from './truth.ts';
import {
  createWorld,
  heldLevels,
  idOf,
  levelOf,
  paramsOf,
  type Climate,
  type Player,
  type Step,
  type World,
} from './world.ts';

/** No faults, so no request is repeated because of one. */
const calm: fc.Arbitrary<Climate> = climate.map((weather) => ({
  ...weather,
  clients: 1,
  latencyMs: 0,
  failRate: 0,
  hangRate: 0,
  dropRate: 0,
  duplicateRate: 0,
  reorderRate: 0,
  retryFailedMs: 0,
  stalenessMs: 600_000,
  isMemoryTiny: false,
  replay: 1000,
  connects: 'first',
}));

/** Documents that the declared conversions apply to: all but the slim and the erased ones. */
const ordinary = (at: number): number => (at % 5 === 3 ? 2 : at);
const undisturbed = (step: Step): Step => {
  if (step.do === 'read' || step.do === 'watch')
    return { ...step, what: { ...step.what, at: ordinary(step.what.at) } };
  if (step.do === 'write') {
    const kind = step.write.kind === 'slim' || step.write.kind === 'erase' ? 'title' : step.write.kind;
    const by = step.by === 'lost' ? 'other' : step.by;
    return { ...step, write: { ...step.write, kind, at: ordinary(step.write.at) }, by, answer: 'body' };
  }
  return step.do === 'unwatch' || step.do === 'wait' ? step : { do: 'wait', ms: 20 };
};

/** The levels that are fetched together form a chain: `full` converts to `mid` and `default`. */
const rank: Readonly<Record<string, number>> = { default: 0, mid: 1, full: 2 };
const chainOf = (type: string, id: unknown, level: string): string =>
  `${type}/${String(id)}/${level === 'side' ? 'side' : 'chain'}`;

interface Budget {
  /** By chain: reads of data that was not cached. */
  dueReads: Map<string, number>;
  /** By window, then by chain: the highest level that directives named. */
  windows: Map<string, string>[];
  /** By chain: requests that started. */
  requests: Map<string, number>;
  /** Requests that started when a request for the same entry ended. */
  followUps: number;
  beforeRead: (step: Step) => void;
}

const add = (table: Map<string, number>, key: string): void => void table.set(key, (table.get(key) ?? 0) + 1);

function keepBudget({ sim }: World, { dl }: Player, { delayMs, itemsAt }: Climate): Budget {
  /** The directives of an own mutation have separate windows, which close at the end of the task. */
  const open: Record<'push' | 'pull', { window: Map<string, string>; endsAt: number }> = {
    push: { window: new Map(), endsAt: -1 },
    pull: { window: new Map(), endsAt: -1 },
  };
  let isPulled = false;
  let order = 0;
  let lastDirective = 0;
  let listEndedAt = -1;
  const lastRequest = new Map<string, number>();
  const ended = new Map<string, number>();
  /** A read joins a request in flight, unless that is older than a directive that started no request. */
  const isJoined = (slot: string, isLoading: boolean): boolean =>
    isLoading && (lastRequest.get(slot) ?? 0) > lastDirective;
  const budget: Budget = {
    dueReads: new Map(),
    windows: [],
    requests: new Map(),
    followUps: 0,
    beforeRead(step) {
      if (step.do !== 'read' && step.do !== 'watch') return;
      const { what } = step;
      const isForced = step.do === 'read' && step.force;
      if (what.kind === 'list') {
        const params = paramsOf(what);
        const { paramsKey, isStale } = dl.getCollectionRef('docs', { params }).meta;
        if (isForced || (isStale && !isJoined(`docs/${paramsKey}`, dl.isCollectionLoading('docs', params))))
          add(budget.dueReads, `docs/${paramsKey}`);
        return;
      }
      const ref = dl.getItemRef(what.kind, idOf(what));
      const own = what.kind === 'note' ? 'default' : levelOf(what);
      // A silent request is for cached data, and becomes visible later.
      const silent = levels.filter(
        (level) => what.kind === 'doc' && dl.isItemLoading('doc', idOf(what), level),
      );
      const asked = step.do === 'watch' ? new Set([own, ...heldLevels(ref), ...silent]) : [own];
      for (const level of asked) {
        const chain = chainOf(what.kind, idOf(what), level);
        const isThere = !ref.meta.isStale && (ref.meta.levelStamps[level] ?? null) !== null;
        const isLoading = dl.isItemLoading(what.kind, idOf(what), level);
        if (isForced || (!isThere && !isJoined(`${what.kind}/${idOf(what)}/${level}`, isLoading)))
          add(budget.dueReads, chain);
      }
    },
  };

  function began(key: string, slot: string): void {
    add(budget.requests, key);
    lastRequest.set(slot, ++order);
    if (ended.get(slot) === sim.now()) budget.followUps += 1;
  }
  const keyOf = (params: object | undefined): string =>
    `docs/${dl.getCollectionRef('docs', { params }).meta.paramsKey}`;

  function enter(target: Target, window: Map<string, string>): void {
    const isItem = target.kind === 'item';
    const key = isItem ? chainOf(target.type, target.id, target.level) : keyOf(target.params);
    const level = isItem ? target.level : 'default';
    if ((rank[window.get(key) ?? ''] ?? -1) < (rank[level] ?? 0)) window.set(key, level);
  }

  /**
   * A directive that starts no request, because nothing watches the item, still makes responses in flight too old. So levels that wait for the
   * request of another level are requested again (D-FETCH-2).
   */
  function mayRepeat(directive: unknown): void {
    const { name, id } = directive as { name?: string; id?: number };
    if (name !== 'doc' || id === undefined) return;
    if (levels.some((level) => dl.isItemLoading('doc', id, level)))
      add(budget.dueReads, chainOf('doc', id, 'default'));
  }

  /**
   * A level is requested as soon as the list or the own request that it waited for has ended. A cached level that converts to it may still wait
   * for another list or for a window, and is then requested too. Otherwise a stream of directives could hold a level back.
   */
  function mayPrecede({ type, id, level }: { type: string; id: Id; level: string }): void {
    const hasWaited =
      (itemsAt !== null && listEndedAt === sim.now()) || ended.get(`doc/${id}/${level}`) === sim.now();
    if (type !== 'doc' || !hasWaited) return;
    if (heldLevels(dl.getItemRef('doc', id)).some((other) => (rank[other] ?? -1) > (rank[level] ?? 2)))
      add(budget.dueReads, chainOf('doc', id, level));
  }

  dl.onLifecycle('*', ({ event, detail }) => {
    if (event === 'directive:processed') {
      lastDirective = ++order;
      if (detail.triggered.length === 0) mayRepeat(detail.directive);
    }
    if (event === 'directive:received') isPulled = detail.audience === null; // Every envelope has an audience.
    if (event === 'item:fetch:intent') {
      mayPrecede(detail);
      began(chainOf(detail.type, detail.id, detail.level), `${detail.type}/${detail.id}/${detail.level}`);
    } else if (event === 'collection:fetch:intent') began(keyOf(detail.params), keyOf(detail.params));
    else if (event === 'item:fetch:complete')
      ended.set(`${detail.type}/${detail.id}/${detail.level}`, sim.now());
    else if (event === 'collection:fetch:success') {
      // An item that a directive named while its list was in flight is stale, and is refetched if it is watched.
      for (const id of dl.getCollectionRef('docs', { params: detail.params }).data.ids)
        if (dl.getItemRef('doc', id).meta.isStale) add(budget.dueReads, chainOf('doc', id, 'default'));
    } else if (event === 'collection:fetch:complete') {
      listEndedAt = sim.now();
      ended.set(keyOf(detail.params), listEndedAt);
    } else if (event === 'directive:processed' && detail.triggered.length > 0) {
      // The window runs from the first pending directive and is not extended (D-DIR-5).
      const path = isPulled ? 'pull' : 'push';
      if (isPulled || sim.now() >= open[path].endsAt) {
        open[path] = { window: new Map(), endsAt: sim.now() + delayMs };
        budget.windows.push(open[path].window);
      }
      for (const target of detail.triggered) enter(target, open[path].window);
    }
  });
  return budget;
}

/** Calls that the windows may make: per type and level one for each batch, else one for each entry. */
function callsOf(windows: readonly ReadonlyMap<string, string>[], hasBulk: boolean): number {
  let calls = 0;
  for (const window of windows) {
    const sizes = new Map<string, number>();
    for (const [key, level] of window) add(sizes, key.startsWith('doc/') && hasBulk ? `doc/${level}` : key);
    for (const size of sizes.values()) calls += Math.ceil(size / 3);
  }
  return calls;
}

describe('the number of requests of a client without faults', () => {
  it(
    'is at most the due reads, one call per window and level, and the follow-ups',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(calm, schedule, async (weather, steps) => {
          const world = createWorld(weather);
          await world.open();
          const [player] = world.players;
          if (player === undefined) throw new Error('a world without a client');
          const budget = keepBudget(world, player, weather);
          for (const step of steps.map(undisturbed)) {
            budget.beforeRead(step);
            world.take(step);
            await world.pass(step.do === 'wait' ? step.ms : 0);
          }
          await world.heal();

          for (const [key, count] of budget.requests) {
            const windows = budget.windows.filter((window) => window.has(key)).length;
            const due = budget.dueReads.get(key) ?? 0;
            expect(count, `${key}: ${due} due reads, ${windows} windows`).toBeLessThanOrEqual(due + windows);
          }
          const due = [...budget.dueReads.values()].reduce((sum, count) => sum + count, 0);
          const bound = due + callsOf(budget.windows, weather.hasBulk) + budget.followUps;
          expect(
            player.requests.length,
            `${due} due reads, ${budget.followUps} follow-ups`,
          ).toBeLessThanOrEqual(bound);
          player.dl.dispose();
        }),
        parameters(300),
      );
    },
  );
});

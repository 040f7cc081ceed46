// What is measured. Each workload prepares a subject once, runs the same synchronous piece of work many times, and says
// after each whether the subject shows what is true.

import type { Backend, Params } from './backend.ts';
import type { CreateSubject, Options, Subject } from './subject.ts';
import { endTask, pass, settle } from './world.ts';

/** What a workload works on. */
export interface Scene {
  subject: Subject;
  readonly backend: Backend;
  /** How many entries the cache holds. */
  readonly n: number;
  readonly create: CreateSubject;
  readonly options: Options;
  /** Watchers told since the last round began, each once; and calls of them. */
  told: number;
  calls: number;
  round: number;
  /** For workloads that keep something between preparing and running. */
  kept: unknown;
}

/** The targets of the project, checked against the measured run. */
export interface Target {
  /** At most this part of the best peer's time. */
  readonly ratio?: number;
  /** At most this many requests a round; a function of n where it depends. */
  readonly requests?: number;
  /** Exactly this many watchers told a round. */
  readonly told?: number;
  /** A peer that needs more requests than this did other work, and is not compared with. */
  readonly peerRequests?: number;
  /** At least this many operations a second. */
  readonly perSecond?: number;
}

export interface Workload {
  readonly title: string;
  /** Entries in the cache, in the comparison. */
  readonly n: number;
  /** Operations a round, which the time is divided by. */
  readonly ops: (n: number) => number;
  readonly target: Target;
  /** How its time should grow with the number of entries: not at all, or with each entry. */
  readonly growth: 'constant' | 'per entry' | 'not measured';
  readonly options?: Partial<Options>;
  /** Libraries that have no such operation, or need minutes for it. */
  readonly without?: readonly string[];
  readonly prepare: (scene: Scene) => void;
  /** Before each round, untimed. */
  readonly before?: (scene: Scene) => void;
  readonly run: (scene: Scene) => void;
  /** After each round, untimed: null, or what is wrong. */
  readonly check: (scene: Scene) => string | null;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** The same order in every process: neighbours in memory are not neighbours in the work. */
function shuffled(n: number, length: number): number[] {
  const list: number[] = [];
  let state = 12_345;
  for (let i = 0; i < length; i++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    list.push(state % n);
  }
  return list;
}

function checkItems({ subject, backend }: Scene, ids: readonly number[]): string | null {
  for (const id of ids) {
    const shown = subject.item(id)?.version;
    const { version } = backend.truth(id);
    if (shown !== version) return `item ${id} shows version ${String(shown)} and is ${version}`;
  }
  return null;
}

function checkLists({ subject, backend }: Scene, params: readonly Params[]): string | null {
  for (const each of params) {
    const shown = subject.list(each)?.count;
    const { count } = backend.listTruth(each);
    if (shown !== count) return `list ${JSON.stringify(each)} shows count ${String(shown)} and is ${count}`;
  }
  return null;
}

function seed({ subject, n }: Scene): void {
  subject.seed(range(n));
  settle();
}

/** A watcher that counts itself once a round. */
function counted(scene: Scene): () => void {
  let last = 0;
  return () => {
    scene.calls++;
    if (last === scene.round) return;
    last = scene.round;
    scene.told++;
  };
}

function watchAll(scene: Scene): void {
  seed(scene);
  for (const id of range(scene.n)) scene.subject.watch(id, counted(scene));
  settle();
}

const pages = 10;
const watchedTeams = 10;

const paramsOf = (n: number): Params[] =>
  range(n / pages).flatMap((team) => range(pages).map((page) => ({ team, page })));

function watchLists(scene: Scene): void {
  const all = paramsOf(scene.n);
  for (const params of all) scene.subject.readList(params);
  settle();
  for (const params of all) if (params.team < watchedTeams) scene.subject.watchList(params, counted(scene));
  settle();
}

const watchedLists = paramsOf(watchedTeams * pages);
const one = (): number => 1;
const sink: { last: unknown } = { last: null };
const invalidationsOfOne = 10;
const burst = 1000;
const readsOfMissing = 1000;
const directives = 10_000;

/** As a hub stamps them; one in ten names an item that is held. */
function stamped({ n, round }: Scene, listLength: number): object[][] {
  const lists: object[][] = [];
  for (let i = 0; i < directives; i += listLength) {
    lists.push(
      range(listLength).map((at) => ({
        op: 'refresh_item',
        name: 'ticket',
        id: ((i + at) * 7919) % (n * 10),
        audience: 'global',
        source: 'another-client',
        seq: round * directives + i + at,
        idempotency_key: `${round}-${i + at}`,
      })),
    );
  }
  return lists;
}

const applying = (
  title: string,
  listLength: number,
  target: Target,
  growth: Workload['growth'],
  isWhole: boolean,
): Workload => ({
  title,
  n: 10_000,
  ops: () => directives,
  target,
  growth,
  options: { held: true },
  without: ['tanstack', 'swr', 'rtk', 'zustand', 'floor'],
  prepare: seed,
  before(scene) {
    settle();
    scene.kept = stamped(scene, listLength);
  },
  run({ subject, kept }) {
    for (const list of kept as object[][]) {
      subject.apply?.(list);
      endTask();
    }
    if (isWhole) settle();
  },
  check() {
    settle();
    return null;
  },
});

const filling: Workload = {
  title: 'filling 10,000 items, each',
  // It copies its whole state for each entry: minutes.
  without: ['rtk'],
  n: 10_000,
  ops: (n) => n,
  target: { ratio: 0.1, requests: 100 },
  growth: 'constant',
  prepare: ({ backend, n }) => range(n).forEach(backend.truth),
  before(scene) {
    scene.subject.dispose();
    scene.subject = scene.create(scene.backend, scene.options);
  },
  run({ subject, n }) {
    for (let id = 0; id < n; id++) subject.read(id);
    settle();
  },
  check: (scene) => checkItems(scene, range(scene.n)),
};

export const workloads: Readonly<Record<string, Workload>> = {
  look: {
    title: 'look at one fresh item of 10,000',
    n: 10_000,
    ops: () => 10_000,
    target: { ratio: 0.4, requests: 0 },
    growth: 'constant',
    prepare(scene) {
      seed(scene);
      scene.kept = shuffled(scene.n, 10_000);
    },
    run({ subject, kept }) {
      for (const id of kept as number[]) sink.last = subject.look(id);
    },
    check: (scene) => checkItems(scene, [0, scene.n - 1]),
  },
  read: {
    title: 'ordinary read of it',
    n: 10_000,
    ops: () => 1000,
    target: { ratio: 0.015, requests: 0 },
    growth: 'constant',
    prepare(scene) {
      seed(scene);
      scene.kept = shuffled(scene.n, 1000);
    },
    run({ subject, kept }) {
      for (const id of kept as number[]) subject.read(id);
      endTask();
    },
    check: (scene) => checkItems(scene, [0, scene.n - 1]),
  },
  fill: filling,
  fillSingly: { ...filling, title: 'the same without `bulkFetch`', target: {}, options: { bulk: false } },
  one: {
    title: '10,000 watchers, one item invalidated and refetched',
    n: 10_000,
    ops: () => invalidationsOfOne,
    target: { ratio: 0.06, requests: invalidationsOfOne, told: invalidationsOfOne },
    growth: 'constant',
    prepare: watchAll,
    run({ subject, backend, n }) {
      for (let i = 0; i < invalidationsOfOne; i++) {
        const id = (i * 37) % n;
        backend.change(id);
        subject.invalidate([id]);
        settle();
      }
    },
    check: (scene) => checkItems(scene, range(Math.min(scene.n, 1000))),
  },
  listsByName: {
    title: '1,000 parameter sets by name, 100 watched',
    n: 1000,
    ops: one,
    target: { ratio: 0.15, requests: 100, told: 100 },
    growth: 'per entry',
    prepare: watchLists,
    run({ subject, backend }) {
      backend.changeLists();
      subject.invalidateLists();
      settle();
    },
    check: (scene) => checkLists(scene, watchedLists),
  },
  listsByPart: {
    title: '10 of 1,000 by a part of their parameters',
    n: 1000,
    ops: one,
    target: { ratio: 0.2, requests: 10, told: 10 },
    growth: 'per entry',
    prepare: watchLists,
    run({ subject, backend }) {
      backend.changeLists();
      subject.invalidateLists(3);
      settle();
    },
    check: (scene) =>
      checkLists(
        scene,
        watchedLists.filter(({ team }) => team === 3),
      ),
  },
  burst: {
    title: '1,000 items invalidated one by one within 10 ms',
    n: 1000,
    ops: one,
    target: { ratio: 0.08, requests: 10, told: burst },
    growth: 'not measured',
    prepare: watchAll,
    run({ subject, backend, n }) {
      backend.latencyMs = 5;
      for (let i = 0; i < burst; i++) {
        backend.change(i % n);
        subject.invalidate([i % n]);
        endTask();
        if (i % 100 === 99) pass(1);
      }
      settle();
      backend.latencyMs = 0;
    },
    check: (scene) => checkItems(scene, range(scene.n)),
  },
  oneCall: {
    title: '1,000 in one call',
    n: 1000,
    ops: one,
    target: { ratio: 0.08, requests: 10, told: burst },
    growth: 'not measured',
    prepare(scene) {
      watchAll(scene);
      scene.kept = range(Math.min(burst, scene.n));
    },
    run({ subject, backend, kept }) {
      backend.latencyMs = 5;
      (kept as number[]).forEach(backend.change);
      subject.invalidate(kept as number[]);
      settle();
      backend.latencyMs = 0;
    },
    check: (scene) => checkItems(scene, range(scene.n)),
  },
  hundred: {
    title: '100 of them in one call',
    n: 1000,
    ops: one,
    target: { requests: 1, told: 100 },
    growth: 'constant',
    prepare(scene) {
      watchAll(scene);
      scene.kept = range(100);
    },
    run({ subject, backend, kept }) {
      (kept as number[]).forEach(backend.change);
      subject.invalidate(kept as number[]);
      settle();
    },
    check: (scene) => checkItems(scene, range(100)),
  },
  same: {
    title: 'one item invalidated 1,000 times',
    n: 1,
    ops: one,
    target: { ratio: 0.08, requests: 2, told: 1 },
    growth: 'constant',
    prepare: watchAll,
    run({ subject, backend }) {
      backend.latencyMs = 5;
      for (let i = 0; i < burst; i++) {
        backend.change(0);
        subject.invalidate([0]);
        endTask();
        if (i % 100 === 99) pass(1);
      }
      settle();
      backend.latencyMs = 0;
    },
    check: (scene) => checkItems(scene, [0]),
  },
  missing: {
    title: '1,000 concurrent reads of a missing item',
    n: 1000,
    ops: one,
    target: { ratio: 0.05, requests: 1, peerRequests: 1 },
    growth: 'constant',
    prepare: seed,
    run({ subject, backend, n, round }) {
      backend.latencyMs = 5;
      for (let i = 0; i < readsOfMissing; i++) subject.read(n + round);
      settle();
      backend.latencyMs = 0;
    },
    check: (scene) => checkItems(scene, [scene.n + scene.round]),
  },
  apply: applying(
    '`applyDirectives`, lists of 100, one in ten hits',
    100,
    { perSecond: 300_000, requests: 0 },
    'constant',
    false,
  ),
  applySingly: applying('the same, lists of one', 1, { requests: 0 }, 'not measured', false),
  applyWhole: applying(
    'lists of 100 with the refetches they cause',
    100,
    { requests: 11 },
    'not measured',
    true,
  ),
};

/** Heap: what an entry costs besides its payload, which the backend holds anyway. */
export const heapWorkloads: Readonly<
  Record<string, { title: string; n: number; target: Target; fill: (scene: Scene) => void }>
> = {
  heapItem: {
    title: 'heap per entry, without its payload',
    n: 10_000,
    target: { ratio: 0.6 },
    fill({ subject, n }) {
      for (let id = 0; id < n; id++) subject.read(id);
      settle();
    },
  },
  heapList: {
    title: 'heap per parameter set',
    n: 10_000,
    target: { ratio: 0.5 },
    fill({ subject, n }) {
      for (const params of paramsOf(n)) subject.readList(params);
      settle();
    },
  },
  heapWatched: {
    title: 'heap per watcher',
    n: 10_000,
    target: {},
    fill({ subject, n }) {
      const told = (): void => undefined;
      for (let id = 0; id < n; id++) subject.watch(id, told);
      settle();
    },
  },
};

// The workloads. Each prepares a subject once, and runs the same synchronous work many times. After each round, it checks that the subject
// shows the server's data.

import type { Backend, Item, Page, Params } from './backend.ts';
import type { Arrive, CreateSubject, Options, Subject } from './subject.ts';
import { endTask, pass, settle } from './world.ts';

/** A subject with its backend, and the state of the current round. */
export interface Scene {
  subject: Subject;
  readonly backend: Backend;
  /** The number of entries in the cache. */
  readonly n: number;
  readonly create: CreateSubject;
  readonly options: Options;
  /** The number of watchers that received the server's data in this round. Each counts once. */
  told: number;
  /** Called when a watcher received the server's data. */
  onTold: (() => void) | null;
  round: number;
  /** The messages that arrive in this round. */
  arrivals: readonly Arrive[];
  /** A value that a workload keeps for a later step, such as the order of its reads. */
  kept: unknown;
}

/** The targets of a workload. The reports compare the measured values with them. */
export interface Target {
  /** The highest allowed ratio to the time of the best peer. */
  readonly ratio?: number;
  /** The same for the first round of a fresh process. */
  readonly cold?: number;
  /** The highest allowed number of requests in a round. */
  readonly requests?: number;
  /** The exact number of watchers that must be notified in a round. */
  readonly told?: number;
  /** A peer that sends more requests than this does different work, so it cannot be the best peer. */
  readonly peerRequests?: number;
}

export interface Workload {
  readonly title: string;
  /** The number of cached entries in the comparison. */
  readonly n: number;
  /** The number of operations in a round. The reported time is the time of one operation. */
  readonly ops: (n: number) => number;
  readonly target: Target;
  /** How the time may grow with the number of entries: not at all, or with each entry. */
  readonly growth: 'constant' | 'per entry' | 'not measured';
  readonly options?: Partial<Options>;
  /** The libraries that do not support the operation, or need minutes for it. */
  readonly without?: readonly string[];
  /** The delay of the responses in virtual milliseconds. With 0, the default, they arrive at the end of the task. */
  readonly latencyMs?: number;
  readonly prepare: (scene: Scene) => void;
  /** How often a warm round does the work. If the work is short, a single run would mostly measure cold processor caches. */
  readonly repeat?: number;
  /** Runs before the work, and is not timed. */
  readonly before?: (scene: Scene) => void;
  readonly run: (scene: Scene) => void;
  /**
   * The same work in real time. Resolves when the last read has its data, or when the last watcher has received the server's data. A
   * workload with `live` is also measured cold.
   */
  readonly live?: (scene: Scene) => Promise<unknown>;
  /** The part of the real time in which Edict waits for more directives, in milliseconds. */
  readonly windowMs?: number;
  /** Runs after each round, and is not timed. Returns a description of the fault, or null. */
  readonly check: (scene: Scene) => string | null;
}

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Ids in an order that is the same in every process. Items that are next to each other in memory are not read one after the other. */
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
    if (shown !== version) return `item ${id} shows version ${String(shown)}, and the server has ${version}`;
  }
  return null;
}

function checkLists({ subject, backend }: Scene, params: readonly Params[]): string | null {
  for (const each of params) {
    const shown = subject.list(each)?.count;
    const { count } = backend.listTruth(each);
    if (shown !== count)
      return `list ${JSON.stringify(each)} shows count ${String(shown)}, and the server has ${count}`;
  }
  return null;
}

function seed({ subject, n }: Scene): void {
  subject.seed(range(n));
  settle();
}

/** A watcher that counts itself once in each round, when it receives the server's data. */
function counted<T>(scene: Scene, isTrue: (shown: T) => boolean): (shown: unknown) => void {
  let last = 0;
  return (shown) => {
    if (shown === undefined || shown === null || !isTrue(shown as T)) return; // The payload of the watched record.
    if (last !== scene.round) scene.told++;
    last = scene.round;
    scene.onTold?.();
  };
}

function watchAll(scene: Scene): void {
  seed(scene);
  const { subject, backend } = scene;
  for (const id of range(scene.n)) {
    const told = counted<Item>(scene, ({ version }) => version === backend.truth(id).version);
    subject.watch(id, told);
  }
  settle();
}

const pages = 10;
const watchedTeams = 10;

const paramsOf = (n: number): Params[] =>
  range(n / pages).flatMap((team) => range(pages).map((page) => ({ team, page })));

function watchLists(scene: Scene): void {
  const { subject, backend } = scene;
  const all = paramsOf(scene.n);
  for (const params of all) subject.readList(params);
  settle();
  for (const params of all) {
    if (params.team >= watchedTeams) continue;
    const told = counted<Page>(scene, ({ count }) => count === backend.listTruth(params).count);
    subject.watchList(params, told);
  }
  settle();
}

/** Resolves when the condition holds. Checks it now, and whenever a watcher receives the server's data. */
function until(scene: Scene, isReached: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    scene.onTold = () => {
      if (!isReached()) return;
      scene.onTold = null;
      resolve();
    };
    scene.onTold();
  });
}

/** Changes the items, and prepares one message for all of them. */
function changeItems(scene: Scene, ids: readonly number[]): void {
  ids.forEach(scene.backend.change);
  scene.arrivals = [scene.subject.invalidation(ids)];
}

/** Changes all lists, and prepares one message for them, or for those of a team. */
function changeLists(scene: Scene, team?: number): void {
  scene.backend.changeLists();
  scene.arrivals = [scene.subject.listInvalidation(team)];
}

/** Delivers the messages, and waits for the refetches. */
const arriving = (watchers: number): Pick<Workload, 'run' | 'live' | 'windowMs'> => ({
  windowMs,
  run({ arrivals }) {
    for (const arrive of arrivals) arrive();
    settle();
  },
  live(scene) {
    for (const arrive of scene.arrivals) arrive();
    return until(scene, () => scene.told === watchers);
  },
});

/** Delivers messages for one item each, 100 in a millisecond. The item changes before each message. */
const pouring = (idOf: (at: number, n: number) => number): Pick<Workload, 'before' | 'run'> => ({
  before(scene) {
    scene.arrivals = range(burst).map((at) => scene.subject.invalidation([idOf(at, scene.n)]));
  },
  run({ backend, n, arrivals }) {
    for (let i = 0; i < burst; i++) {
      backend.change(idOf(i, n));
      arrivals[i]?.();
      endTask();
      if (i % 100 === 99) pass(1);
    }
    settle();
  },
});

const watchedLists = paramsOf(watchedTeams * pages);
const one = (): number => 1;
const sink: { last: unknown } = { last: null };
const burst = 1000;
/** The default of `bulk.delayMs`. */
const windowMs = 50;
const reads = 100;
const readsOfMissing = 1000;
const directives = 10_000;

const applying = (
  title: string,
  listLength: number,
  requests: number,
  growth: Workload['growth'],
  isWhole: boolean,
): Workload => ({
  title,
  n: 10_000,
  ops: () => directives,
  target: { requests },
  growth,
  options: { held: true },
  without: ['tanstack', 'swr', 'rtk', 'zustand', 'floor'],
  prepare: seed,
  before(scene) {
    settle();
    const ids = range(directives).map((at) => (at * 7919) % (scene.n * 10)); // One in ten is cached.
    scene.arrivals = range(directives / listLength).map((at) =>
      scene.subject.invalidation(ids.slice(at * listLength, (at + 1) * listLength)),
    );
  },
  run({ arrivals }) {
    for (const arrive of arrivals) {
      arrive();
      endTask();
    }
    if (isWhole) settle();
  },
  check() {
    settle();
    return null;
  },
});

/** All reads start in one task, and each is awaited. */
async function loadAll(scene: Scene): Promise<void> {
  scene.kept = await Promise.all(range(scene.n).map(scene.subject.load));
}

const filling: Workload = {
  title: 'filling 10,000 items, each read awaited',
  // RTK Query copies its whole state for each entry, so it would need minutes.
  without: ['rtk'],
  n: 10_000,
  ops: (n) => n,
  target: { ratio: 0.12, requests: 100 },
  growth: 'constant',
  prepare: ({ backend, n }) => range(n).forEach(backend.truth),
  before(scene) {
    scene.subject.dispose();
    scene.subject = scene.create(scene.backend, scene.options);
    scene.kept = [];
  },
  run(scene) {
    void loadAll(scene);
    settle();
  },
  check(scene) {
    const { length } = (scene.kept as (Item | null)[]).filter((item) => item?.version === 1); // As loaded.
    return length === scene.n ? checkItems(scene, range(scene.n)) : `${length} reads resolved to their item`;
  },
};

export const workloads: Readonly<Record<string, Workload>> = {
  look: {
    title: 'look at one fresh item of 10,000',
    n: 10_000,
    ops: () => 10_000,
    target: { requests: 0 },
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
    ops: () => reads,
    target: { requests: 0 },
    growth: 'constant',
    prepare(scene) {
      seed(scene);
      scene.kept = shuffled(scene.n, reads);
    },
    run({ subject, kept }) {
      for (const id of kept as number[]) subject.read(id);
      endTask();
    },
    check: (scene) => checkItems(scene, [0, scene.n - 1]),
  },
  fill: { ...filling, live: loadAll },
  fillSingly: { ...filling, title: 'the same without `bulkFetch`', target: {}, options: { bulk: false } },
  one: {
    title: '10,000 watchers, one item invalidated and refetched',
    n: 10_000,
    ops: one,
    target: { cold: 0.4, requests: 1, told: 1 },
    growth: 'constant',
    prepare: watchAll,
    repeat: 10,
    before: (scene) => changeItems(scene, [(scene.round * 37) % scene.n]),
    ...arriving(1),
    check: (scene) => checkItems(scene, range(Math.min(scene.n, 1000))),
  },
  listsByName: {
    title: '1,000 parameter sets by name, 100 watched',
    n: 1000,
    ops: one,
    target: { ratio: 0.2, requests: 100, told: 100 },
    growth: 'per entry',
    prepare: watchLists,
    before: (scene) => changeLists(scene),
    ...arriving(100),
    check: (scene) => checkLists(scene, watchedLists),
  },
  listsByPart: {
    title: '10 of 1,000 by a part of their parameters',
    n: 1000,
    ops: one,
    target: { requests: 10, told: 10 },
    growth: 'per entry',
    prepare: watchLists,
    before: (scene) => changeLists(scene, 3),
    run: arriving(10).run,
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
    target: { requests: 10, told: burst },
    growth: 'not measured',
    latencyMs: 5,
    prepare: watchAll,
    ...pouring((at, n) => at % n),
    check: (scene) => checkItems(scene, range(scene.n)),
  },
  oneCall: {
    title: '1,000 items in one message',
    n: 1000,
    ops: one,
    target: { ratio: 0.18, requests: 10, told: burst },
    growth: 'not measured',
    latencyMs: 5,
    prepare: watchAll,
    before: (scene) => changeItems(scene, range(burst)),
    ...arriving(burst),
    check: (scene) => checkItems(scene, range(scene.n)),
  },
  hundred: {
    title: '100 items in one message',
    n: 1000,
    ops: one,
    target: { requests: 1, told: 100 },
    growth: 'constant',
    prepare: watchAll,
    before: (scene) => changeItems(scene, range(100)),
    run: arriving(100).run,
    check: (scene) => checkItems(scene, range(100)),
  },
  same: {
    title: 'one item invalidated 1,000 times within 10 ms',
    n: 1,
    ops: one,
    target: { ratio: 0.15, requests: 2, told: 1 },
    growth: 'constant',
    latencyMs: 5,
    prepare: watchAll,
    ...pouring(() => 0),
    async live(scene) {
      for (let i = 0; i < burst; i++) {
        scene.backend.change(0);
        scene.arrivals[i]?.();
        await (i % 100 === 99 ? new Promise((resolve) => setTimeout(resolve, 1)) : null);
      }
      await until(scene, () => checkItems(scene, [0]) === null);
    },
    windowMs,
    check: (scene) => checkItems(scene, [0]),
  },
  missing: {
    title: '1,000 concurrent reads of a missing item',
    n: 1000,
    ops: one,
    target: { requests: 1, peerRequests: 1 },
    growth: 'constant',
    latencyMs: 5,
    prepare: seed,
    run({ subject, n, round }) {
      for (let i = 0; i < readsOfMissing; i++) subject.read(n + round);
      settle();
    },
    check: (scene) => checkItems(scene, [scene.n + scene.round]),
  },
  apply: applying('10,000 directives, messages of 100, one in ten hits', 100, 0, 'constant', false),
  applySingly: applying('the same, messages of one', 1, 0, 'not measured', false),
  applyWhole: applying('messages of 100 with the refetches they cause', 100, 11, 'not measured', true),
};

/** Workloads that measure the heap of an entry without its payload. The backend keeps the payload anyway. */
export const heapWorkloads: Readonly<
  Record<string, { title: string; n: number; target: Target; fill: (scene: Scene) => void }>
> = {
  heapItem: {
    title: 'heap per entry, without its payload',
    n: 10_000,
    target: { ratio: 0.55 },
    fill({ subject, n }) {
      for (let id = 0; id < n; id++) void subject.load(id);
      settle();
    },
  },
  heapList: {
    title: 'heap per parameter set',
    n: 10_000,
    target: {},
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

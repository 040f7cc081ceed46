// Several clients of one application, its server, and all faults between them. A schedule of steps drives
// the world. The monitor checks every client continuously.

import { dehydrate, hydrate, type DehydratedState } from '@edict/core/hydration';
import { internalsOf } from '@edict/core/internal';
import type { CollectionReference, DataLayer, Id, InitOptions, ItemReference, Reference } from '@edict/core';
import {
  createSimulation,
  type SimulatedClient,
  type SimulatedTab,
  type Simulation,
} from '@edict/core/testing';
import { createMonitor, type Monitor } from './monitor.ts';
import { createTruth, levels, paramSets, type Level, type Params, type Truth, type Write } from './truth.ts';

/** The conditions of one run. */
export interface Climate {
  seed: number;
  clients: number;
  /** Latency of the links and of the fetch functions, at most. */
  latencyMs: number;
  fetchMs: number;
  failRate: number;
  hangRate: number;
  dropRate: number;
  duplicateRate: number;
  reorderRate: number;
  refetch: 'held' | 'watched';
  retryFailedMs: number;
  stalenessMs: number;
  delayMs: number;
  hasBulk: boolean;
  /** The level of the items in lists. Null if lists contain ids only. */
  itemsAt: Level | null;
  isMemoryTiny: boolean;
  /** Envelopes that the hub can replay. */
  replay: number;
  /** Whether the responses of mutations contain sequence numbers. Those of an outbox cannot. */
  areAnswersNumbered: boolean;
  /** Whether clients are connected before they read, connect meanwhile, or after. */
  connects: 'first' | 'meanwhile' | 'later';
  /** The clients are tabs of one browser that share a stream. */
  tabs?: {
    /** Rate and latency of the messages between tabs. */
    dropRate: number;
    delayMs: number;
    pauseHidden: boolean;
  };
}

export interface What {
  kind: 'doc' | 'note' | 'list';
  at: number;
  level: number;
}

export type Outage = 'cut' | 'hang' | 'offline' | 'disconnect' | 'hide';
export type Answer = 'body' | 'header' | 'unreadable' | 'lost' | 'request-lost';
/** Whether the state of a server-rendered page has cursors: of every audience, of one, or of none. */
export type Cursors = 'all' | 'one' | 'none';
export type Audience = (typeof audiences)[number];
/** What may differ when a type is registered again, as during development. */
export interface Registered {
  hasBulk: boolean;
  converts: boolean;
}
export type Step =
  | { do: 'read'; client: number; what: What; force: boolean; silent: boolean }
  | { do: 'watch'; client: number; what: What }
  | { do: 'unwatch'; client: number; nth: number }
  | { do: 'write'; write: Write; by: number | 'other' | 'lost'; answer: Answer }
  | { do: 'outage'; client: number; how: Outage; ms: number }
  | { do: 'frames'; client: number; how: 'drop' | 'duplicate' | 'reorder' }
  | { do: 'hub'; how: 'kept' | 'log-lost' | 'clock' | 'zero' | 'end' | 'down'; ms: number }
  | { do: 'away'; client: number; ms: number }
  | {
      do: 'render';
      client: number;
      whats: readonly What[];
      cursors: Cursors;
      ms: number;
      again: number | null;
    }
  | { do: 'register'; client: number; how: Registered }
  | { do: 'follow'; client: number; audience: Audience | 'both' }
  | { do: 'tab'; client: number; how: 'freeze' | 'stall' | 'crash'; ms: number }
  | { do: 'messages' }
  | { do: 'wait'; ms: number };

const audiences = ['global', 'team'] as const;

/** One client of the application. */
export interface Player {
  client: SimulatedClient;
  /** Set if the clients are tabs. */
  tab: SimulatedTab | null;
  dl: DataLayer;
  monitor: Monitor;
  watched: { ref: Reference; what: What; stop: () => void; idleSince: number | null; answers: string }[];
  /** Fetch functions that were called. */
  requests: { at: number; kind: string; level: string; keys: readonly string[] }[];
}

/** The longest a client is away; below the minute in which own echoes of lost answers count (D-SRC-4). */
const longestOutageMs = 15_000;
/** The shortest a client is there between two outages, so that it gets to connect. */
const shortestUptimeMs = 14_000;
const heartbeatMs = 4000;
/** The longest delivery time of a page without cursors. Its state does not contain this time, and a replay has two seconds of slack (D-HUB-3). */
const longestWayMs = 1000;
/** How long a server takes to read the data of a page. */
const renderMs = 2500;
/** How long an application waits for the response to a mutation. */
const mutationMs = 5000;

export const levelOf = (what: What): Level => levels[what.level % levels.length] ?? 'default';
export const paramsOf = (what: What): Params => paramSets[what.at % paramSets.length];
export const idOf = (what: What): Id =>
  what.kind === 'note' ? (['a', 'b'][what.at % 2] ?? 'a') : what.at % 5;

/** The cached levels of an item, with or without a payload. */
export const heldLevels = (ref: Reference): string[] =>
  isItem(ref) ? Object.keys(ref.meta.levelStamps) : [];

export interface World {
  sim: Simulation;
  truth: Truth;
  players: Player[];
  take: (step: Step) => void;
  open: () => Promise<void>;
  /** Advances the time in small steps and checks in between. */
  pass: (ms: number) => Promise<void>;
  /** Ends all faults and waits until the clients have recovered. */
  heal: () => Promise<void>;
}

export function createWorld(climate: Climate): World {
  const sim = createSimulation({
    seed: climate.seed,
    heartbeatMs,
    replay: { maxEnvelopes: climate.replay },
  });
  const truth = createTruth();
  // With a small log, `since_ms` detects a replay miss only if the latency to the hub is short.
  const latencyMs = climate.connects !== 'first' && climate.replay < 10 ? 0 : climate.latencyMs;
  // When tabs share a stream, a connection first waits for its lock.
  const isAgeExact = climate.replay > 10 || (latencyMs === 0 && climate.tabs === undefined);
  /** When the hub lost messages for the last time. */
  let lostAt = -Infinity;
  let isCalm = false;
  let wasZero = false;
  let hubQuietUntil = 0;
  const between = (max: number): number => Math.floor(sim.random() * (max + 1));

  const options: InitOptions = {
    sse: {
      connectOnInit: climate.connects !== 'later',
      audience: [...audiences],
      share: climate.tabs !== undefined,
      pauseHidden: climate.tabs?.pauseHidden === true,
      initialRetryMs: 500,
      maxRetryMs: 4000,
      resyncJitterMinMs: 200,
      resyncJitterMaxMs: 900,
    },
    bulk: {
      delayMs: climate.delayMs,
      refetch: climate.refetch,
      retryFailedMs: climate.retryFailedMs,
      maxBatchSize: 3,
    },
    memory: climate.isMemoryTiny
      ? {
          maxItemsPerType: 2,
          maxCollectionRefsPerCollection: 2,
          itemEntryTtlMs: 6000,
          collectionEntryTtlMs: 6000,
          pruneIntervalMs: 2500,
        }
      : {},
  };

  /** The server responds with the data of one time between request and response. */
  async function serve<T>(signal: AbortSignal, read: () => T): Promise<T> {
    const fate = sim.random();
    const isFailing = !isCalm && fate < climate.failRate;
    if (!isCalm && !isFailing && fate < climate.failRate + climate.hangRate)
      await sim.sleep(3_600_000, signal);
    const there = between(climate.fetchMs);
    if (there > 0) await sim.sleep(there, signal);
    const answer = read();
    const back = between(climate.fetchMs);
    if (back > 0) await sim.sleep(back, signal);
    if (isFailing) throw new Error('the server failed');
    return answer;
  }

  function register(
    dl: DataLayer,
    requests: Player['requests'],
    { hasBulk, converts }: Registered = { hasBulk: climate.hasBulk, converts: true },
  ): void {
    const note = (kind: string, level: string, keys: readonly unknown[]): void =>
      void requests.push({ at: sim.now(), kind, level, keys: keys.map(String) });
    const fetchDoc =
      (level: Level) =>
      (id: Id, { signal }: { signal: AbortSignal }) => {
        note('doc', level, [id]);
        return serve(signal, () => truth.doc(id, level));
      };
    const bulk = (ids: Id[], level: string, { signal }: { signal: AbortSignal }) => {
      note('doc', level, ids);
      return serve(signal, () => {
        // Sometimes one item is missing and must be fetched alone (D-DIR-6).
        const kept = ids.filter((_, index) => isCalm || index === 0 || sim.random() > climate.failRate);
        // The core requests registered levels only.
        return new Map(kept.map((id) => [id, truth.doc(id, level as Level)]));
      });
    };
    const common = { stalenessMs: climate.stalenessMs, timeoutMs: 2500 };
    dl.createType('doc', {
      ...common,
      fetch: fetchDoc('default'),
      ...(hasBulk ? { bulkFetch: bulk } : {}),
      levels: {
        mid: {
          fetch: fetchDoc('mid'),
          checkIfExists: (data) => typeof data === 'object' && data !== null && 'body' in data,
        },
        full: { fetch: fetchDoc('full') },
        side: { fetch: fetchDoc('side') },
      },
      levelConversionMap: converts ? { full: ['mid'], mid: ['default'] } : {},
    });
    dl.createType('note', {
      ...common,
      fetch(id, { signal }) {
        note('note', 'default', [id]);
        return serve(signal, () => truth.note(id));
      },
    });
    const { itemsAt } = climate;
    dl.createCollection('docs', {
      ...common,
      ...(itemsAt === null ? {} : { of: 'doc', level: itemsAt }),
      fetch(params, { signal }) {
        note('list', 'default', [JSON.stringify(params ?? {})]);
        return serve(signal, () => {
          // The params are one of the sets below.
          const list = truth.list(params as Params);
          if (itemsAt === null) return list;
          const items = list.ids.map((id) => truth.doc(id, itemsAt) ?? {}); // Every document in a list exists.
          return { items, count: list.count };
        });
      },
    });
  }

  sim.route('POST /write', ({ clientId, body }) => {
    if (!sim.hub.isUp()) return new Response(null, { status: 503 });
    // Like `mutate`.
    const { write, answer } = body as { write: Write; answer: Answer };
    const stamped = publish(write, clientId);
    // Like the response of an outbox, which emits later.
    const directives = climate.areAnswersNumbered
      ? stamped
      : stamped.map((directive) => ({ ...(directive as object), seq: undefined }));
    if (answer === 'unreadable')
      return new Response('{"directives": [', { headers: { 'content-type': 'application/json' } });
    if (answer !== 'header') return { ok: true, directives };
    return new Response('ok', { headers: { 'X-Service-Directives': JSON.stringify(directives) } });
  });

  function publish(write: Write, source: string | null): unknown[] {
    const { audience, directives } = truth.write(write);
    // Plain directives of documents are sometimes sent to the other audience, or to both with one key and two sequence numbers.
    // Inline results use one audience, because the order of two audiences is unknown, and a small log may have lost the
    // directive of the other.
    const isInline = directives.some((directive) => 'result' in directive);
    const others = [['global'], ['global'], ['global'], ['team'], ['global', 'team']][write.listStyle % 5];
    const isElsewhere = audience === 'global' && !isInline && climate.replay > 10;
    return sim.hub.emit(directives, { audience: (isElsewhere && others) || audience, source });
  }

  function createPlayer(index: number): Player {
    const tab = browser?.createTab() ?? null;
    const client: SimulatedClient = tab ?? (index === 0 ? sim : sim.createClient());
    client.link.delay([0, latencyMs]);
    client.link.rates({
      drop: climate.dropRate,
      duplicate: climate.duplicateRate,
      reorder: climate.reorderRate,
    });
    const dl = client.createDataLayer(options);
    const player: Player = {
      client,
      tab,
      dl,
      watched: [],
      requests: [],
      monitor: createMonitor(dl, truth, climate.itemsAt),
    };
    register(dl, player.requests);
    return player;
  }
  const browser = climate.tabs === undefined ? null : sim.createBrowser();
  browser?.dropRate(climate.tabs?.dropRate ?? 0);
  browser?.delay([0, climate.tabs?.delayMs ?? 0]);
  const players = Array.from({ length: climate.clients }, (_, index) => createPlayer(index));
  const latecomers = new Set<DataLayer>();
  const quietUntil = new Map<Player, number>();
  const playerAt = (index: number): Player => {
    const player = players[index % players.length];
    if (player === undefined) throw new Error('a world without clients');
    return player;
  };

  /** The sequence numbers of both audiences are known, so the age of a request is no longer needed. */
  const hasNumbers = ({ dl }: Player): boolean => Object.keys(dl.state().sse.lastSeq).length === 2;

  /**
   * Whether the oldest data is from about the time of the loss. The hub judges the age without slack (D-HUB-3), so the latency makes such data
   * look younger than the loss.
   */
  function isAgeAtLoss(dl: DataLayer): boolean {
    const parts = internalsOf(dl)?.parts;
    if (parts === undefined) return false;
    const oldestAt = sim.now() - parts.env.now() + parts.fetching.oldestRequestAt();
    return Math.abs(oldestAt - lostAt) <= latencyMs + 1;
  }

  /** Connects after the first request, so the connection sends its age. */
  function connectLate({ dl, requests }: Player): void {
    if (climate.connects !== 'later' || latecomers.has(dl)) return;
    if (requests.length === 0 && !isCalm) return;
    latecomers.add(dl);
    void sim.sleep(between(2000)).then(dl.connectSse);
  }

  function read(
    { dl, monitor }: Player,
    what: What,
    extra: { force?: boolean; silent?: boolean } = {},
  ): Reference {
    const ref = readBy(dl, what, extra);
    monitor.follow(isCollection(ref) ? `docs/${ref.meta.paramsKey}` : `${what.kind}/${idOf(what)}`, ref);
    return ref;
  }

  const readBy = (dl: DataLayer, what: What, extra: { force?: boolean; silent?: boolean } = {}): Reference =>
    what.kind === 'list'
      ? dl.fetchCollection('docs', { params: paramsOf(what), ...extra })
      : dl.fetchItem(what.kind, idOf(what), what.kind === 'note' ? null : levelOf(what), extra);

  /** A server renders a page, which arrives at the client later, possibly twice. */
  async function render(player: Player, step: Extract<Step, { do: 'render' }>): Promise<void> {
    const { dl, monitor } = player;
    const server = sim.createClient({ isBrowser: false }).createDataLayer({ sse: { enabled: false } });
    register(server, []);
    await sim.sleep(1); // Otherwise data that was read in this millisecond would not look older than the state.
    const known = { all: audiences, one: audiences.slice(0, 1), none: [] }[step.cursors];
    const cursors = known.map((audience) => sim.hub.cursor(audience)); // Before the data (D-REACT-10).
    for (const what of step.whats) readBy(server, what);
    await Promise.race([server.whenSettled(), sim.sleep(renderMs)]);
    const text = JSON.stringify(dehydrate(server, step.cursors === 'none' ? {} : { cursors }));
    server.dispose();
    // A page without its delivery time also looks too recent next to the first received sequence number.
    const untoldMs = climate.replay > 10 && hasNumbers(player) ? longestWayMs : 0;
    await sim.sleep(step.cursors === 'all' ? step.ms : Math.min(step.ms, untoldMs));
    // The state from the line above.
    const state = JSON.parse(text) as DehydratedState;
    const takeOver = (): void => {
      monitor.check();
      monitor.trust(state);
      hydrate(dl, state);
    };
    takeOver();
    if (step.again !== null) void sim.sleep(step.again).then(takeOver);
  }

  function mutate(player: Player, write: Write, answer: Answer): void {
    if (answer === 'lost') player.client.link.loseAnswers();
    if (answer === 'request-lost') player.client.link.loseRequests();
    const init = {
      method: 'POST',
      body: JSON.stringify({ write, answer }),
      headers: { 'content-type': 'application/json' },
    };
    // An application does not wait forever. Only a rejected mutation counts as lost (D-SRC-4).
    const patience = new AbortController();
    void sim.sleep(mutationMs).then(() => patience.abort());
    player.dl.fetch('/write', { ...init, signal: patience.signal }).catch(() => undefined);
  }

  function interrupt(player: Player, how: Outage, asked: number): void {
    if (sim.now() < (quietUntil.get(player) ?? 0) || !hasNumbers(player)) return;
    const ms = Math.min(asked, longestOutageMs);
    quietUntil.set(player, sim.now() + ms + shortestUptimeMs + (how === 'hang' ? heartbeatMs * 3 : 0));
    const { link, page } = player.client;
    const later = (run: () => void): void => void sim.sleep(ms).then(run);
    if (how === 'cut') {
      link.cut();
      later(link.restore);
    } else if (how === 'hang') {
      link.hang();
      later(link.restore);
    } else if (how === 'offline') {
      page.setOnline(false);
      link.cut();
      later(() => {
        link.restore();
        page.setOnline(true);
      });
    } else if (how === 'disconnect') {
      player.dl.disconnectSse();
      later(player.dl.connectSse);
    } else {
      page.hide();
      later(page.restore);
    }
  }

  function disturbHub(how: Extract<Step, { do: 'hub' }>['how'], ms: number): void {
    if (how === 'end') return sim.hub.end({ retryMs: Math.min(ms, 1000) });
    if (sim.now() < hubQuietUntil || !players.every(hasNumbers)) return;
    // A counter from zero may return to a sequence number that a client remembers. The protocol's counter never does.
    const numbers = how === 'zero' ? (wasZero ? 'clock' : 'zero') : how === 'clock' ? 'clock' : 'kept';
    wasZero ||= how === 'zero';
    sim.hub.stop();
    const downMs = how === 'down' ? Math.min(ms, 4000) : 0;
    hubQuietUntil = sim.now() + downMs + shortestUptimeMs;
    const start = (): void => {
      const log = numbers === 'kept' && how !== 'log-lost' ? 'kept' : 'lost';
      if (log === 'lost') lostAt = sim.now();
      sim.hub.start({ numbers, log });
    };
    if (downMs === 0) start();
    else void sim.sleep(downMs).then(start);
  }

  /** What happens to a tab. The user does nothing in a frozen tab. */
  function disturbTab({ client: index, how, ms }: Extract<Step, { do: 'tab' }>): void {
    const player = playerAt(index);
    if (player.tab === null || !hasNumbers(player) || sim.now() < (quietUntil.get(player) ?? 0)) return;
    if (how === 'crash') {
      player.tab.crash();
      players[players.indexOf(player)] = createPlayer(index);
      return;
    }
    const forMs = Math.min(ms, longestOutageMs);
    quietUntil.set(player, sim.now() + forMs + shortestUptimeMs);
    player.tab.freeze({ isSudden: how === 'stall' });
    void sim.sleep(forMs).then(player.tab.resume);
  }

  const isAsleep = (step: Step): boolean => {
    const index = 'client' in step ? step.client : step.do === 'write' ? step.by : null;
    return typeof index === 'number' && playerAt(index).tab?.isFrozen() === true;
  };

  function take(step: Step): void {
    if (isAsleep(step)) return;
    switch (step.do) {
      case 'tab':
        disturbTab(step);
        break;
      case 'messages':
        browser?.drop();
        break;
      case 'read':
        read(playerAt(step.client), step.what, { force: step.force, silent: step.silent });
        break;
      case 'watch': {
        const player = playerAt(step.client);
        const ref = read(player, step.what);
        // A component that shows an item reads all its levels, including cached ones that became stale while they were not shown.
        for (const level of heldLevels(ref)) player.dl.fetchItem(step.what.kind, idOf(step.what), level);
        const stop = player.dl.onRefChange(ref, () => player.monitor.check());
        player.watched.push({ ref, what: step.what, stop, idleSince: null, answers: '' });
        break;
      }
      case 'unwatch': {
        const { watched } = playerAt(step.client);
        if (watched.length > 0) watched.splice(step.nth % watched.length, 1)[0]?.stop();
        break;
      }
      case 'write':
        if (typeof step.by === 'number') mutate(playerAt(step.by), step.write, step.answer);
        else if (sim.hub.isUp()) {
          if (step.by === 'other') publish(step.write, null);
          else if (players.every(hasNumbers)) {
            lostAt = sim.now();
            sim.hub.lose(1, truth.write(step.write).audience);
          }
        }
        break;
      case 'outage':
        interrupt(playerAt(step.client), step.how, step.ms);
        break;
      case 'frames':
        playerAt(step.client).client.link[step.how]();
        break;
      case 'hub':
        disturbHub(step.how, step.ms);
        break;
      case 'away': {
        const { page } = playerAt(step.client).client;
        page.setVisible(false);
        void sim.sleep(step.ms).then(() => page.setVisible(true));
        break;
      }
      case 'render':
        void render(playerAt(step.client), step);
        break;
      case 'register': {
        const { dl, requests } = playerAt(step.client);
        register(dl, requests, step.how);
        break;
      }
      case 'follow': {
        const audience = step.audience === 'both' ? [...audiences] : step.audience;
        const { dl } = playerAt(step.client);
        if (isAgeExact && !isAgeAtLoss(dl)) dl.configureSse({ audience });
        break;
      }
      case 'wait':
        break;
    }
    look();
  }

  const isUnderWay = ({ dl }: Player, what: What): boolean =>
    what.kind === 'list'
      ? dl.isCollectionLoading('docs', paramsOf(what))
      : levels.some((level) => what.kind === 'doc' && dl.isItemLoading('doc', idOf(what), level)) ||
        (what.kind === 'note' && dl.isItemLoading('note', idOf(what)));

  /** Whether the item has an unwatched cached level. Such a level was marked stale and correctly waits for a read. */
  function hasUnwatchedLevel({ watched }: Player, { what, ref }: Player['watched'][number]): boolean {
    if (what.kind !== 'doc' || isCollection(ref)) return false;
    const seen = new Set<string>();
    for (const other of watched)
      if (other.ref === ref && other.what.kind === 'doc') seen.add(levelOf(other.what));
    return Object.keys(ref.meta.levelStamps).some((level) => !seen.has(level));
  }

  /** A watched entry that a directive marked stale is in flight or waits for its window. Otherwise only time makes it stale. */
  function lookForStuck(player: Player): void {
    for (const one of player.watched) {
      const { meta } = one.ref;
      const isIdle =
        meta.isStale &&
        meta.error === null &&
        !meta.isLoading &&
        !isUnderWay(player, one.what) &&
        !hasUnwatchedLevel(player, one);
      // A response in between counts as progress.
      const answers = JSON.stringify('paramsKey' in meta ? meta.lastFetched : meta.levelStamps);
      if (!isIdle || answers !== one.answers) one.idleSince = null;
      one.answers = answers;
      if (isIdle && sim.now() - (one.idleSince ??= sim.now()) > climate.delayMs + 500) {
        player.monitor.report(`${JSON.stringify(one.what)} is outdated and nothing is done about it`);
      }
    }
  }

  function look(): void {
    for (const player of players) {
      if (player.tab?.isFrozen() === true) continue;
      connectLate(player);
      player.monitor.check();
      if (climate.stalenessMs > 60_000) lookForStuck(player);
    }
  }

  /** Clients that connect before they read have their sequence number before the schedule starts. */
  async function open(): Promise<void> {
    if (climate.connects === 'first') await sim.advance(latencyMs * 2 + 1);
  }

  async function pass(ms: number): Promise<void> {
    let left = ms;
    do {
      const stride = Math.min(left, 250);
      await sim.advance(stride);
      left -= stride;
      look();
    } while (left > 0);
  }

  async function heal(): Promise<void> {
    // Current outages end by themselves within this time.
    await pass(longestOutageMs);
    isCalm = true;
    browser?.dropRate(0);
    for (const { client, dl } of players) {
      dl.configureSse({ audience: [...audiences] });
      client.link.rates({});
      client.link.delay(1);
    }
    // A dead connection is detected after 10 s of silence. Then follow a backoff, a heartbeat, a resync, and its requests.
    await pass(30_000);
    // An attempt whose response never begins is given up after a minute.
    if (players.some(({ dl }) => dl.state().sse.status === 'connecting')) await pass(90_000);
    // A follower detects a dead leader after the same time, and waits for a response before it leads.
    if (browser !== null) await pass(30_000);
  }

  return { sim, truth, players, open, take, pass, heal };
}

export const isCollection = (ref: Reference): ref is CollectionReference => 'paramsKey' in ref.meta;
export const isItem = (ref: Reference): ref is ItemReference => !isCollection(ref);

// A screen, its data layer, a server, and the faults that can happen between them.

import { dehydrate, type DehydratedState } from '@edict/core/hydration';
import { deepEqual, entryView } from '@edict/core/internal';
import type { CollectionReference, DataLayer, Id, ItemReference, StandardSchema } from '@edict/core';
import { createSimulation, type Simulation } from '@edict/core/testing';
import { DLProvider } from '@edict/react';
import { startTransition, StrictMode, useLayoutEffect, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot, type HydrationOptions, type Root as ReactRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { vi } from 'vitest';
import { divideRenders, liveIn } from '../../../core/test/platformTime.ts';
import { createMonitor } from '../../../core/test/properties/monitor.ts';
import {
  createTruth,
  docIds,
  type Level,
  type Params,
  type Truth,
  type Write,
} from '../../../core/test/properties/truth.ts';
import {
  nextParams,
  rowsOf,
  Screen,
  selected,
  type Desk,
  type Part,
  type Place,
  type Shown,
  type View,
} from './screen.tsx';

/** The settings that differ from run to run. */
export interface Climate {
  seed: number;
  latencyMs: number;
  fetchMs: number;
  failRate: number;
  dropRate: number;
  refetch: 'held' | 'watched';
  stalenessMs: number;
  delayMs: number;
  hasBulk: boolean;
  isMemoryTiny: boolean;
  isStrict: boolean;
  /** The maximum time by which each read of the clock advances React's time slice. */
  tickMs: number;
}

export type How = 'urgent' | 'transition' | 'sync';
export type Outage = 'cut' | 'offline' | 'disconnect' | 'hide';
export type Answer = 'body' | 'header' | 'unreadable' | 'lost' | 'refused';
export type Step =
  | { do: 'show'; at: number; part: Part | null; how: How }
  | { do: 'change'; at: number; some: Partial<Part>; how: How }
  | { do: 'hide'; at: number; how: How }
  | { do: 'move'; at: number; to: number; how: How }
  | { do: 'page'; at: number; parts: readonly Part[]; hasCursors: boolean; ms: number }
  | { do: 'leave boundary'; at: number; how: How }
  | { do: 'refresh'; at: number }
  | { do: 'next'; at: number }
  | { do: 'reset' }
  | { do: 'reset layer' }
  | { do: 'write'; write: Write; by: 'own' | 'other' | 'lost'; answer: Answer }
  | { do: 'give up' }
  | { do: 'outage'; how: Outage; ms: number }
  | { do: 'frame'; how: 'drop' | 'duplicate' | 'reorder' }
  | { do: 'restart'; numbers: 'kept' | 'clock' }
  | { do: 'wait'; ms: number };

/** The first page: the parts that a server has rendered, and a write while the page is in transit. */
export interface First {
  parts: readonly Part[];
  ms: number;
  write: Write | null;
}

export interface World {
  sim: Simulation;
  take: (step: Step) => void;
  open: (first: First) => Promise<void>;
  /** Advances time in small steps and checks the screen after each. */
  pass: (ms: number) => Promise<void>;
  /** Ends all faults, and waits until the client has recovered. */
  heal: () => Promise<void>;
  /** Requests failed entries again. */
  retry: () => Promise<void>;
  /** The components that show wrong data or an error. */
  wrong: (may: { haveFailed: boolean }) => string[];
  leave: () => Promise<string[]>;
  violations: string[];
  /** Renders of a component that reads only data and whose data did not change. */
  needless: string[];
}

const audiences = ['global', 'team'];
const heartbeatMs = 4000;
/** The minimum time between two outages, so that the client can connect. */
const shortestUptimeMs = 14_000;
/** The maximum transit time of a page without cursors (D-HUB-3). */
const longestWayMs = 1000;
export const placeCount = 6;
const fields = ['title', 'body', 'comments', 'side'];

/** The error of a failed request as text. */
const failure = 'Error: the server failed';

/** Compares by identity, because the data may have changed and changed back between two renders. */
const isSameData = ({ part, data }: Shown, next: Shown): boolean =>
  part.kind === 'items'
    ? (data as unknown[]).every((row, at) => row === (next.data as unknown[])[at]) // The part is the same, so both have the same number of rows.
    : data === next.data;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export function createWorld(climate: Climate): World {
  const sim = createSimulation({ seed: climate.seed, heartbeatMs });
  const truth: Truth = createTruth();
  liveIn(sim);
  vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
  let isCalm = false;
  /** While hydrating, the screen shows data from when the server rendered it. */
  let isOpening = true;
  let quietUntil = 0;
  let renders = 0;
  const watchers = new Set<() => void>();
  let events = 0;
  let openRuns = 0;
  let pages = 0;
  const between = (max: number): number => Math.floor(sim.random() * (max + 1));

  sim.link.delay([0, climate.latencyMs]);
  sim.link.rates({ drop: climate.dropRate });
  const dl = sim.createDataLayer({
    sse: {
      audience: audiences,
      initialRetryMs: 500,
      maxRetryMs: 4000,
      resyncJitterMinMs: 200,
      resyncJitterMaxMs: 900,
    },
    bulk: { delayMs: climate.delayMs, refetch: climate.refetch, maxBatchSize: 3 },
    memory: climate.isMemoryTiny
      ? {
          maxItemsPerType: 1,
          maxCollectionRefsPerCollection: 1,
          itemEntryTtlMs: 3000,
          collectionEntryTtlMs: 3000,
          pruneIntervalMs: 700,
        }
      : {},
  });
  const monitor = createMonitor(dl, truth, null);
  dl.onLifecycle('*', () => void (events += 1));
  // The data layer is the prototype of this object, so that hydration accepts the object.
  const counted = Object.assign(Object.create(dl) as DataLayer, {
    onRefChange(ref, callback) {
      const stop = dl.onRefChange(ref, callback);
      watchers.add(stop);
      return () => {
        watchers.delete(stop);
        stop();
      };
    },
  } satisfies Partial<DataLayer>);

  async function serve<T>(signal: AbortSignal, read: () => T): Promise<T> {
    const isFailing = !isCalm && sim.random() < climate.failRate;
    // When two components suspend in one boundary, a tiny memory evicts the first entry before a slow second response arrives.
    const wayMs = isCalm ? Math.min(climate.fetchMs, 40) : climate.fetchMs;
    await sim.sleep(between(wayMs), signal);
    const answer = read();
    await sim.sleep(between(wayMs), signal);
    if (isFailing) throw new Error('the server failed'); // `failure`
    return answer;
  }

  function register(its: DataLayer): void {
    const common = { stalenessMs: climate.stalenessMs };
    // An erased document is null. The Suspense hooks show null only if the schema accepts it.
    const schema: StandardSchema = {
      '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
    };
    const fetchAt =
      (level: Level) =>
      (id: Id, { signal }: { signal: AbortSignal }) =>
        serve(signal, () => truth.doc(id, level));
    its.createType('doc', {
      ...common,
      schema,
      fetch: fetchAt('default'),
      ...(climate.hasBulk && {
        bulkFetch: (ids: Id[], level: string, { signal }: { signal: AbortSignal }) =>
          serve(signal, () => new Map(ids.map((id) => [id, truth.doc(id, level as Level)]))), // Only registered levels are requested.
      }),
      levels: {
        mid: { schema, fetch: fetchAt('mid'), checkIfExists: (data) => isObject(data) && 'body' in data },
        full: { schema, fetch: fetchAt('full') },
        side: { schema, fetch: fetchAt('side') },
      },
      levelConversionMap: { full: ['mid'], mid: ['default'] },
    });
    its.createCollection('docs', {
      ...common,
      fetch: (params, { signal }) => serve(signal, () => truth.list(params as Params)), // The params of a part.
    });
  }
  register(dl);

  const written: { write: Write; answer: Answer }[] = [];
  sim.route('POST /write', ({ clientId, body }) => {
    const { write, answer } = written[(body as { nth: number }).nth] ?? {}; // `mutate` sends this body.
    if (write === undefined || !sim.hub.isUp() || answer === 'refused')
      return new Response(null, { status: 503 });
    const { audience, directives } = truth.write(write);
    const stamped = sim.hub.emit(directives, { audience, source: clientId });
    if (answer === 'unreadable')
      return new Response('{"directives": [', { headers: { 'content-type': 'application/json' } });
    if (answer === 'header')
      return new Response('ok', { headers: { 'X-Service-Directives': JSON.stringify(stamped) } });
    return { version: truth.version(), directives: stamped };
  });

  /** The last data that each place showed for its own arguments, by the key of the place. */
  const lastOwn = new Map<number, string>();
  function checkPrevious(key: number, { part, data, meta }: Shown): void {
    if (meta === null || part.isSelecting || (part.kind !== 'item' && part.kind !== 'list'))
      return void lastOwn.delete(key);
    const text = JSON.stringify(data);
    if (!meta.isPrevious) lastOwn.set(key, text);
    else if ((lastOwn.get(key) ?? text) !== text)
      monitor.report(`${JSON.stringify(part)} goes on showing ${text}, and ${lastOwn.get(key)} was shown`);
  }
  const lastShown = new Map<number, Shown>();
  /** For each mutation in progress, the places that have stayed mounted since it started. */
  const stayed = new Set<Set<number>>();
  const needless: string[] = [];
  /** A reset renders every component, whatever it shows. */
  let hasReset = false;
  const seen = new WeakSet<object>();
  /** The versions that directives had announced at the last check. A snapshot computes `isStale` at its creation, maybe before its render. */
  const known = new Map<string, number>();
  const desk: Desk = {
    shown: new Map(),
    caught: new Map(),
    runs: null,
    resetErrors: () => undefined,
    offer(runs, resetErrors) {
      desk.runs = runs;
      desk.resetErrors = resetErrors;
    },
    rendered(_, { part, data, meta }, snapshot) {
      renders += 1;
      if (seen.has(snapshot)) return;
      seen.add(snapshot);
      if (isOpening || meta === null || meta.isStale || meta.isPrevious || !isObject(data) || 'ids' in data)
        return;
      for (const [field, value] of Object.entries(data)) {
        const least = known.get(`${part.id}/${field}`) ?? 0;
        if (part.kind !== 'items' && field !== 'id' && typeof value === 'number' && value < least)
          monitor.report(
            `${JSON.stringify(part)} calls ${field} ${value} fresh, a directive had announced ${least}`,
          );
      }
    },
    left(key) {
      for (const keys of stayed) keys.delete(key);
      lastShown.delete(key);
      lastOwn.delete(key);
    },
    committed(key, next) {
      const last = lastShown.get(key);
      lastShown.set(key, next);
      checkPrevious(key, next);
      if (last?.part !== next.part || next.meta !== null || climate.isStrict || hasReset) return;
      if (next.part.kind === 'pages') return;
      // A select keeps an equal result even when the data changed in between, as with a replayed result before the newer one.
      const { part } = next;
      if (
        !part.isSelecting &&
        isSameData(last, next) &&
        !(part.kind.endsWith('item') && isErased(part.id, part.level))
      )
        needless.push(`${sim.now()} ${JSON.stringify(next)}`);
    },
    async mutate(nth, { fetch, signal }) {
      const { answer } = written[nth] ?? {};
      if (answer === 'lost') sim.link.loseAnswers();
      const response = await fetch('/write', {
        method: 'POST',
        body: JSON.stringify({ nth }),
        headers: { 'content-type': 'application/json' },
        signal,
      });
      if (!response.ok) throw new Error('refused');
      return answer === 'body' ? response.json() : null;
    },
  };

  let places: readonly Place[] = Array.from({ length: placeCount }, (_, key) => ({
    key,
    part: null,
    isHidden: false,
    state: null,
  }));
  let nextKey = placeCount;
  let setView: (update: (view: View) => View) => void = () => undefined;
  function Root(): ReactElement {
    const [view, set] = useState<View>({ places });
    useLayoutEffect(() => void (setView = set), [set]);
    return <Screen view={view} desk={desk} />;
  }
  const reports: HydrationOptions = {
    onCaughtError: () => undefined, // The boundaries show these errors.
    onUncaughtError: (error) => monitor.report(`uncaught: ${String(error)}`),
    onRecoverableError(error) {
      // A Suspense hook threw the error, and the entry recovered before React tried again.
      const { cause } = error as { cause?: unknown };
      if (String(cause) !== failure) monitor.report(`recoverable: ${String(error)}, ${String(cause)}`);
    },
  };
  let root: ReactRoot | null = null;
  const complain = (...all: unknown[]): void =>
    monitor.report(`the console says: ${all.map(String).join(' ')}`);
  vi.spyOn(console, 'error').mockImplementation(complain);
  vi.spyOn(console, 'warn').mockImplementation(complain);

  function update(how: How, change: (places: readonly Place[]) => readonly Place[]): void {
    places = change(places);
    const set = (): void => setView((view) => ({ places: change(view.places) }));
    if (how === 'transition') startTransition(set);
    else if (how === 'sync') flushSync(set);
    else set();
  }
  const replace = (how: How, at: number, some: (place: Place) => Partial<Place>): void =>
    update(how, (all) => all.map((place, index) => (index === at ? { ...place, ...some(place) } : place)));
  const shownAt = (at: number): Shown | undefined => desk.shown.get(places[at]?.key ?? -1);

  /** Reads the data of a page on a server. */
  async function readPage<T>(
    parts: readonly Part[],
    hasCursors: boolean,
    visit: (server: DataLayer, text: string) => T,
  ): Promise<T> {
    const server = sim.createClient({ isBrowser: false }).createDataLayer({ sse: { enabled: false } });
    register(server);
    await sim.sleep(1); // Timestamps have a resolution of 1 ms.
    const cursors = audiences.map((audience) => sim.hub.cursor(audience)); // Cursors must be read before the data (D-REACT-10).
    for (const part of parts) {
      if (part.kind === 'items')
        for (const id of rowsOf(part)) server.fetchItem('doc', id ?? part.id, part.level);
      else if (part.kind.endsWith('item')) server.fetchItem('doc', part.id, part.level);
      else
        server.fetchCollection('docs', {
          params: part.kind === 'pages' ? (nextParams(part, []) ?? undefined) : part.params,
        });
    }
    await Promise.race([server.whenSettled(), sim.sleep(2500)]);
    const visited = visit(server, JSON.stringify(dehydrate(server, hasCursors ? { cursors } : {})));
    server.dispose();
    return visited;
  }

  function arrived(text: string): DehydratedState {
    const state = JSON.parse(text) as DehydratedState; // `readPage` wrote this text.
    pages += 1;
    monitor.check();
    monitor.trust(state);
    return state;
  }

  async function bringPage({ at, parts, hasCursors, ms }: Extract<Step, { do: 'page' }>): Promise<void> {
    const text = await readPage(parts, hasCursors, (_, written) => written);
    await sim.sleep(hasCursors ? ms : Math.min(ms, longestWayMs));
    const state = arrived(text);
    const key = nextKey++;
    replace('urgent', at, () => ({ state, ...(parts[0] && { part: parts[0], key }) }));
  }

  /** The screen in a provider of this data layer. */
  const all = (its: DataLayer): ReactElement => (
    <DLProvider dl={its}>
      {climate.isStrict ? (
        <StrictMode>
          <Root />
        </StrictMode>
      ) : (
        <Root />
      )}
    </DLProvider>
  );

  /** Opens the first page, which is rendered here or on a server. A page from the server arrives after `ms`. */
  async function openPage({ parts, ms, write }: First): Promise<ReactRoot> {
    const container = document.createElement('div');
    if (parts.length === 0) {
      const made = createRoot(container, reports);
      made.render(all(counted));
      return made;
    }
    const text = await readPage(parts, true, (server, written) => {
      const state = JSON.parse(written) as DehydratedState; // This server wrote the text.
      places = places.map((place, at) => ({ ...place, part: parts[at] ?? null, state }));
      container.innerHTML = renderToString(all(server));
      return written;
    });
    if (write !== null) take({ do: 'write', write, by: 'other', answer: 'body' });
    await sim.sleep(ms);
    const state = arrived(text);
    places = places.map((place) => ({ ...place, state }));
    return hydrateRoot(container, all(counted), reports);
  }

  async function mutate(write: Write, answer: Answer): Promise<void> {
    if (desk.runs === null) return;
    const nth = written.push({ write, answer }) - 1;
    openRuns += 1;
    const before = new Map(desk.shown);
    const pagesBefore = pages;
    const keys = new Set(before.keys());
    stayed.add(keys);
    try {
      const output = await desk.runs.run(nth);
      if (!isObject(output) || pages > pagesBefore) return; // A page may contain older data.
      const version = Number(output['version']);
      for (const [key, { part }] of before) {
        if (
          !part.kind.endsWith('item') ||
          !part.isEnabled ||
          !keys.has(key) ||
          desk.shown.get(key)?.part !== part
        )
          continue;
        const { data, meta } = dl.getItemRef('doc', part.id);
        if (meta.error !== null || !isObject(data)) continue;
        for (const [field, value] of Object.entries(truth.after(version, part.id) ?? {}))
          if (value === version && Number(data[field]) < version)
            monitor.report(`settled, and ${part.id} shows ${field} ${String(data[field])} of ${version}`);
      }
    } catch {
      // The mutation was rejected, or its response was lost.
    } finally {
      openRuns -= 1;
      stayed.delete(keys);
    }
  }

  function interrupt(how: Outage, ms: number): void {
    if (sim.now() < quietUntil) return;
    quietUntil = sim.now() + ms + shortestUptimeMs;
    const later = (run: () => void): void => void sim.sleep(ms).then(run);
    if (how === 'hide') {
      sim.page.hide();
      later(sim.page.restore);
    } else if (how === 'disconnect') {
      dl.disconnectSse();
      later(dl.connectSse);
    } else {
      if (how === 'offline') sim.page.setOnline(false);
      sim.link.cut();
      later(() => {
        sim.link.restore();
        if (how === 'offline') sim.page.setOnline(true);
      });
    }
  }

  function take(step: Step): void {
    events += 1;
    switch (step.do) {
      case 'show': {
        const key = nextKey++;
        replace(step.how, step.at, () => ({ part: step.part, state: null, key }));
        break;
      }
      case 'change':
        replace(step.how, step.at, ({ part }) => ({ part: part && { ...part, ...step.some } }));
        break;
      case 'hide':
        replace(step.how, step.at, ({ isHidden }) => ({ isHidden: !isHidden }));
        break;
      case 'move':
        update(step.how, (all) => {
          const rest = all.filter((_, index) => index !== step.at);
          return [...rest.slice(0, step.to), ...all.slice(step.at, step.at + 1), ...rest.slice(step.to)];
        });
        break;
      case 'page':
        void bringPage(step);
        break;
      case 'leave boundary':
        replace(step.how, step.at, () => ({ state: null }));
        break;
      case 'refresh':
        shownAt(step.at)?.refresh();
        break;
      case 'next':
        shownAt(step.at)?.fetchNextPage();
        break;
      case 'reset':
        reset();
        break;
      case 'reset layer':
        hasReset = true;
        dl.reset();
        for (const { key } of places) lastOwn.set(key, 'nothing of before');
        break;
      case 'write':
        if (step.by === 'own') void mutate(step.write, step.answer);
        else if (step.by === 'lost') sim.hub.lose(1, truth.write(step.write).audience);
        else {
          const { audience, directives } = truth.write(step.write);
          sim.hub.emit(directives, { audience });
        }
        break;
      case 'give up':
        desk.runs?.reset();
        break;
      case 'outage':
        interrupt(step.how, step.ms);
        break;
      case 'frame':
        sim.link[step.how]();
        break;
      case 'restart':
        if (sim.now() < quietUntil) break;
        quietUntil = sim.now() + shortestUptimeMs;
        sim.hub.stop();
        sim.hub.start({ numbers: step.numbers, log: step.numbers === 'kept' ? 'kept' : 'lost' });
        break;
      case 'wait':
        break;
    }
  }

  function reset(): void {
    desk.resetErrors();
    for (const again of [...desk.caught.values()]) again();
  }

  /** When renders are time-sliced, each turn may do only a part of one. */
  const turns = climate.tickMs === 0 ? 4 : 30;

  /** Runs until React has no more work at the current time. */
  async function drain(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      const before = renders;
      for (let turn = 0; turn < turns; turn++) await sim.advance(0);
      if (before === renders) return;
    }
    monitor.report('renders without end');
  }

  const refOf = (part: Part): ItemReference | CollectionReference =>
    part.kind.includes('item')
      ? dl.getItemRef('doc', part.id)
      : dl.getCollectionRef('docs', { params: part.params });
  const isFetched = ({ meta }: ItemReference | CollectionReference, level: string): boolean =>
    'levelStamps' in meta ? typeof meta.levelStamps[level] === 'string' : meta.lastFetched !== null;
  /** Whether the document is null at this level. The data of other levels does not have the fields of this level. */
  const isErased = (id: Id, level: Level): boolean =>
    entryView(dl.getItemRef('doc', id)).at(level)?.payload === null;
  /** The data of an item as a hook shows it at this level, also when the data of the item is null because another level is. */
  const heldOf = (id: Id, level: Level): unknown => {
    const ref = dl.getItemRef('doc', id);
    if (!isFetched(ref, level) || isErased(id, level)) return null;
    return ref.data ?? entryView(ref).at(level)?.payload;
  };

  /** Checks that the screen shows the cached data. */
  function look(): void {
    monitor.check();
    for (const id of docIds)
      for (const field of fields) known.set(`${id}/${field}`, monitor.leastOf(String(id), field));
    if (renders > 40 * events + 400) monitor.report(`${renders} renders for ${events} events`);
    for (const { part, data, meta } of desk.shown.values()) {
      if (part.kind === 'pages') continue;
      if (part.kind === 'items') {
        const rows = part.isEnabled
          ? rowsOf(part).map((id) => (id === null ? null : heldOf(id, part.level)))
          : rowsOf(part).map(() => null);
        if (!deepEqual(data, rows))
          monitor.report(
            `${JSON.stringify(part)} shows ${JSON.stringify(data)} where ${JSON.stringify(rows)} is held`,
          );
        continue;
      }
      const isWaiting = part.kind.startsWith('waiting');
      if (!part.isEnabled && !isWaiting) {
        const nothing = part.kind === 'item' ? null : { ids: [], count: 0 };
        if (!deepEqual(data, part.isSelecting ? selected(nothing) : nothing))
          monitor.report(`${JSON.stringify(part)} is off and shows ${JSON.stringify(data)}`);
        continue;
      }
      const ref = refOf(part);
      if (!isFetched(ref, part.level)) {
        if (
          meta !== null &&
          !meta.isPrevious &&
          !deepEqual(
            data,
            part.isSelecting
              ? selected(part.kind === 'item' ? null : { ids: [] })
              : part.kind === 'item'
                ? null
                : { ids: [], count: 0 },
          )
        )
          monitor.report(`${JSON.stringify(part)} shows ${JSON.stringify(data)} of what was never fetched`);
      } else {
        const held = part.kind.endsWith('item') ? heldOf(part.id, part.level) : ref.data;
        if (!deepEqual(data, part.isSelecting ? selected(held) : held))
          monitor.report(
            `${JSON.stringify(part)} shows ${JSON.stringify(data)} where ${JSON.stringify(held)} is held`,
          );
      }
      if (meta === null) continue;
      if (meta.error !== ref.meta.error)
        monitor.report(`${JSON.stringify(part)} shows the error ${meta.error} of ${ref.meta.error}`);
      if (isFetched(ref, part.level) && meta.isLoading !== ref.meta.isLoading)
        monitor.report(`${JSON.stringify(part)} shows loading ${meta.isLoading}`);
    }
  }

  async function pass(ms: number): Promise<void> {
    const until = sim.now() + ms;
    const piece = Math.max(40, ms / 10);
    do {
      await sim.advance(Math.min(piece, until - sim.now()));
      await drain();
      look();
    } while (sim.now() < until);
  }

  const hasFailed = (part: Part): boolean => {
    const { meta } = refOf(part);
    return 'failedLevels' in meta ? Object.values(meta.failedLevels).includes(true) : meta.error !== null;
  };
  const isTrueItem = (data: unknown, id: Id, level: Level): boolean => {
    const expected = truth.doc(id, level);
    if (expected === null || !isObject(data)) return data === expected;
    return Object.entries(expected).every(([field, value]) => data[field] === value);
  };

  function isTruePages({ part, data, hasNextPage }: Shown): boolean {
    const pages: { ids: number[]; count: number }[] = [];
    for (;;) {
      const params = nextParams(part, pages);
      if (pages.length > 0) {
        const ids = [...new Set(pages.flatMap((page) => page.ids))];
        const all = { ids, count: Math.max(ids.length, pages[0]?.count ?? 0) };
        if (deepEqual(data, all) && hasNextPage === (params !== null)) return true;
      }
      if (params === null) return false;
      pages.push(truth.list(params));
    }
  }

  function isTrue(one: Shown): boolean {
    const { part, data, meta } = one;
    const { kind, id, level, isEnabled, isSelecting } = part;
    if (!isEnabled && !kind.startsWith('waiting')) return true; // `look` checks disabled parts.
    if (meta?.isLoading === true) return false;
    if (kind === 'pages') return isTruePages(one);
    if (kind.endsWith('item')) return isTrueItem(data === 'nothing' ? null : data, id, level);
    if (kind === 'items') {
      const ids = rowsOf(part);
      return (data as unknown[]).every((row, at) => {
        const its = ids[at];
        return its === null || its === undefined ? row === null : isTrueItem(row, its, level);
      });
    }
    const list = truth.list(part.params);
    return deepEqual(data, isSelecting ? selected(list) : list);
  }

  function wrong({ haveFailed }: { haveFailed: boolean }): string[] {
    const found: string[] = [];
    for (const one of desk.shown.values()) {
      const { part, meta } = one;
      const isSeveral = part.kind === 'items' || part.kind === 'pages';
      if (haveFailed && (isSeveral ? anyFailed() : hasFailed(part))) continue;
      if (!isTrue(one) || (!haveFailed && meta?.error != null && !isOthers(part)))
        found.push(
          `${JSON.stringify(one)} is not the truth: ${JSON.stringify(part.kind.includes('item') ? truth.doc(part.id, part.level) : truth.list(part.params))}`,
        );
    }
    if (!haveFailed) {
      const mounted = places.filter(({ part }) => part !== null).length;
      if (desk.shown.size !== mounted) found.push(`shows ${desk.shown.size} of ${mounted}`);
      if (desk.caught.size > 0) found.push('an error boundary shows an error');
      if (openRuns > 0 || desk.runs?.isRunning === true) found.push('a mutation runs for ever');
      if (dl.hasAnyInFlightRequests()) found.push('stays loading');
    }
    return found;
  }
  const anyFailed = (): boolean =>
    Object.values(dl.devtools().items['doc'] ?? {}).some(({ meta }) => meta.error !== null) ||
    Object.values(dl.devtools().refs['docs'] ?? {}).some(({ meta }) => meta.error !== null);
  /** Whether only another level than the one of this part has failed. */
  const isOthers = (part: Part): boolean => {
    const { meta } = refOf(part);
    return 'failedLevels' in meta && meta.failedLevels[part.level] !== true;
  };

  return {
    sim,
    violations: monitor.violations,
    needless,
    take,
    pass,
    wrong,
    async open(first) {
      isCalm = true;
      void openPage(first).then((made) => (root = made));
      while (root === null) await sim.advance(100);
      for (let round = 0; round < 20 && desk.shown.size < first.parts.length; round++) await pass(100);
      if (desk.shown.size < first.parts.length) monitor.report('the page is not hydrated');
      // The client cannot detect lost messages before it knows a sequence number.
      while (Object.keys(dl.state().sse.lastSeq).length < audiences.length) await pass(100);
      isCalm = false;
      isOpening = false;
      divideRenders(climate.tickMs);
    },
    async heal() {
      isCalm = true;
      divideRenders(0);
      sim.link.rates({});
      update('urgent', (all) => all.map((place) => ({ ...place, isHidden: false })));
      await pass(30_000);
    },
    async retry() {
      for (let round = 0; round < 3; round++) {
        reset();
        await drain();
        for (const { part, refresh, fetchNextPage } of [...desk.shown.values()]) {
          if (part.kind === 'items') {
            for (const id of [part.id, 0, 1])
              if (dl.getItemRef('doc', id).meta.failedLevels[part.level] === true)
                dl.fetchItem('doc', id, part.level, { force: true });
          } else if (part.kind === 'pages' ? anyFailed() : hasFailed(part)) {
            refresh();
            if (part.kind === 'pages') fetchNextPage();
          }
        }
        await pass(6000);
      }
    },
    async leave() {
      const found: string[] = [];
      root?.unmount();
      await drain();
      if (watchers.size > 0) found.push(`${watchers.size} watchers are left`);
      if (desk.shown.size > 0) found.push('something is still shown');
      await pass(3000);
      dl.dispose();
      await drain();
      if (sim.pendingTimers() > 0) found.push(`${sim.pendingTimers()} timers are left`);
      return found;
    },
  };
}

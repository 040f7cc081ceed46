// What a directive does to the cache: normalise, filter, find what is affected, mark it stale, take over what came inline,
// ask for the rest (document §4.5, §4.6).

import { targetOf } from './announce.ts';
import type { Bulk } from './bulk.ts';
import { plan } from './bulk.ts';
import type { Cache } from './cache.ts';
import { passes } from './cache.ts';
import type { Entry, Slot } from './entries.ts';
import { findSlot, isBusy, isWatched } from './entries.ts';
import type { Env } from './env.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { LostAnswers } from './lostAnswers.ts';
import type { Registry } from './registry.ts';
import { accept, validate } from './rules/answers.ts';
import type { NormalDirective } from './rules/normalize.ts';
import { countDirectives, maxDirectives, normalize } from './rules/normalize.ts';
import type { Settings } from './rules/options.ts';
import { paramsContain, paramsKey } from './rules/params.ts';
import type { SeenKeys } from './seenKeys.ts';
import type { DirectivePath, Target } from './types.ts';

/** How a list of directives came, and what holds for those that do not say otherwise (D-DIR-9). */
export interface Delivery {
  readonly path: DirectivePath;
  readonly audience: string | null;
  readonly source: string | null;
  readonly seq: number | null;
  /** On the pull path, where the mutation was sent in the order of requests (D-FETCH-3). */
  readonly sentAt?: number;
}

/** Answers whether every refetch that a list caused has settled. */
export type IsSettled = () => boolean;

export interface Directives {
  apply: (list: unknown, delivery: Delivery) => IsSettled;
  /** Applies own echoes that were passed over, now that the answer is known to be lost (D-SRC-4). */
  applyLost: (echoes: readonly NormalDirective[]) => void;
}

/** A directive's metadata, with that of its wrapper and its envelope filled in. */
interface Facts {
  readonly audience: string | null;
  readonly source: string | null;
  readonly seq: number | null;
}

/** One list under way. */
interface Run {
  readonly path: DirectivePath;
  readonly sentAt: number | undefined;
  /** Own echoes are let through: they are known to be needed. */
  readonly isEcho: boolean;
  readonly touched: Slot[];
  /** The page is being reloaded: what follows is not applied (D-DIR-12). */
  isOver: boolean;
}

type Leaf = Exclude<NormalDirective, { kind: 'wrapper' } | { kind: 'reload' }>;
type Effect = { affected: Slot[]; wanted: Slot[]; satisfied: Slot[] };

const nothing: Effect = { affected: [], wanted: [], satisfied: [] };
const none: readonly Target[] = [];

export function createDirectives(
  env: Env,
  lifecycle: Lifecycle,
  cache: Cache,
  registry: Registry,
  bulk: Bulk,
  seenKeys: SeenKeys,
  lostAnswers: LostAnswers,
  clientId: string,
  settings: () => Settings,
): Directives {
  /** The highest number seen on any directive, by audience (D-DIR-9). */
  const highest = new Map<string, number>();

  const skip = (
    directive: NormalDirective,
    reason: 'duplicate' | 'own-source' | 'audience' | 'outdated',
  ): void => lifecycle.emit('directive:skipped', { directive: directive.raw, reason });

  function reject(directive: unknown, issues: readonly { path: string; message: string }[]): void {
    lifecycle.emit('directive:rejected', { directive, issues });
    const words = issues
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; ');
    env.log('warn', `a directive was rejected: ${words}`, directive);
  }

  function isSubscribed(audience: string): boolean {
    const own = settings().sse.audience;
    return typeof own === 'string' ? own === audience : own.includes(audience);
  }

  /** Why it is not for this client (D-SSE-10, D-SRC-1), or null. */
  function filtered(directive: NormalDirective, facts: Facts, run: Run): 'audience' | 'own-source' | null {
    if (run.path === 'pull') return null; // D-SRC-2, D-SRC-3
    if (facts.audience !== null && !isSubscribed(facts.audience)) return 'audience';
    if (directive.kind === 'reload' || facts.source !== clientId || run.isEcho) return null;
    if (directive.kind === 'wrapper') return lostAnswers.isOpen() ? null : 'own-source';
    return lostAnswers.admits({ ...directive, ...facts }, cache.tick()) ? null : 'own-source';
  }

  const isOutdated = ({ audience, seq }: Facts): boolean =>
    seq !== null && seq < (highest.get(audience ?? 'global') ?? seq);

  function noteSeq({ audience, seq }: Facts): void {
    if (seq === null) return;
    const of = audience ?? 'global';
    if (seq > (highest.get(of) ?? Number.NEGATIVE_INFINITY)) highest.set(of, seq);
  }

  /** D-REG-3: `watched` and the legacy `invalidate` refetch only what is on screen. */
  function wantedOf(slots: readonly Slot[], isLegacy: boolean): Slot[] {
    const isWatchedOnly = isLegacy || settings().bulk.refetch === 'watched';
    return slots.filter(({ entry }) => !isWatchedOnly || isWatched(entry));
  }

  /** A result that may be held for the slot's level; `undefined` after saying what is wrong with it (D-DIR-8). */
  function inline(
    directive: Leaf & { result: { value: unknown } | null },
    entry: Pick<Entry, 'def'>,
    level: string,
  ): unknown {
    try {
      const { def } = entry;
      const valid = validate(def, def.sources.get(level)?.schema ?? null, directive.result?.value);
      if (valid instanceof Promise) {
        void valid.catch(() => undefined);
        throw new TypeError('an inline result needs a schema that answers at once');
      }
      return accept(def, valid);
    } catch (error) {
      reject(directive.raw, [
        { path: 'result', message: error instanceof Error ? error.message : String(error) },
      ]);
      return undefined;
    }
  }

  /** Whether the entry holds an answer that was requested after this result (D-FETCH-3). */
  const isOlder = (slots: readonly Slot[], run: Run): boolean =>
    run.sentAt !== undefined && slots.some((slot) => slot.answered > (run.sentAt ?? 0));

  function store(entry: Entry, levels: readonly string[], payload: unknown, run: Run): Slot[] {
    const ordinal = run.sentAt ?? cache.tick();
    const stamp = env.now();
    for (const level of levels) cache.store(cache.hold(entry, level), payload, ordinal, stamp);
    const covered = entry.slots.filter((slot) => slot.answered === ordinal && slot.stamp === stamp);
    for (const slot of covered) cache.voidFlight(slot);
    return covered;
  }

  /** What an inline result leaves to be fetched: what it does not cover, and what a later mark keeps stale. */
  function afterStore(slots: readonly Slot[], covered: readonly Slot[]): Effect {
    const rest = slots.filter((slot) => !covered.includes(slot));
    const stillStale = covered.filter((slot) => slot.marked > slot.answered);
    return { affected: rest, wanted: wantedOf([...rest, ...stillStale], false), satisfied: [...covered] };
  }

  function onCollection(
    directive: Extract<NormalDirective, { kind: 'collection' }>,
    facts: Facts,
    run: Run,
  ): Effect {
    const def = registry.collections.get(directive.name);
    if (def === undefined) return nothing;
    const key = paramsKey(directive.params);
    const { params, mode } = directive;
    const exact = def.entries.get(key);
    const entries =
      params === null
        ? [...def.entries.values()]
        : mode === 'contains'
          ? [...def.entries.values()].filter((entry) => paramsContain(entry.params, params))
          : exact === undefined
            ? []
            : [exact];
    const slots = entries.flatMap((entry) => entry.slots);
    const data = directive.result === null ? undefined : inline(directive, { def }, 'default');
    if (data !== undefined) {
      if (isOutdated(facts) || isOlder(exact?.slots ?? [], run)) skip(directive, 'outdated');
      else return afterStore(slots, store(cache.collection(def, params), ['default'], data, run));
    }
    return { affected: slots, wanted: wantedOf(slots, directive.legacy), satisfied: [] };
  }

  /** D-DIR-8: which levels' payload an inline result is. */
  function levelsOf(result: unknown, level: string | null, entry: Entry | undefined): string[] {
    if (level !== null) return [level];
    const slots = entry?.slots ?? [];
    const checkOf = (slot: Slot): ((data: unknown) => boolean) | null =>
      slot.entry.def.sources.get(slot.level)?.check ?? null;
    const [only] = slots;
    if (only !== undefined && slots.length === 1 && checkOf(only) === null) return [only.level];
    const accepting = slots.filter((slot) => {
      const check = checkOf(slot);
      return check !== null && passes(check, result);
    });
    return [...new Set(['default', ...accepting.map((slot) => slot.level)])];
  }

  function onItem(directive: Extract<NormalDirective, { kind: 'item' }>, facts: Facts, run: Run): Effect {
    const def = registry.types.get(directive.name);
    const { id, level } = directive;
    if (def === undefined || (level !== null && !def.sources.has(level))) return nothing;
    if (id === null) {
      const slots = [...def.entries.values()].flatMap((entry) => affectedSlots(entry, level, false));
      return { affected: slots, wanted: wantedOf(slots, true), satisfied: [] };
    }
    const entry = def.entries.get(String(id));
    if (directive.result !== null) {
      const levels = levelsOf(directive.result.value, level, entry);
      const data = inline(directive, { def }, levels[0] ?? 'default');
      if (data !== undefined) {
        const older = levels.some((each) =>
          isOlder(entry?.slots.filter((slot) => slot.level === each) ?? [], run),
        );
        if (isOutdated(facts) || older) skip(directive, 'outdated');
        else {
          const held = cache.item(def, id);
          return afterStore(held.slots, store(held, levels, data, run));
        }
      }
    }
    if (entry === undefined) return nothing;
    const slots = affectedSlots(
      entry,
      level,
      wantedOf(entry.slots, directive.legacy).length > 0 && !directive.legacy,
    );
    return { affected: slots, wanted: wantedOf(slots, directive.legacy), satisfied: [] };
  }

  /** The held levels, or the named one and what converts from it; it is fetched even when only others are held (§4.5 refresh_item). */
  function affectedSlots(entry: Entry, level: string | null, mayHold: boolean): Slot[] {
    if (level === null || entry.slots.length === 0) return [...entry.slots];
    const reached = entry.def.graph.reach.get(level);
    const held = entry.slots.filter((slot) => slot.level === level || reached?.has(slot.level) === true);
    return mayHold && findSlot(entry, level) === undefined ? [cache.hold(entry, level), ...held] : held;
  }

  /** D-DIR-1: a registered collection first, then a type. */
  function named(directive: Extract<NormalDirective, { kind: 'named' }>): NormalDirective | null {
    const { kind: _, level, params, ...rest } = directive;
    if (registry.collections.has(directive.name))
      return { ...rest, kind: 'collection', params, mode: 'exact', result: null };
    if (!registry.types.has(directive.name))
      return { ...rest, kind: 'collection', params, mode: 'exact', result: null };
    if (directive.legacy) return { ...rest, kind: 'item', id: null, level, result: null };
    reject(directive.raw, [
      { path: 'id', message: `"${directive.name}" is a type: a refresh of it needs an id` },
    ]);
    return null;
  }

  function onLeaf(given: Leaf, facts: Facts, run: Run): void {
    const directive = given.kind === 'named' ? named(given) : given;
    if (directive === null || (directive.kind !== 'item' && directive.kind !== 'collection')) return;
    const { affected, wanted, satisfied } =
      directive.kind === 'item' ? onItem(directive, facts, run) : onCollection(directive, facts, run);
    const ordinal = cache.tick();
    for (const slot of affected) cache.markStale(slot, ordinal);
    if (wanted.length > 0) {
      bulk.want(wanted);
      run.touched.push(...wanted);
    }
    lifecycle.note('directive:processed', processed, directive.raw, wanted, satisfied);
  }

  /** An inherited key counts here too: it is all that tells a redelivery after the reload (D-DIR-10, D-DIR-11). */
  function onReload(
    directive: NormalDirective & { kind: 'reload' },
    run: Run,
    wrapperKey: string | null,
  ): void {
    const key = directive.key ?? wrapperKey;
    if (key !== null) {
      if (seenKeys.hasReload(key)) return skip(directive, 'duplicate');
      seenKeys.addReload(key);
    }
    lifecycle.emit('directive:processed', {
      directive: directive.raw,
      kind: 'page_reload',
      triggered: none,
      satisfied: none,
    });
    if (env.reloadPage === null)
      return env.log('warn', 'force_reload_page outside a browser: nothing is reloaded', directive.raw);
    run.isOver = true;
    env.reloadPage(directive.hard);
  }

  function applyOne(directive: NormalDirective, above: Facts, run: Run, wrapperKey: string | null): void {
    if (run.isOver) return;
    const facts: Facts = {
      audience: directive.audience ?? above.audience,
      source: directive.source ?? above.source,
      seq: directive.seq ?? above.seq,
    };
    judge(directive, facts, run, wrapperKey);
    noteSeq(facts); // D-DIR-9: its number was seen, whether it was applied or not.
  }

  function judge(directive: NormalDirective, facts: Facts, run: Run, wrapperKey: string | null): void {
    const why = filtered(directive, facts, run);
    // A target may have an audience or a source of its own, so a wrapper's targets are looked at all the same.
    if (why !== null && directive.kind !== 'wrapper') return skip(directive, why);
    if (directive.kind === 'reload') return onReload(directive, run, wrapperKey);
    if (why === null && directive.key !== null && directive.key !== wrapperKey) {
      if (seenKeys.has(directive.key)) {
        run.touched.push(...heldOf(directive));
        return skip(directive, 'duplicate');
      }
      seenKeys.add(directive.key);
    }
    if (directive.kind !== 'wrapper') return onLeaf(directive, facts, run);
    for (const target of directive.targets) applyOne(target, facts, run, directive.key ?? wrapperKey);
    if (run.isOver) return;
    if (why !== null) return skip(directive, why);
    lifecycle.note('directive:processed', processed, directive.raw, [], []);
  }

  /** What a directive that was applied before is about, so that whoever waits for this copy waits for that. */
  function heldOf(directive: NormalDirective): Slot[] {
    if (directive.kind === 'wrapper') return directive.targets.flatMap(heldOf);
    const def =
      directive.kind === 'item'
        ? registry.types.get(directive.name)
        : directive.kind === 'collection'
          ? registry.collections.get(directive.name)
          : undefined;
    if (def === undefined) return [];
    if (directive.kind === 'item') return def.entries.get(String(directive.id))?.slots.filter(isBusy) ?? [];
    return [...def.entries.values()].flatMap((entry) => entry.slots).filter(isBusy);
  }

  function settledOf(touched: readonly Slot[]): IsSettled {
    if (touched.length === 0) return () => true;
    const since = cache.tick();
    let left = [...new Set(touched)];
    return () => {
      left = left.filter(
        (slot) =>
          isBusyFor(slot) && slot.answered < since && (slot.failure === null || slot.failure.ordinal < since),
      );
      return left.length === 0;
    };
  }

  return {
    apply(list, { path, audience, source, seq, sentAt }) {
      if (!Array.isArray(list)) {
        reject(list, [{ path: '', message: 'a list of directives must be an array' }]);
        return () => true;
      }
      const directives: readonly unknown[] = list;
      if (countDirectives(directives) > maxDirectives) {
        reject(list, [
          { path: '', message: `a list holds at most ${maxDirectives} directives, nested ones counted` },
        ]);
        return () => true;
      }
      const run: Run = { path, sentAt, isEcho: false, touched: [], isOver: false };
      lifecycle.emit('directive:received', { directives, audience, source });
      cache.batch(() => {
        for (const input of directives) {
          const read = normalize(input);
          if ('issues' in read) reject(input, read.issues);
          if ('directive' in read) applyOne(read.directive, { audience, source, seq }, run, null);
        }
      });
      return settledOf(run.touched);
    },
    applyLost(echoes) {
      if (echoes.length === 0) return;
      const run: Run = { path: 'push', sentAt: undefined, isEcho: true, touched: [], isOver: false };
      cache.batch(() => {
        for (const echo of echoes) applyOne(echo, echo, run, null);
      });
    },
  };
}

/** Busy itself, or counted on by a request that converts to it. */
function isBusyFor(slot: Slot): boolean {
  return (
    isBusy(slot) ||
    slot.entry.slots.some(
      (other) => other.flight?.needs?.includes(slot) === true || other.next?.needs?.includes(slot) === true,
    )
  );
}

const processed = (
  directive: unknown,
  wanted: readonly Slot[],
  satisfied: readonly Slot[],
): { directive: unknown; triggered: Target[]; satisfied: Target[] } => ({
  directive,
  triggered: plan(wanted).map(({ slot }) => targetOf(slot)),
  satisfied: satisfied.map(targetOf),
});

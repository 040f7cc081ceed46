// What a directive does to the cache: normalise, filter, find what is affected, mark it stale, take over what came inline,
// ask for the rest (document §4.5, §4.6).

import { targetOf } from '../events/fetchEvents.ts';
import type { Bulk } from '../fetching/batching.ts';
import type { Cache } from '../cache/store.ts';
import { createEffects, noEffect, type Effect } from './affected.ts';
import type { Entry, Slot } from '../cache/entry.ts';
import { isBusy, isPromised } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import type { Heard } from './heard.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { OwnEchoes } from './ownEchoes.ts';
import { createInlineResults, type Report } from './inlineResults.ts';
import type { Inherited, Metadata } from './metadata.ts';
import type { Newest } from './newest.ts';
import { withHidden } from '../platform/hidden.ts';
import { plan } from '../levels/plan.ts';
import type { Registry } from '../config/registry.ts';
import { audiencesOf } from '../stream/readEnvelope.ts';
import type { Leaf, NormalDirective } from './normalize.ts';
import { countDirectives, maxDirectives, normalize } from './normalize.ts';
import type { Settings } from '../config/options.ts';
import type { Place } from '../stream/sequence.ts';
import type { SeenKeys } from './idempotency.ts';
import type { DirectivePath, Target } from '../types/delivery.ts';

/** How a list of directives came, and what holds for those that do not say otherwise (D-DIR-9). */
export interface Delivery extends Inherited {
  readonly path: DirectivePath;
}

/** Returns an entry whose refetch the list still waits for, or null once every refetch that it caused has settled. */
export type Awaited = () => Entry | null;

export interface Directives {
  apply: (list: unknown, delivery: Delivery) => Awaited;
  /** Applies own echoes that were passed over, now that the answer is known to be lost (D-SRC-4). */
  applyLost: (echoes: readonly NormalDirective[]) => void;
  /** Warns of own echoes that no answer of a mutation has brought: they are not applied. */
  checkEchoes: (echoes: readonly NormalDirective[]) => void;
  /** Nothing is applied any more, by whichever way it comes, nor the rest of a list that is under way. */
  dispose: () => void;
}

/** One list under way. */
interface Run {
  readonly path: DirectivePath;
  touched: Slot[];
  /** The page is being reloaded: what follows is not applied (D-DIR-12). */
  isOver: boolean;
}

/** A directive, once it is known what it names. */
type Known = Exclude<NormalDirective, { kind: 'named' }>;

const none: readonly Target[] = [];
const noKeys: readonly string[] = [];
const nothingAwaited: Awaited = () => null;
/** For a directive that was kept with its own metadata. */
const nothing: Inherited = { audience: null, source: null, seq: null };

export function createDirectives(
  env: Env,
  lifecycle: Lifecycle,
  cache: Cache,
  registry: Registry,
  bulk: Bulk,
  seenKeys: SeenKeys,
  ownEchoes: OwnEchoes,
  newest: Newest,
  heard: Heard,
  clientId: () => string,
  settings: () => Settings,
  noteRequestAt: (at: number) => void,
): Directives {
  const skip: Report['skip'] = (directive, reason) =>
    lifecycle.emit('directive:skipped', { directive: directive.own.raw, reason });

  const reject: Report['reject'] = (directive, issues) => {
    lifecycle.emit('directive:rejected', { directive, issues });
    const words = issues
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; ');
    env.log('warn', `a directive was rejected: ${words}`, directive);
  };

  let isDisposed = false;

  const results = createInlineResults(env, cache, newest, heard, noteRequestAt, { skip, reject });
  const effects = createEffects(cache, registry, settings, results, reject);

  /** Why it is not for this client (D-SSE-10, D-SRC-1), or null. */
  function whyNot({ kind }: Known, metadata: Metadata, { path }: Run): 'audience' | 'own-source' | null {
    if (path === 'pull') return null; // D-SRC-2, D-SRC-3
    const { audience, source } = metadata;
    if (audience !== null && !audiencesOf(settings().sse.audience).includes(audience)) return 'audience';
    const isEcho = kind !== 'reload' && source === clientId();
    return isEcho && !ownEchoes.areApplied() ? 'own-source' : null;
  }

  function onLeaf(directive: Leaf, metadata: Metadata, run: Run): void {
    const effect = effects.of(directive, metadata);
    heard.note(directive, metadata);
    carryOut(effect, run);
    if (run.path === 'pull' && metadata.seq === null) results.doubt(effect.affected);
    lifecycle.emitLazily('directive:processed', processed, directive.own.raw, effect);
  }

  function carryOut({ affected, wanted }: Effect, run: Run): void {
    const ordinal = cache.nextOrdinal();
    for (const slot of affected) cache.markStale(slot, ordinal);
    if (wanted.length === 0) return;
    bulk.want(wanted);
    touch(run, wanted);
  }

  function touch(run: Run, slots: readonly Slot[]): void {
    if (run.touched.length === 0) run.touched = slots.slice(); // Of its exact size: most lists touch one slot.
    else for (const slot of slots) run.touched.push(slot); // A spread takes no more than the stack holds.
  }

  /**
   * An own echo. It is kept with the audience, source and number that it had from its wrapper or envelope: it may be applied alone.
   * Where the answer of the mutation has come, it is the same once more; before that answer it shows nothing.
   */
  function passOver(echo: Leaf, metadata: Metadata, run: Run): void {
    const { audience, source, seq, key } = metadata;
    heard.noteNumber(echo, metadata);
    ownEchoes.keep({ ...echo, own: { ...echo.own, audience, source, seq } }, cache.nextOrdinal(), key);
    if (key === null || seenKeys.wasPulled(key)) carryOut(effects.overtaken(echo, metadata, true), run);
  }

  /** An inherited key counts here too: it is all that tells a redelivery after the reload (D-DIR-10, D-DIR-11). */
  function onReload(directive: NormalDirective & { kind: 'reload' }, { key }: Metadata, run: Run): void {
    if (key !== null) {
      if (seenKeys.hasReload(key)) return skip(directive, 'duplicate');
      seenKeys.addReload(key);
    }
    lifecycle.emit('directive:processed', {
      directive: directive.own.raw,
      kind: 'page_reload',
      triggered: none,
      satisfied: none,
    });
    if (env.reloadPage === null)
      return env.log('warn', 'force_reload_page outside a browser: nothing is reloaded', directive.own.raw);
    run.isOver = true;
    try {
      env.reloadPage(directive.hard);
    } catch (error) {
      env.log('error', 'reloading threw', error);
    }
  }

  /**
   * An answer may come without numbers (an outbox); its echo had one, and what came after that is newer (D-DIR-9). Where the answer does
   * not say of which audience it is, one in which it is old counts.
   */
  function echoOf(key: string, audience: string | null): Place | undefined {
    const places = ownEchoes.placesOf(key, audience);
    return places.find((place) => newest.isPassed(place.audience, place.seq)) ?? places[0];
  }

  function applyOne(given: NormalDirective, inherited: Inherited, run: Run): void {
    if (run.isOver || isDisposed) return;
    // Before anything of it counts: it may turn out to be malformed.
    const directive = given.kind === 'named' ? effects.named(given) : given;
    if (directive === null) return;
    const { own } = directive;
    const { requested, key: wrapperKey = null, wrapperKeys = noKeys } = inherited;
    const audience = own.audience ?? inherited.audience;
    const seq = own.seq ?? inherited.seq;
    const echo = seq === null && run.path === 'pull' && own.key !== null ? echoOf(own.key, audience) : null;
    const key = own.key ?? wrapperKey;
    const metadata: Metadata = {
      audience: echo?.audience ?? audience,
      source: own.source ?? inherited.source,
      seq: echo?.seq ?? seq,
      requested,
      key,
      isPulled: run.path === 'pull' && (requested !== undefined || key !== null),
    };
    judge(directive, metadata, wrapperKeys, run);
    newest.note(metadata.audience, metadata.seq); // D-DIR-9: its number was seen, whether it was applied or not.
  }

  function judge(directive: Known, metadata: Metadata, wrapperKeys: readonly string[], run: Run): void {
    const why = whyNot(directive, metadata, run);
    const { key } = metadata;
    // A target may have an audience or a source of its own, so a wrapper's targets are looked at all the same.
    if (why !== null && directive.kind !== 'wrapper') {
      if (why === 'own-source' && directive.kind !== 'reload') passOver(directive, metadata, run);
      return skip(directive, why);
    }
    if (directive.kind === 'reload') return onReload(directive, metadata, run);
    if (why === null && key !== null && !wrapperKeys.includes(key)) {
      if (seenKeys.has(key)) {
        if (directive.kind !== 'wrapper') heard.noteNumber(directive, metadata);
        if (run.path === 'pull') touch(run, effects.underWay(directive)); // It waits for what the stream has begun (D-REACT-8).
        carryOut(effects.overtaken(directive, metadata, run.path === 'push' && seenKeys.wasPulled(key)), run);
        return skip(directive, 'duplicate');
      }
      seenKeys.add(key, run.path);
    }
    if (directive.kind !== 'wrapper') return onLeaf(directive, metadata, run);
    const inherited = key === null ? metadata : { ...metadata, wrapperKeys: [...wrapperKeys, key] };
    for (const target of directive.targets) applyOne(target, inherited, run);
    if (run.isOver) return;
    if (why !== null) return skip(directive, why);
    lifecycle.emitLazily('directive:processed', processed, directive.own.raw, noEffect);
  }

  /** @param left empties as they settle */
  function awaitedOf(left: Slot[]): Awaited {
    const since = cache.nextOrdinal();
    const isAwaited = (slot: Slot): boolean =>
      (isBusy(slot) || isPromised(slot)) &&
      slot.answered < since &&
      (slot.failure === null || slot.failure.ordinal < since);
    return () => {
      for (let last = left.at(-1); last !== undefined; last = left.at(-1)) {
        if (isAwaited(last)) return last.entry;
        left.pop();
      }
      return null;
    };
  }

  return {
    apply(list, delivery) {
      if (isDisposed) return nothingAwaited;
      // A copy: the caller may change its list while this one is applied.
      const directives: readonly unknown[] | null = Array.isArray(list) ? [...list] : null;
      if (directives === null || countDirectives(directives) > maxDirectives) {
        const message =
          directives === null
            ? 'a list of directives must be an array'
            : `a list holds at most ${maxDirectives} directives, nested ones counted`;
        reject(list, [{ path: '', message }]);
        return nothingAwaited;
      }
      const { path } = delivery;
      const run: Run = { path, touched: [], isOver: false };
      cache.batch(() => {
        lifecycle.emitLazily('directive:received', received, directives, delivery);
        for (const input of directives) {
          const read = normalize(input);
          if (read.issues.length > 0) reject(input, read.issues);
          if (read.directive !== null) applyOne(read.directive, delivery, run);
        }
      });
      return awaitedOf(run.touched);
    },
    applyLost(echoes) {
      const run: Run = { path: 'push', touched: [], isOver: false };
      cache.batch(() => {
        for (const echo of echoes) applyOne(echo, nothing, run);
      });
    },
    checkEchoes(echoes) {
      const missing = echoes.find(({ own: { key } }) => key !== null && !seenKeys.wasPulled(key));
      if (missing !== undefined)
        env.log(
          'warn',
          'own directives came by the stream alone: answer a mutation with what emit resolves to, or emit without source',
          missing.own.raw,
        );
    },
    dispose() {
      isDisposed = true;
    },
  };
}

const received = (
  directives: readonly unknown[],
  { audience, source, seq }: Delivery,
): LifecycleEvents['directive:received'] =>
  withHidden({ directives: [...directives], audience, source }, seq ?? undefined); // `seqOf` reads it.

function processed(
  directive: unknown,
  { affected, wanted, satisfied }: Effect,
): { directive: unknown; triggered: Target[]; satisfied: Target[] } {
  const detail = {
    directive,
    triggered: plan(wanted).map(({ slot }) => targetOf(slot)),
    satisfied: satisfied.map(targetOf),
  };
  const isCovered = new Set([...wanted, ...satisfied]);
  return withHidden(detail, affected.filter((slot) => !isCovered.has(slot)).map(targetOf)); // `markedBy` reads it.
}

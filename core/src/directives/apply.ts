// Applies lists of directives: normalize, filter, find the slots that a directive names, mark them stale, cache the inline result, and
// request the rest (document §4.5, §4.6).

import { targetOf } from '../events/fetchEvents.ts';
import type { Bulk } from '../fetching/batching.ts';
import type { Cache } from '../cache/store.ts';
import { createEffects, noEffect, type Effect } from './affected.ts';
import type { Entry, Slot } from '../cache/entry.ts';
import { isBusy, isPromised } from '../cache/entry.ts';
import type { Env } from '../platform/env.ts';
import { withHidden } from '../platform/hidden.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { LifecycleEvents } from '../events/eventTypes.ts';
import type { OwnEchoes } from './ownEchoes.ts';
import { createInlineResults, type Report } from './inlineResults.ts';
import type { AudienceFacts, Inherited, Metadata } from './metadata.ts';
import { plan } from '../levels/plan.ts';
import type { Registry } from '../config/registry.ts';
import type { Recent } from './recent.ts';
import type { Leaf, NormalDirective } from './normalize.ts';
import { countDirectives, maxDirectives, normalize } from './normalize.ts';
import type { Settings } from '../config/options.ts';
import type { SeenKeys } from './idempotency.ts';
import type { DirectivePath, Target } from '../types/delivery.ts';

/** How a list of directives arrived, and the metadata of directives that have none. */
export interface Delivery extends Inherited {
  readonly path: DirectivePath;
}

/** Returns an entry whose refetch the list still waits for, or null once every refetch that it caused has settled. */
export type Awaited = () => Entry | null;

export interface Directives {
  apply: (list: unknown, delivery: Delivery) => Awaited;
  /** Applies own echoes that were kept, because the response is lost (D-SRC-4). */
  applyLost: (echoes: readonly NormalDirective[]) => void;
  /** Warns about own echoes that no response contained: they are not applied. */
  checkEchoes: (echoes: readonly NormalDirective[]) => void;
  /** From now on nothing is applied, not even the rest of the present list. */
  dispose: () => void;
}

interface Needs {
  env: Env;
  lifecycle: Lifecycle;
  cache: Cache;
  registry: Registry;
  bulk: Bulk;
  seenKeys: SeenKeys;
  ownEchoes: OwnEchoes;
  recent: Recent;
  audiences: AudienceFacts;
  clientId: () => string;
  settings: () => Settings;
  noteRequestAt: (at: number) => void;
}

/** One list while it is applied. */
interface Run {
  readonly path: DirectivePath;
  touched: Slot[];
  /** The page is being reloaded: the rest of the list is not applied (D-DIR-12). */
  isOver: boolean;
}

/** A directive whose kind is known. */
type Known = Exclude<NormalDirective, { kind: 'named' }>;

const none: readonly Target[] = [];
const noKeys: readonly string[] = [];
const nothingAwaited: Awaited = () => null;
/** For a directive that was kept with its metadata. */
const nothing: Inherited = { audience: null, source: null, seq: null };

export function createDirectives(needs: Needs): Directives {
  const { env, lifecycle, cache, bulk, seenKeys, ownEchoes, recent, audiences } = needs;
  let isDisposed = false;

  const skip: Report['skip'] = (directive, reason) =>
    lifecycle.emit('directive:skipped', { directive: directive.own.raw, reason });

  const reject: Report['reject'] = (directive, issues) => {
    lifecycle.emit('directive:rejected', { directive, issues });
    const texts = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    env.log('warn', `a directive was rejected: ${texts.join('; ')}`, directive);
  };

  const results = createInlineResults({ ...needs, report: { skip, reject } });
  const effects = createEffects({ ...needs, results, reject });

  /** Why the directive is not for this client (D-SSE-10, D-SRC-1), or null. */
  function whyNot(
    { kind }: Known,
    { audience, source }: Metadata,
    { path }: Run,
  ): 'audience' | 'own-source' | null {
    if (path === 'pull') return null; // D-SRC-2, D-SRC-3
    if (audience !== null && !audiences.isSubscribed(audience)) return 'audience';
    const isEcho = kind !== 'reload' && source === needs.clientId();
    return isEcho && !ownEchoes.areApplied() ? 'own-source' : null;
  }

  function onLeaf(directive: Leaf, metadata: Metadata, run: Run): void {
    const effect = effects.of(directive, metadata);
    const order = carryOut(effect, run);
    const isPulled = run.path === 'pull';
    recent.note(directive, metadata, {
      order,
      isPulled,
      isCachedPush: metadata.requested === undefined && effect.satisfied.length > 0,
    });
    lifecycle.emitLazily('directive:processed', processed, directive.own.raw, effect);
  }

  /** Returns the order of the stale marks. */
  function carryOut({ affected, wanted }: Effect, run: Run): number {
    const order = cache.nextOrdinal();
    for (const slot of affected) cache.markStale(slot, order);
    if (wanted.length > 0) {
      bulk.want(wanted, run.path === 'pull');
      touch(run, wanted);
    }
    return order;
  }

  function touch(run: Run, slots: readonly Slot[]): void {
    for (const slot of slots) run.touched.push(slot); // Not a spread: there may be more slots than the stack has room for.
  }

  /** A copy of a directive that is in the log already, or will be when the response of its mutation arrives (D-SRC-1). */
  function onCopy(copy: Leaf, metadata: Metadata, run: Run): void {
    recent.noteCopy(copy, metadata, cache.nextOrdinal());
    if (run.path === 'pull') touch(run, effects.busy(copy)); // The mutation waits for what its echo has started (D-REACT-8).
    else if (recent.isOvertaken(copy, metadata.key)) {
      const effect = effects.of({ ...copy, result: null }, metadata);
      carryOut(effect, run);
      lifecycle.emitLazily('directive:processed', processed, copy.own.raw, effect);
    }
  }

  /** Keeps an own echo with what it has inherited, because it may be applied alone. */
  function onEcho(echo: Leaf, { audience, source, seq, key }: Metadata): void {
    const whole = { ...echo, own: { ...echo.own, audience, source, seq, key } };
    if (!ownEchoes.keep(whole, cache.nextOrdinal())) checkEchoes([whole]);
  }

  function checkEchoes(echoes: readonly NormalDirective[]): void {
    const missing = echoes.find(({ own: { key } }) => key !== null && !recent.wasPulled(key));
    if (missing !== undefined)
      env.log(
        'warn',
        'own directives arrived by the stream alone. Return what emit resolves to in the response of the mutation, or emit without source',
        missing.own.raw,
      );
  }

  /** An inherited key counts: it is all that shows a redelivery after the reload (D-DIR-10, D-DIR-11). */
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

  function applyOne(given: NormalDirective, inherited: Inherited, run: Run): void {
    if (run.isOver || isDisposed) return;
    const known = resolve(given, inherited);
    if (known === null) return;
    const [directive, metadata] = known;
    judge(directive, metadata, run);
    audiences.see(metadata); // Whether the directive was applied or not (D-DIR-9).
  }

  /** The directive with its kind and its metadata. */
  function resolve(given: NormalDirective, inherited: Inherited): [Known, Metadata] | null {
    const directive = given.kind === 'named' ? effects.named(given) : given;
    if (directive === null) return null;
    const { own } = directive;
    return [
      directive,
      {
        audience: own.audience ?? inherited.audience,
        source: own.source ?? inherited.source,
        seq: own.seq ?? inherited.seq,
        key: own.key ?? inherited.key ?? null,
        requested: inherited.requested,
        wrapperKeys: inherited.wrapperKeys ?? noKeys,
      },
    ];
  }

  function judge(directive: Known, metadata: Metadata, run: Run): void {
    const why = whyNot(directive, metadata, run);
    const { key, wrapperKeys = noKeys } = metadata;
    // The targets of a wrapper may have an audience or a source of their own.
    if (why !== null && directive.kind !== 'wrapper') {
      if (why === 'own-source' && directive.kind !== 'reload') {
        onEcho(directive, metadata);
        onCopy(directive, metadata, run);
      }
      return skip(directive, why);
    }
    if (directive.kind === 'reload') return onReload(directive, metadata, run);
    if (why === null && key !== null && !wrapperKeys.includes(key)) {
      if (seenKeys.has(key)) {
        onDuplicate(directive, metadata, run);
        return skip(directive, 'duplicate');
      }
      seenKeys.add(key);
    }
    if (directive.kind !== 'wrapper') return onLeaf(directive, metadata, run);
    const inherited = key === null ? metadata : { ...metadata, wrapperKeys: [...wrapperKeys, key] };
    for (const target of directive.targets) applyOne(target, inherited, run);
    if (run.isOver) return;
    if (why !== null) return skip(directive, why);
    lifecycle.emitLazily('directive:processed', processed, directive.own.raw, noEffect);
  }

  function onDuplicate(directive: Known, metadata: Metadata, run: Run): void {
    if (directive.kind === 'reload') return;
    if (directive.kind !== 'wrapper') return onCopy(directive, metadata, run);
    for (const target of directive.targets) {
      const known = resolve(target, metadata);
      if (known !== null) onDuplicate(...known, run);
    }
  }

  /** @param left loses the slots that have settled */
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
      // A copy, because the caller may change its list in a listener.
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
      const keyOf = ({ own: { key } }: NormalDirective): string[] => (key === null ? [] : [key]);
      // Several echoes may have the key of one wrapper, so the keys are checked first and added last.
      const missed = echoes.filter((echo) => !keyOf(echo).some(seenKeys.has));
      cache.batch(() => {
        for (const echo of missed) applyOne(echo, { ...nothing, wrapperKeys: keyOf(echo) }, run);
      });
      missed.flatMap(keyOf).forEach(seenKeys.add);
    },
    checkEchoes,
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

// Applies lists of directives (document §4.5, §4.6). This folder is best read from here. The steps for each directive:
//
//   1. `normalize` validates it.
//   2. It is skipped if it is for another audience, an own echo (`ownEchoes`), or a duplicate (`idempotency`).
//   3. `inlineResults` caches its result as fresh, unless something newer may exist.
//   4. `affected` marks the other slots that it names as stale. They are requested when their window closes.
//   5. `recent` logs it. The results of later directives are judged by this log.

import { dev } from '../config/describe.ts';
import { targetOf } from '../events/fetchEvents.ts';
import { createEffects, type Effect } from './affected.ts';
import { isBusy, type Entry, type Slot } from '../cache/entry.ts';
import { call, ignore, logFailure } from '../platform/callbacks.ts';
import { withHidden } from '../platform/hidden.ts';
import type { OwnEchoes } from './ownEchoes.ts';
import { createInlineResults } from './inlineResults.ts';
import type { DirectiveSkipReason, Judging, Unapplied } from './inlineResults.ts';
import type { Metadata } from './metadata.ts';
import { plan } from '../levels/plan.ts';
import type { Arrival, LogEntry } from './recent.ts';
import type { Leaf, NormalDirective, Normalized } from './normalize.ts';
import { maxDirectives, normalizeList } from './normalize.ts';
import type { SeenKeys } from './idempotency.ts';
import type { DirectivePath } from '../types/delivery.ts';

/** How a list of directives arrived, and the default metadata of its directives. */
export interface Delivery extends Partial<Omit<Metadata, 'key'>> {
  readonly path: DirectivePath;
  /** The order of the mutation whose response contains the list, if it is known. */
  readonly mutation?: number | undefined;
}

/** Returns an entry whose refetch the list still waits for, or nothing once every refetch that it caused has settled. */
export type WaitsFor = () => Entry | void;

export interface Directives {
  /** Returns `ignore` for a list that it rejects as a whole. */
  apply: (list: unknown, delivery: Delivery) => WaitsFor;
  /**
   * Applies the own echoes that were kept, because the response is lost (D-SRC-4). Otherwise drops them, with a
   * possible warning in development.
   */
  settleEchoes: (echoes: readonly Leaf[], isLost: boolean) => void;
}

interface Needs extends Judging {
  seenKeys: SeenKeys;
  ownEchoes: OwnEchoes;
}

/** The state of one list while it is applied. */
interface Run extends Arrival {
  /** The slots whose refetches the list waits for. */
  readonly touched: Slot[];
  /** The page is being reloaded: the rest of the list is not applied (D-DIR-12). */
  isReloading: boolean;
}

/** A directive whose registered name has determined its subject. */
type Known = Exclude<NormalDirective, { kind: 'named' }>;

/** In development. */
function checkEchoes({ env, seenKeys }: Needs, echoes: readonly Leaf[]): void {
  // The key is known if a response contained a copy.
  const missing = echoes.find(({ key }) => key !== null && !seenKeys.has(key));
  if (missing !== undefined)
    env.log(
      'warn',
      'own directives arrived by the stream alone. Return what emit resolves to in the response of the mutation, or emit without source',
      missing.raw,
    );
}

export function createDirectives(needs: Needs): Directives {
  const { env, lifecycle, cache, registry, bulk, seenKeys, ownEchoes, recent, audiences, disposed } = needs;

  const skip: Unapplied['skip'] = ({ raw }, reason) =>
    lifecycle.emit('directive:skipped', { directive: raw, reason });

  const reject: Unapplied['reject'] = (directive, issues) => {
    lifecycle.emit('directive:rejected', { directive, issues });
    if (process.env.NODE_ENV === 'production') return;
    const texts = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    env.log('warn', `a directive was rejected: ${texts.join('; ')}`, directive);
  };

  const effects = createEffects(needs);
  const applyResult = createInlineResults({ ...needs, skip, reject });

  /**
   * Marks the slots that the result does not cover as stale, and requests them. Returns the order of the stale
   * marks.
   */
  function markAndRequest(directive: Leaf, covered: readonly Slot[], run: Run): number {
    const effect = effects.mark(directive, covered);
    bulk.want(effect.wanted, run.isPulled);
    for (const slot of effect.wanted) run.touched.push(slot); // Not a spread: there may be more slots than the stack has room for.
    lifecycle.emit('directive:processed', processed, directive, effect);
    return effect.order;
  }

  function applyLeaf(directive: Leaf, run: Run): void {
    const covered = applyResult(directive, effects.defOf(directive), run);
    recent.note(directive, markAndRequest(directive, covered, run), run, covered.length > 0);
  }

  /**
   * A copy of a directive that is already in the log, or will be when the response of its mutation arrives. Each
   * target of a wrapper is also a copy.
   */
  function noteCopy(directive: NormalDirective, run: Run): void {
    const copy = withKind(directive);
    if (copy === null || copy.kind === 'reload') return;
    if (copy.kind === 'wrapper') return copy.targets.forEach((target) => noteCopy(target, run));
    const known = recent.noteCopy(copy, cache.nextOrder());
    /** Whether a pushed result was cached since the copy, and may be older than what it announces (D-SRC-1, D-DIR-9). */
    const isDoubtful = (other: LogEntry): boolean =>
      other.isCachedPush &&
      other.order > known.order &&
      (known.isPulled || other.audience !== known.audience);
    if (run.isPulled) {
      // The mutation waits for the refetches that its echo started (D-REACT-8).
      for (const entry of effects.entriesOf(copy)) run.touched.push(...entry.slots);
    } else if (recent.some(copy.name, known.record, isDoubtful)) markAndRequest(copy, [], run);
  }

  /**
   * An inherited key counts too, because only this key identifies a redelivery after the reload (D-DIR-10,
   * D-DIR-11).
   */
  function reload(directive: NormalDirective & { kind: 'reload' }, run: Run): void {
    const { key, raw, hard } = directive;
    if (key !== null && seenKeys.isRepeatedReload(key)) return skip(directive, 'duplicate');
    lifecycle.emit('directive:processed', {
      directive: raw,
      kind: 'page_reload',
      triggered: [],
      satisfied: [],
    });
    if (env.reloadPage === null)
      return env.log('warn', dev`force_reload_page outside a browser: nothing is reloaded`, raw);
    run.isReloading = true;
    call(env.reloadPage, logFailure(env, 'reloadPage'), hard);
  }

  /** Finds a registered collection first, then a type (D-DIR-1). Returns null after rejecting the directive. */
  function withKind(directive: NormalDirective): Known | null {
    if (directive.kind !== 'named') return directive;
    const { name, legacy, raw } = directive;
    if (registry.collections.has(name) || !registry.types.has(name))
      return { ...directive, kind: 'collection', level: null };
    if (legacy) return { ...directive, kind: 'item', params: null };
    reject(raw, [{ path: 'id', message: dev`"${name}" is a type: a refresh of it needs an id` }]);
    return null;
  }

  /** The reason why a pushed directive is not meant for this client (D-SSE-10, D-SRC-1), or null. */
  function skipReasonOf({ kind, audience, source }: NormalDirective): DirectiveSkipReason | null {
    if (audience !== null && !audiences.isSubscribed(audience)) return 'audience';
    const isEcho = kind !== 'reload' && source === needs.clientId();
    return isEcho && !ownEchoes.areApplied() ? 'own-source' : null;
  }

  /** Whether some targets of a pushed wrapper are skipped. A response may contain them, so the wrapper does not use up its key. */
  const isPartial = (directive: NormalDirective): boolean =>
    directive.kind === 'wrapper' &&
    directive.targets.some((target) => skipReasonOf(target) !== null || isPartial(target));

  /**
   * @param wrapperKeys the keys of all wrappers around the directive. A target with such a key is not a duplicate
   *   of its wrapper (D-DIR-10).
   */
  function applyOne(given: NormalDirective, run: Run, wrapperKeys: readonly Known['key'][] = []): void {
    const directive = run.isReloading || disposed.aborted ? null : withKind(given);
    if (directive === null) return;
    const { key, kind, raw } = directive;
    audiences.see(directive); // Whether it is applied or not (D-DIR-9).
    const skipReason = run.isPulled ? null : skipReasonOf(directive); // D-SRC-2, D-SRC-3
    // The targets of a wrapper may have their own audience or source.
    if (skipReason !== null && kind !== 'wrapper') {
      if (skipReason === 'own-source') {
        const echo = directive as Leaf; // The source of a reload does not matter.
        const isKept = ownEchoes.keep(echo);
        if (process.env.NODE_ENV !== 'production' && !isKept) checkEchoes(needs, [echo]);
        noteCopy(echo, run);
      }
      return skip(directive, skipReason);
    }
    if (kind === 'reload') return reload(directive, run);
    if (skipReason === null && !wrapperKeys.includes(key)) {
      if (seenKeys.has(key)) {
        noteCopy(directive, run);
        return skip(directive, 'duplicate');
      }
      if (run.isPulled || !isPartial(directive)) seenKeys.add(key);
    }
    if (kind !== 'wrapper') return applyLeaf(directive, run);
    const keys = [...wrapperKeys, key];
    for (const target of directive.targets) applyOne(target, run, keys);
    if (run.isReloading) return;
    if (skipReason !== null) return skip(directive, skipReason);
    lifecycle.emit('directive:processed', { directive: raw, triggered: [], satisfied: [] });
  }

  return {
    apply(list, delivery) {
      if (disposed.aborted) return ignore;
      const { path, mutation } = delivery;
      const run: Run = { isPulled: path === 'pull', mutation, touched: [], isReloading: false };
      const read = normalizeList(list, delivery);
      if (read === null) {
        const message = dev`must be an array of at most ${maxDirectives} directives, including nested ones`;
        reject(list, [{ path: '', message }]);
        return ignore;
      }
      cache.batch(() => {
        lifecycle.emit('directive:received', received, read, delivery);
        for (const { raw, directive, issues } of read) {
          if (issues.length > 0) reject(raw, issues);
          if (directive !== null) applyOne(directive, run);
        }
      });
      const since = cache.nextOrder();
      return () => {
        for (let slot; (slot = run.touched.at(-1)); run.touched.pop())
          if (isBusy(slot) && Math.max(slot.answeredOrder, slot.failure?.order ?? 0) < since)
            return slot.entry;
      };
    },
    settleEchoes(echoes, isLost) {
      if (process.env.NODE_ENV !== 'production' && !isLost) checkEchoes(needs, echoes);
      if (!isLost || disposed.aborted) return;
      const run: Run = { isPulled: false, touched: [], isReloading: false };
      // Several echoes may have the key of one wrapper. So the keys are checked first and added last.
      const missed = echoes.filter(({ key }) => !seenKeys.has(key));
      cache.batch(() => {
        // Their results may be older than what is cached by now, so they are refetched.
        for (const echo of missed) markAndRequest(echo, [], run);
      });
      for (const { key } of missed) seenKeys.add(key);
    },
  };
}

/** The detail of `directive:received`. `seqOf` reads the hidden value. */
const received = (list: readonly Normalized[], { audience = null, source = null, seq = null }: Delivery) =>
  withHidden({ directives: list.map(({ raw }) => raw), audience, source }, seq);

/** The detail of `directive:processed`. `markedBy` reads the hidden value. */
const processed = ({ raw }: Leaf, { wanted, covered, order }: Effect) => {
  const triggered = plan(wanted).map(targetOf);
  return withHidden({ directive: raw, triggered, satisfied: covered.map(targetOf) }, order);
};

// From a checked list to envelopes and to what `emit` resolves to (D-HUB-1). Pure but for the ids it asks for.

import { DEFAULT_AUDIENCE, type Directive } from '@edict/core/protocol';
import { seqMark, type Appended, type AppendItem } from '../log/backplane.ts';
import { envelopeBytes } from '../deliver/frame.ts';
import { isName, nameRule } from '../names.ts';
import { isObject, membersOf, wrong } from '../optionErrors.ts';

/** Where a list goes, as the caller of `emit` said. */
export interface Destination {
  /** Null: each directive's own audience, else `global`. */
  readonly audiences: readonly string[] | null;
  readonly source: string | null;
}

/** What is appended, and what the caller gets once the numbers are known. */
export interface StampedList {
  readonly items: readonly AppendItem[];
  readonly finish: (appended: readonly Appended[]) => Directive[];
}

/** Reads the options of `emit`. Throws a `TypeError` that names the wrong one. */
export function readDestination(options: unknown): Destination {
  const { audience, source } = readOptions(options);
  if (source !== undefined && source !== null && typeof source !== 'string') {
    throw wrong('emit: source', 'a string or null', source);
  }
  if (audience === undefined || audience === null) return { audiences: null, source: source ?? null };
  const audiences: unknown[] = Array.isArray(audience) ? audience : [audience];
  if (audiences.length === 0)
    throw new TypeError(
      'emit: audience must not be an empty list. Leave it out to use the audience of each directive.',
    );
  if (!audiences.every(isName)) {
    const stranger = audiences.find((name) => !isName(name));
    throw wrong('emit: audience', `${nameRule}, or a list of such`, stranger);
  }
  return { audiences: [...new Set(audiences)], source: source ?? null };
}

/** A misspelt `audience` would tell everybody what is meant for some. */
function readOptions(options: unknown): { audience?: unknown; source?: unknown } {
  if (options === undefined || options === null) return {};
  if (!isObject(options)) throw wrong('emit: options', 'an object such as { audience, source }', options);
  return membersOf(options, ['audience', 'source'], 'emit');
}

/** The key of a directive; an empty one is none (D-DIR-11). */
export const keyOf = (directive: Directive, newId: () => string): string =>
  directive.idempotency_key || newId();

/** Whom a directive of a list goes to: those that the list goes to, else its own audience, else everybody. */
export const reachedBy = ({ audience }: Directive, audiences: Destination['audiences']): readonly string[] =>
  audiences ?? [audience ?? DEFAULT_AUDIENCE];

const pathOf = (index: number): string => `directives[${index}]`;

/** Throws as `stamp` does where a directive is meant for another audience. */
export function checkAudiences(directives: readonly Directive[], audiences: Destination['audiences']): void {
  for (const [index, directive] of directives.entries())
    inheriting(directive, pathOf(index), reachedBy(directive, audiences), null);
}

/** Stamps a list. Throws a `TypeError` with the path of a directive meant for another audience, or the size of a too large envelope. */
export function stamp(
  directives: readonly Directive[],
  { audiences, source }: Destination,
  newId: () => string,
  maxEnvelopeBytes: number,
): StampedList {
  /** Per audience, the texts of its directives, in the order of the list. */
  const texts = new Map<string, string[]>();
  const placed: { directive: Directive; audience: string }[] = [];

  for (const [index, directive] of directives.entries()) {
    const reached = reachedBy(directive, audiences);
    const stamped = {
      ...inheriting(directive, pathOf(index), reached, source),
      idempotency_key: keyOf(directive, newId),
      ...(source === null ? {} : { source }),
    };
    const { audience: _audience, seq: _seq, ...rest } = stamped;
    const head = JSON.stringify(rest).slice(0, -1); // Never `{}`: it has an `op` at least.
    for (const audience of reached) {
      const list = texts.get(audience) ?? [];
      list.push(`${head},"audience":${JSON.stringify(audience)},"seq":${seqMark}}`);
      texts.set(audience, list);
      placed.push({ directive: stamped, audience });
    }
  }

  const items = Array.from(texts, ([audience, list]) => {
    const payload = `[${list.join(',')}]`;
    const bytes = envelopeBytes(audience, payload, maxEnvelopeBytes);
    if (bytes > maxEnvelopeBytes) {
      throw new TypeError(
        `emit: the envelope for audience ${JSON.stringify(audience)} has ${bytes} bytes, limits.maxEnvelopeBytes is ${maxEnvelopeBytes}. ` +
          'Send fewer directives at once, or leave out inline results.',
      );
    }
    return { audience, payload };
  });

  return {
    items,
    finish(appended) {
      const seqs = new Map(items.map(({ audience }, index) => [audience, appended[index]?.seq]));
      return placed.map(({ directive, audience }) => ({ ...directive, audience, seq: seqs.get(audience) }));
    },
  };
}

/**
 * The directive with targets that have no audience and no number of their own, nor a source where the call says whose the change is: they
 * are the wrapper's. One for another audience than it goes to would be told to the wrong people.
 */
function inheriting(
  directive: Directive,
  path: string,
  reached: readonly string[],
  source: string | null,
): Directive {
  const own = directive.audience ?? null;
  if (own !== null && !reached.includes(own)) throw foreign(`${path}.audience`, own);
  if (directive.op !== 'invalidate') return directive;
  const targets = directive.targets.map((target, index) => {
    const {
      audience: _audience,
      seq: _seq,
      ...rest
    } = inheriting(target, `${path}.targets[${index}]`, reached, source);
    if (source === null) return rest;
    const { source: _source, ...others } = rest;
    return others;
  });
  return { ...directive, targets };
}

function foreign(path: string, audience: string): TypeError {
  return new TypeError(
    `emit: ${path} is ${JSON.stringify(audience)}, which is not an audience that this list goes to: it would be told to others. Emit it in a call of its own.`,
  );
}

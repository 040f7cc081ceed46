// Turns a checked list into envelopes, and into the completed list that `emit` resolves to (D-HUB-1). Pure, except
// for new ids.

import { DEFAULT_AUDIENCE, type Directive } from '@edict/core/protocol';
import { envelopeBytes } from '../deliver/frame.ts';
import { seqMark, type Appended, type AppendItem } from '../log/backplane.ts';
import { isName, nameRule } from '../names.ts';
import { isObject, membersOf, wrong } from '../optionErrors.ts';
import { targetsOf, type DirectiveInput } from './directiveList.ts';

/** The recipients of a list, from the options of `emit`. */
export interface Destination {
  /** Null: each directive's own audience, or `global`. */
  readonly audiences: readonly string[] | null;
  readonly source: string | null;
}

/** The data to append, and the list that the caller receives once the sequence numbers are known. */
export interface CompletedList {
  readonly items: readonly AppendItem[];
  readonly finish: (appended: readonly Appended[]) => Directive[];
}

/** Reads the options of `emit`. Throws a `TypeError` that names the invalid option. */
export function readDestination(options: unknown): Destination {
  const { audience, source } = readEmitOptions(options);
  if (source !== undefined && source !== null && typeof source !== 'string') {
    throw wrong('emit: source', 'a string or null', source);
  }
  if (audience === undefined || audience === null) return { audiences: null, source: source ?? null };
  const audiences: unknown[] = Array.isArray(audience) ? audience : [audience];
  if (audiences.length === 0)
    throw new TypeError(
      '[edict] emit: audience must not be an empty list. Omit it to use the audience of each directive.',
    );
  if (!audiences.every(isName)) {
    const stranger = audiences.find((name) => !isName(name));
    throw wrong('emit: audience', `${nameRule}, or be a list of such names`, stranger);
  }
  return { audiences: [...new Set(audiences)], source: source ?? null };
}

/** Unknown members are rejected: a misspelled `audience` would send a private list to `global`. */
function readEmitOptions(options: unknown): { audience?: unknown; source?: unknown } {
  if (options === undefined || options === null) return {};
  if (!isObject(options)) throw wrong('emit: options', 'an object such as { audience, source }', options);
  return membersOf(options, ['audience', 'source'], 'emit');
}

/** The key of a directive. An empty key counts as none (D-DIR-11). */
export const idempotencyKey = (directive: DirectiveInput, newId: () => string): string =>
  directive.idempotency_key || newId();

/** The audiences that receive a directive: those of the list, otherwise its own, otherwise `global`. */
export const reachedBy = (
  { audience }: DirectiveInput,
  audiences: Destination['audiences'],
): readonly string[] => audiences ?? [audience ?? DEFAULT_AUDIENCE];

const pathOf = (index: number): string => `directives[${index}]`;

/** Throws the error of `completeList` for a directive that is meant for another audience. */
export function checkAudiences(
  directives: readonly DirectiveInput[],
  audiences: Destination['audiences'],
): void {
  for (const [index, directive] of directives.entries())
    withoutInherited(directive, pathOf(index), reachedBy(directive, audiences), null);
}

/**
 * Completes the directives of a list. Throws a `TypeError` with the path of a directive that is meant for another audience, or with the
 * size of an envelope that is too large.
 */
export function completeList(
  directives: readonly DirectiveInput[],
  { audiences, source }: Destination,
  newId: () => string,
  maxEnvelopeBytes: number,
): CompletedList {
  /** The directives of each audience as JSON texts, in the order of the list. */
  const texts = new Map<string, string[]>();
  const placed: { directive: DirectiveInput; audience: string }[] = [];

  for (const [index, directive] of directives.entries()) {
    const reached = reachedBy(directive, audiences);
    const completed = {
      ...withoutInherited(directive, pathOf(index), reached, source),
      idempotency_key: idempotencyKey(directive, newId),
      // Each audience has its own values. JSON drops members that are undefined.
      audience: undefined,
      seq: undefined,
    };
    if (source !== null) completed.source = source;
    const head = JSON.stringify(completed).slice(0, -1); // Never `{}`, because it has an `op`.
    for (const audience of reached) {
      const list = texts.get(audience) ?? [];
      list.push(`${head},"audience":${JSON.stringify(audience)},"seq":${seqMark}}`);
      texts.set(audience, list);
      placed.push({ directive: completed, audience });
    }
  }

  const items = Array.from(texts, ([audience, list]) => {
    const payload = `[${list.join(',')}]`;
    const bytes = envelopeBytes(audience, payload, maxEnvelopeBytes);
    if (bytes > maxEnvelopeBytes) {
      throw new TypeError(
        `[edict] emit: the envelope for audience ${JSON.stringify(audience)} has ${bytes} bytes, but limits.maxEnvelopeBytes is ${maxEnvelopeBytes}. ` +
          'Send fewer directives at once, or leave out inline results.',
      );
    }
    return { audience, payload };
  });

  return {
    items,
    finish(appended) {
      const seqs = new Map(items.map(({ audience }, index) => [audience, appended[index]?.seq]));
      return placed.map(({ directive, audience }) => ({
        ...(directive as Directive), // A `TypeInvalidate` is returned as it is. Clients accept both.
        audience,
        seq: seqs.get(audience),
      }));
    },
  };
}

/**
 * Removes the fields from `targets` that they inherit from the wrapper: the audience, the sequence number, and the source when the call
 * names one. Throws when a target is meant for an audience that the list does not go to, because other clients would receive it.
 */
function withoutInherited<D extends DirectiveInput>(
  directive: D,
  path: string,
  reached: readonly string[],
  source: string | null,
): D {
  const own = directive.audience ?? null;
  if (own !== null && !reached.includes(own)) throw foreign(`${path}.audience`, own);
  if (targetsOf(directive).length === 0) return directive;
  const targets = targetsOf(directive).map((target, index) => {
    const {
      audience: _audience,
      seq: _seq,
      ...rest
    } = withoutInherited(target, `${path}.targets[${index}]`, reached, source);
    if (source === null) return rest;
    const { source: _source, ...others } = rest;
    return others;
  });
  return { ...directive, targets };
}

function foreign(path: string, audience: string): TypeError {
  return new TypeError(
    `[edict] emit: ${path} is ${JSON.stringify(audience)}, which is not an audience of this list, so other clients would receive it. Emit it in a separate call.`,
  );
}

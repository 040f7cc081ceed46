// Copies and checks a whole list that was passed to `emit`, before anything is sent (D-HUB-5). Pure.

import {
  clientDirectiveSchema,
  directiveSchema,
  maxDirectives,
  type Directive,
  type TypeInvalidate,
} from '@edict/core/protocol';
import { isName, nameRule } from '../names.ts';
import { countOr, shown, wrong } from '../optionErrors.ts';
import { jsonCopy, memberPath } from './jsonForm.ts';

/** A directive that `emit` accepts. Names and params are checked against the application's `Register`. */
export type DirectiveInput = Directive | TypeInvalidate;

type Issue = NonNullable<ReturnType<typeof directiveSchema.safeParse>['error']>['issues'][number];

/** Reads the limit on the directives of a list. Clients drop a longer list without a trace (D-DIR-10), so there is a maximum. */
export function readMaxDirectives(what: string, value: unknown): number {
  const limit = countOr(maxDirectives, what, value);
  if (limit > maxDirectives) throw wrong(what, `at most ${maxDirectives}`, limit);
  return limit;
}

/** Copies and checks a list. Throws a `TypeError` with the path of the first fault. The result shares nothing with the input. */
export function readDirectives(input: unknown, limit: number): DirectiveInput[] {
  if (!Array.isArray(input)) throw wrong('emit: directives', 'an array', input);
  const directives = Array.from(input, readDirective);
  if (countOf(directives) > limit) throw tooMany(limit);
  return directives;
}

function readDirective(value: unknown, index: number): DirectiveInput {
  const path = `directives[${index}]`;
  const copied = jsonCopy(value, `emit: ${path}`);
  const schema = isTypeInvalidate(copied) ? clientDirectiveSchema : directiveSchema;
  const issue = schema.safeParse(copied).error?.issues[0];
  if (issue !== undefined)
    throw new TypeError(`[edict] emit: ${issue.path.reduce(memberPath, path)}: ${reasonOf(issue, copied)}.`);
  const directive = copied as DirectiveInput; // Checked by the schema, whose own copy has another order of members.
  checkAudience(directive, path);
  return directive;
}

/** Every item of a type, from `refreshType`. With an `id` it is an ordinary legacy directive, which is not part of the server contract. */
const isTypeInvalidate = (value: unknown): boolean =>
  partOf(value, 'kind') === 'item' &&
  (partOf(value, 'id') ?? null) === null &&
  partOf(value, 'targets') === undefined;

/**
 * Zod reports only that no member of a union matches, so the message lists the expectation of each member and the
 * received value.
 */
function reasonOf(issue: Issue, directive: unknown): string {
  const members = issue.code === 'invalid_union' && issue.errors.length > 0 ? issue.errors.flat() : [issue];
  const expected = members.map(({ message }) => message.replaceAll(/^Invalid input: |, received .*$/g, ''));
  const reason = expected.join(' or ');
  return issue.code === 'custom' ? reason : `${reason}, not ${shown(issue.path.reduce(partOf, directive))}`;
}

const partOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** No client could subscribe to an audience with another name. */
function checkAudience(directive: DirectiveInput, path: string): void {
  const { audience } = directive;
  if (audience !== undefined && audience !== null && !isName(audience)) {
    throw new TypeError(`[edict] emit: ${path}.audience must have ${nameRule}, not ${shown(audience)}.`);
  }
  for (const [index, target] of targetsOf(directive).entries())
    checkAudience(target, `${path}.targets[${index}]`);
}

/** The targets of an `invalidate`. Empty for every other directive, whose field of that name is an unknown one. */
export const targetsOf = (directive: DirectiveInput): readonly Directive[] =>
  directive.op === 'invalidate' && 'targets' in directive ? directive.targets : [];

/** The number of directives in a list, including targets. */
export function countOf(directives: readonly DirectiveInput[]): number {
  return directives.reduce((sum, directive) => sum + countOf(targetsOf(directive)) + 1, 0);
}

function tooMany(limit: number): TypeError {
  return new TypeError(
    `[edict] emit: directives has more than ${limit} directives, targets included. Emit them in several calls, or refresh the collection.`,
  );
}

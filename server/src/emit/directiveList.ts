// A list given to `emit`, copied and checked whole before anything happens (D-HUB-5). Pure.

import { directiveSchema, maxDirectives, type Directive } from '@edict/core/protocol';
import { countOr, shown, wrong } from '../optionErrors.ts';
import { jsonCopy, memberPath } from './jsonForm.ts';
import { isName, nameRule } from '../names.ts';

type Issue = NonNullable<ReturnType<typeof directiveSchema.safeParse>['error']>['issues'][number];

/**
 * How many directives a list may have. D-DIR-10: a client drops a longer list whole, and nothing would tell it that it has
 * missed something.
 */
export function readMaxDirectives(what: string, value: unknown): number {
  const most = countOr(maxDirectives, what, value);
  if (most > maxDirectives) throw wrong(what, `at most ${maxDirectives}`, most);
  return most;
}

/** Copies and checks a list of so many directives at most. Throws a `TypeError` with the path of the first fault; nothing of the input is kept. */
export function readDirectives(input: unknown, most: number): Directive[] {
  if (!Array.isArray(input)) throw wrong('emit: directives', 'an array', input);
  if (input.length > most) throw tooMany(most);
  const directives = Array.from(input, readDirective);
  if (countOf(directives) > most) throw tooMany(most);
  return directives;
}

function readDirective(value: unknown, index: number): Directive {
  const path = `directives[${index}]`;
  const copied = jsonCopy(value, path);
  const { error } = directiveSchema.safeParse(copied);
  const issue = error?.issues[0];
  if (issue !== undefined)
    throw new TypeError(`emit: ${issue.path.reduce(step, path)}: ${reasonOf(issue, copied)}.`);
  const directive = copied as Directive; // The schema has just said so; its own copy would not be in the caller's order.
  checkAudience(directive, path);
  return directive;
}

/** Zod says of a union only that nothing fits; what each member expected helps, and so does what came. */
function reasonOf(issue: Issue, directive: unknown): string {
  const members = issue.code === 'invalid_union' ? issue.errors.flat() : [];
  const reason = members.length === 0 ? issue.message : members.map(({ message }) => message).join(', or ');
  const isWhole = issue.code === 'custom' || reason.includes('received');
  return isWhole ? reason : `${reason}, not ${shown(issue.path.reduce(partOf, directive))}`;
}

const partOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** Nobody could subscribe to an audience with another name. */
function checkAudience(directive: Directive, path: string): void {
  const { audience } = directive;
  if (audience !== undefined && audience !== null && !isName(audience)) {
    throw new TypeError(`emit: ${path}.audience must have ${nameRule}, not ${shown(audience)}.`);
  }
  if (directive.op !== 'invalidate') return;
  for (const [index, target] of directive.targets.entries())
    checkAudience(target, `${path}.targets[${index}]`);
}

function step(path: string, key: PropertyKey): string {
  return typeof key === 'number' ? `${path}[${key}]` : memberPath(path, String(key));
}

/** How many directives a list has, targets included. */
export function countOf(directives: readonly Directive[]): number {
  return directives.reduce((sum, one) => sum + (one.op === 'invalidate' ? countOf(one.targets) : 0) + 1, 0);
}

function tooMany(most: number): TypeError {
  return new TypeError(
    `emit: directives has more than ${most} directives, targets included: emit them in several calls, or refresh the collection.`,
  );
}

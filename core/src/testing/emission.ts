// What is emitted and to whom, checked as a hub does (D-HUB-1, D-HUB-5): a test of what a hub would refuse must not pass.

import type { Directive } from '@edict/core';
import { acceptedDirectiveSchema, directiveSchema } from '@edict/core/protocol';

/** Whom a list goes to, and who caused it. */
export interface Destination {
  /** Null: each directive's own audience, else `global`. */
  readonly audiences: readonly string[] | null;
  readonly source: string | null;
}

/** Reads the options of `emit`. Throws a `TypeError`. */
export function readDestination(options: object | null = {}): Destination {
  const stranger = Object.keys(options ?? {}).find((name) => name !== 'audience' && name !== 'source');
  if (stranger !== undefined)
    throw new TypeError(`simulation: emit: ${stranger} is not an option; there are audience, source`);
  const { audience = null, source = null } = (options ?? {}) as {
    audience?: string | readonly string[] | null;
    source?: string | null;
  }; // It has no other members.
  if (audience === null) return { audiences: null, source };
  const audiences = new Set([audience].flat());
  if (audiences.size === 0)
    throw new TypeError('simulation: emit: audience must not be an empty list; leave it out');
  return { audiences: [...audiences], source };
}

/**
 * Throws a `TypeError` for what no client would apply. The shape of document §2.2 is let through for tests of clients; the path of a
 * fault is that of the contract.
 */
export function checkDirective(directive: Directive, path: string): void {
  if (typeof directive !== 'object' || directive === null || typeof directive.op !== 'string')
    throw new TypeError(`simulation: emit: ${path} must be a directive, got ${String(directive)}`);
  if (acceptedDirectiveSchema.safeParse(directive).success) return;
  const issue = directiveSchema.safeParse(directive).error?.issues[0];
  if (issue === undefined) return;
  const within = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  throw new TypeError(`simulation: emit: ${path}${within.join('')}: ${issue.message}`);
}

/** Throws a `TypeError` where a directive, or one in a wrapper, is meant for another audience than it goes to. */
export function checkAudiences(directive: Directive, path: string, reached: readonly string[]): void {
  const own = directive.audience ?? null;
  if (own !== null && !reached.includes(own))
    throw new TypeError(
      `simulation: emit: ${path}.audience is "${own}", the call's is ${JSON.stringify(reached.length === 1 ? reached[0] : reached)}: emit it in a call of its own`,
    );
  if (directive.op !== 'invalidate' || !Array.isArray(directive.targets)) return;
  for (const [index, target] of directive.targets.entries())
    checkAudiences(target, `${path}.targets[${index}]`, reached);
}

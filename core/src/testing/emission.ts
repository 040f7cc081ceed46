// Checks the arguments of `emit` in the same way as a hub (D-HUB-1, D-HUB-5), so that no test passes with
// directives that a hub refuses.

import type { Directive } from '@edict/core';
import { acceptedDirectiveSchema, directiveSchema } from '@edict/core/protocol';

/** The audiences and the source of a list. */
export interface Destination {
  /** Null: each directive's own audience, or `global`. */
  readonly audiences: readonly string[] | null;
  readonly source: string | null;
}

/** Reads the options of `emit`. Throws a `TypeError`. */
export function readDestination(options: object | null = {}): Destination {
  const stranger = Object.keys(options ?? {}).find((name) => name !== 'audience' && name !== 'source');
  if (stranger !== undefined)
    throw new TypeError(`[edict] Simulation: emit has no option ${stranger}. Use audience or source.`);
  const { audience = null, source = null } = (options ?? {}) as {
    audience?: string | readonly string[] | null;
    source?: string | null;
  }; // The line above rejects other members.
  if (source !== null && typeof source !== 'string')
    throw new TypeError(
      `[edict] Simulation: emit: source must be a string or null, not ${JSON.stringify(source)}.`,
    );
  if (audience === null) return { audiences: null, source };
  const audiences = new Set([audience].flat());
  if (audiences.size === 0)
    throw new TypeError(
      '[edict] Simulation: audience of emit is an empty list. Omit it or name an audience.',
    );
  return { audiences: [...audiences], source };
}

/**
 * Throws a `TypeError` for a directive that no client applies. The shape of document §2.2 is accepted for tests of clients. The path of a
 * fault refers to the server contract.
 */
export function checkDirective(directive: Directive, path: string): void {
  if (typeof directive !== 'object' || directive === null || typeof directive.op !== 'string')
    throw new TypeError(
      `[edict] Simulation: emit: ${path} must be a directive, but is ${String(directive)}.`,
    );
  if (acceptedDirectiveSchema.safeParse(directive).success) return;
  const issue = directiveSchema.safeParse(directive).error?.issues[0];
  if (issue === undefined) return;
  const within = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  throw new TypeError(`[edict] Simulation: emit: ${path}${within.join('')}: ${issue.message}`);
}

/**
 * Throws a `TypeError` if a directive, or a target of a wrapper, names an audience that the call does not reach, or if no client can
 * subscribe to one that it reaches.
 */
export function checkAudiences(directive: Directive, path: string, reached: readonly string[]): void {
  const strange = reached.find((name) => typeof name !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,128}$/u.test(name));
  if (strange !== undefined)
    throw new TypeError(
      `[edict] Simulation: emit: the audience of ${path} is ${JSON.stringify(strange)}. Use 1 to 128 characters without control characters.`,
    );
  const own = directive.audience ?? null;
  if (own !== null && !reached.includes(own))
    throw new TypeError(
      `[edict] Simulation: emit: ${path}.audience is "${own}", but the call is for ${JSON.stringify(reached.length === 1 ? reached[0] : reached)}. Emit it in its own call.`,
    );
  if (directive.op !== 'invalidate' || !Array.isArray(directive.targets)) return;
  for (const [index, target] of directive.targets.entries())
    checkAudiences(target, `${path}.targets[${index}]`, reached);
}

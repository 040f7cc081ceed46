// The directives of successful mutations that the backplane did not confirm. Other clients may not have received them, and nobody else
// would emit them again.

import type { Directive } from '@edict/core/protocol';
import { targetsOf, type DirectiveInput } from '../emit/directiveList.ts';
import type { HubEnv } from '../env.ts';
import type { EmitOptions, Hub } from '../hub.ts';
import { isClosed } from '../work.ts';

/** A list that was emitted, and how. */
export interface Emitted {
  readonly list: readonly DirectiveInput[];
  readonly options: EmitOptions;
}

const firstDelayMs = 500;
const longestDelayMs = 10_000;
/** An outage must not fill the memory. */
const maxLists = 10_000;

/**
 * Returns a function that emits a list again until it is confirmed, or the hub is closed. The lists keep their order and their keys. They are
 * plain refreshes, because a newer change may have been emitted meanwhile.
 */
export function createUnconfirmed(
  hub: Pick<Hub, 'emit'>,
  env: Pick<HubEnv, 'setTimeout'>,
  log: HubEnv['log'],
): (emitted: Emitted) => void {
  const waiting: Emitted[] = [];

  async function emitAll(delayMs: number): Promise<void> {
    for (let next; (next = waiting[0]) !== undefined; waiting.shift()) {
      try {
        await hub.emit(next.list, next.options);
      } catch (error) {
        if (isClosed(hub)) return;
        if (!isRefused(error)) return later(Math.min(longestDelayMs, delayMs * 2));
      }
    }
  }

  const later = (delayMs: number): void => void env.setTimeout(() => void emitAll(delayMs), delayMs);

  return ({ list, options }) => {
    if (waiting.length === maxLists)
      return log('error', `Directives are not emitted again, because ${maxLists} lists are waiting for that`);
    waiting.push({ list: list.map(plain), options });
    if (waiting.length === 1) later(firstDelayMs);
  };
}

/** Whether the hub will never accept the list, for example because it is above a limit. */
export const isRefused = (error: unknown): boolean => error instanceof TypeError;

/** A copy without inline results. */
function plain<D extends DirectiveInput>(directive: D): D {
  const copy: D & { result?: unknown; targets?: readonly Directive[] } = { ...directive };
  delete copy.result;
  if (copy.targets !== undefined) copy.targets = targetsOf(directive).map(plain);
  return copy;
}

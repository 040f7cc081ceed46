// What several audiences say of one record. The numbers of two audiences cannot be compared, and a hub, a replay or a slow reader may
// bring what was told on one of them before what was told on the other sooner. So an inline result is shown, and not called
// fresh, where another audience has just named the same record (D-DIR-9).

import type { Leaf } from './effects.ts';
import type { Env } from './env.ts';
import { DEFAULT_AUDIENCE } from './protocol/names.ts';
import { idKey } from './rules/ids.ts';

/** What is on its way for longer comes after an outage, and then all of it comes at once. */
const momentMs = 10_000;
/** So many records are remembered before it is looked whether that is still of use. */
const enough = 1000;

export interface Rivals {
  /** An audience has said that this changed. */
  note: (directive: Leaf, audience: string | null) => void;
  /** Whether another audience has just said so, too. */
  hasOther: (directive: Leaf, audience: string | null) => boolean;
}

/** All params sets of a collection are one record here: some directives name several of them. */
const recordOf = (directive: Leaf): string =>
  directive.kind === 'item' && directive.id !== null
    ? `${directive.name}\n${idKey(directive.id)}`
    : directive.name;

/** @param isSeveral whether this client listens to several audiences: else nothing is remembered */
export function createRivals(env: Env, isSeveral: () => boolean): Rivals {
  /** When each audience has named a record last. */
  const records = new Map<string, Map<string, number>>();
  let most = enough;

  const isLately = (at: number): boolean => env.now() - at < momentMs;

  function forget(): void {
    for (const [record, told] of records) if (![...told.values()].some(isLately)) records.delete(record);
    most = Math.max(enough, records.size * 2);
  }

  return {
    note(directive, audience) {
      if (!isSeveral()) return;
      const record = recordOf(directive);
      const told = records.get(record) ?? new Map<string, number>();
      records.set(record, told.set(audience ?? DEFAULT_AUDIENCE, env.now()));
      if (records.size > most) forget();
    },
    hasOther(directive, audience) {
      const own = audience ?? DEFAULT_AUDIENCE;
      // A legacy directive names all items of a type.
      for (const record of [recordOf(directive), directive.name])
        for (const [other, at] of records.get(record) ?? []) if (other !== own && isLately(at)) return true;
      return false;
    },
  };
}

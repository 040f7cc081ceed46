// The `checkIfExists` of levels.

import type { Def } from '../cache/entry.ts';

/** Runs a check of the application. One that throws counts as false (D-LEVEL-3). */
export function passes(check: (data: unknown) => boolean, payload: unknown): boolean {
  try {
    return check(payload) === true;
  } catch {
    return false;
  }
}

/** Whether a payload that converts to a level passes the check of that level, if there is one (D-LEVEL-3). */
export function suffices(def: Def, level: string, payload: unknown): boolean {
  const check = def.fetchers.get(level)?.check ?? null;
  return check === null || passes(check, payload);
}

// Steps that the tests of directives share.

import { refreshItem } from '../directives.ts';
import type { Stage } from '../world.ts';

/** Applies the directives and waits until their refetches have completed. */
export async function apply({ dl, sim }: Stage, ...directives: unknown[]): Promise<void> {
  void dl.applyDirectives(directives);
  await sim.advance(100);
}

/** Why directives were skipped, in order. */
export const reasons = ({ of }: Stage): string[] => of('directive:skipped').map(({ reason }) => reason);

/** A directive of this client's own mutation, for the ticket 7. */
export const own = ({ dl }: Stage, more: object = {}): object =>
  refreshItem('ticket', 7, { source: dl.clientId(), ...more });

/** An envelope of the audience `global`. */
export const envelope = (seq: number, ...directives: object[]): object => ({
  type: 'directives',
  seq,
  audience: 'global',
  directives,
});

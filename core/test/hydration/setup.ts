// Servers that render data, their states as a page contains them, and states that a test writes itself.

import { dehydrate, type Cursor, type DehydratedItem, type DehydratedState } from '@edict/core/hydration';
import { type Stage, type StageOptions, createStage } from '../world.ts';

/** Reads two items, one of them also at a level that its other level converts to, and two params sets of a list. */
export const reads = ({ item, list }: Stage): (() => unknown)[] => [
  () => item('ticket', 7),
  () => item('doc', 7, 'full'),
  () => item('doc', 7, 'simplified'),
  () => list('tickets'),
  () => list('tickets', { page: 1 }),
];

/** A server that has rendered these entries. */
export async function rendered({
  version = 1,
  ...options
}: StageOptions & { version?: number } = {}): Promise<Stage> {
  const stage = createStage({ isBrowser: false, ...options });
  const { server } = stage;
  server.version = version;
  server.collection = () => ({ ids: [version], count: 40 });
  await stage.hold(...reads(stage));
  return stage;
}

/** The state after it was serialized into a page. */
export const travelled = (state: DehydratedState): DehydratedState =>
  JSON.parse(JSON.stringify(state)) as DehydratedState; // The state that was serialized.

/** The state of a server, in a page. */
export const stateOf = ({ dl }: Stage, cursors: readonly Cursor[] = []): DehydratedState =>
  travelled(dehydrate(dl, { cursors }));

/** A state with one payload of the item 7, which the server has just read. */
export const itemState = (
  type: string,
  payload: Partial<DehydratedItem['payloads'][number]> = {},
  cursors: readonly Cursor[] = [],
): DehydratedState => ({
  v: 1,
  items: [{ type, id: 7, payloads: [{ levels: ['default'], data: 'old', ageMs: 0, ...payload }] }],
  collections: [],
  cursors,
});

export const cursor = (seq: number, audience = 'global'): Cursor => ({ audience, seq });

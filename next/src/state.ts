import type { DehydratedState } from '@edict/core/hydration';

/** The data of a page, and the audiences of its visitor. */
export interface LiveState extends DehydratedState {
  /** The audiences that the page subscribes to, if `createLive` has the option. */
  readonly audience?: readonly string[];
}

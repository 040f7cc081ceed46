import type { Directive } from '@edict/core/protocol';

/** What a server action of `live.action` returns. `useServerAction` applies the directives and passes on the result. */
export interface ActionResponse<R> {
  /** What the function returned. */
  readonly result: R;
  /** What the function emitted. */
  readonly directives: readonly Directive[];
}

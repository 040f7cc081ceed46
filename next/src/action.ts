import type { Directive } from '@edict/core/protocol';

/** The result of a server action of `live.action`. `useServerAction` applies the directives and passes on the result. */
export interface ActionResponse<R> {
  /** The value that the function returned. */
  readonly result: R;
  /** The directives that the function emitted. */
  readonly directives: readonly Directive[];
}

// A hub that records what a relay emits, in the order in which subscribers receive it.

import type { Directive } from '@edict/core/protocol';
import { createHub, type Hub } from '../../src/index.ts';

/** A hub that records its emits. */
export interface ListeningHub extends Pick<Hub, 'emit'> {
  readonly lists: { audience: unknown; directives: Directive[] }[];
  /** Ids of the directives, in order. */
  readonly ids: (audience?: string) => unknown[];
  readonly keys: () => unknown[];
  /** Resolves when at least `count` directives have arrived. */
  readonly has: (count: number) => Promise<void>;
  /** Called with each list before the hub receives it. If it throws, `emit` rejects with the error. */
  before: (directives: readonly unknown[]) => void | Promise<void>;
}

/** Wraps a real hub. */
export function listeningHub(hub: Hub = createHub({ log: () => {} })): ListeningHub {
  const lists: ListeningHub['lists'] = [];
  let look = (): void => {};
  const all = (audience?: string): Directive[] =>
    lists
      .filter((list) => audience === undefined || list.audience === audience)
      .flatMap(({ directives }) => directives);
  const listening: ListeningHub = {
    lists,
    ids: (audience) => all(audience).map((directive) => ('id' in directive ? directive.id : null)),
    keys: () => all().map(({ idempotency_key }) => idempotency_key),
    has: (count) =>
      new Promise((done) => {
        look = () => {
          if (all().length >= count) done();
        };
        look();
      }),
    before: () => {},
    async emit(directives, options) {
      await listening.before(directives);
      const stamped = await hub.emit(directives, options);
      lists.push({ audience: options?.audience, directives: stamped });
      look();
      return stamped;
    },
  };
  return listening;
}

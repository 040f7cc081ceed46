// A hub for the relay, which notes what arrives in the order in which a subscriber would get it.

import type { Directive } from '@edict/core/protocol';
import { createHub, type Hub } from '../../src/index.ts';

/** A hub that notes. */
export interface ListeningHub extends Pick<Hub, 'emit'> {
  readonly lists: { audience: unknown; directives: Directive[] }[];
  /** Ids of the directives, in order. */
  readonly ids: (audience?: string) => unknown[];
  readonly keys: () => unknown[];
  /** Resolves once so many directives arrived. */
  readonly has: (count: number) => Promise<void>;
  /** Called with each list before the hub gets it; what it throws, `emit` rejects with. */
  before: (directives: readonly unknown[]) => void | Promise<void>;
}

/** Over a real hub. */
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

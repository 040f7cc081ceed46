// When a list is appended: at once, or behind those that came before it, while much of them is not confirmed or not delivered.
// A connection is a place in a ring (D-HUB-3): authors that run ahead of it would move the ring past everybody.

import { count, isMuch, type Amount } from './amount.ts';
import type { Appended, AppendItem, BackplaneLink, ReplayLimits } from './backplane.ts';

/** The authors of a hub. */
export interface Authors {
  /**
   * `BackplaneLink.append`, in the order of the calls for each audience (D-HUB-5); where nothing is ahead, before it returns. What
   * waits behind a list that is not confirmed is not confirmed either: nobody waits for two deadlines (D-HUB-7).
   */
  readonly append: (items: readonly AppendItem[]) => Promise<readonly Appended[]>;
}

/** The lists for one audience. */
interface Road {
  readonly audience: string;
  /** Those that are not confirmed, the ones that wait included. */
  lists: number;
  /** What of them is appended. */
  readonly underWay: Amount;
  /** Settles when the last of those that wait is appended. */
  tail: Promise<unknown> | null;
  /** Who waits for a confirmation. */
  readonly waiting: { readonly goOn: () => void; readonly giveUp: (reason: unknown) => void }[];
}

/** What a list has for one audience. */
interface Part {
  readonly road: Road;
  readonly item: AppendItem;
}

/** @param pace null while nothing else keeps the authors of an audience; else resolves when it is worth asking again. */
export function createAuthors(
  link: Pick<BackplaneLink, 'append'>,
  replay: ReplayLimits,
  pace: (audience: string) => Promise<void> | null,
): Authors {
  const roads = new Map<string, Road>();

  function enter(item: AppendItem): Part {
    const { audience } = item;
    let road = roads.get(audience);
    if (road === undefined) {
      road = { audience, lists: 0, underWay: { envelopes: 0, bytes: 0 }, tail: null, waiting: [] };
      roads.set(audience, road);
    }
    road.lists += 1;
    return { road, item };
  }

  function leave({ road }: Part): void {
    road.lists -= 1;
    if (road.lists === 0) roads.delete(road.audience);
  }

  /** What keeps the list from being appended now, or null. */
  function obstacle(list: readonly Part[]): Promise<void> | null {
    for (const { road } of list) {
      if (isMuch(road.underWay, replay))
        return new Promise((goOn, giveUp) => void road.waiting.push({ goOn, giveUp }));
      const paced = pace(road.audience);
      if (paced !== null) return paced;
    }
    return null;
  }

  async function run(list: readonly Part[]): Promise<readonly Appended[]> {
    for (const { road, item } of list) count(road.underWay, [item]);
    let tell = ({ goOn }: Road['waiting'][number]): void => goOn();
    try {
      return await link.append(list.map(({ item }) => item));
    } catch (error) {
      tell = ({ giveUp }) => giveUp(error);
      throw error;
    } finally {
      for (const { road, item } of list) {
        count(road.underWay, [item], -1);
        road.waiting.splice(0).forEach(tell);
      }
    }
  }

  /** Settles when the list is appended, not when that is confirmed: who is behind it goes on from there. */
  async function inTurn(
    list: readonly Part[],
    ahead: readonly Promise<unknown>[],
  ): Promise<{ readonly confirmed: Promise<readonly Appended[]> }> {
    await Promise.all(ahead);
    for (let wait = obstacle(list); wait !== null; wait = obstacle(list)) await wait;
    return { confirmed: run(list) };
  }

  async function queue(
    list: readonly Part[],
    ahead: readonly Promise<unknown>[],
  ): Promise<readonly Appended[]> {
    const turn = inTurn(list, ahead);
    for (const { road } of list) road.tail = turn;
    const { confirmed } = await turn.finally(() => {
      for (const { road } of list) if (road.tail === turn) road.tail = null;
    });
    return confirmed;
  }

  return {
    async append(items) {
      const list = items.map(enter);
      try {
        const ahead = list.flatMap(({ road }) => road.tail ?? []);
        const wait = ahead.length > 0 ? null : obstacle(list);
        if (ahead.length === 0 && wait === null) return await run(list);
        return await queue(list, wait === null ? ahead : [wait]);
      } finally {
        list.forEach(leave);
      }
    },
  };
}

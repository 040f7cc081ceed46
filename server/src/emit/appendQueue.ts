// When a list is appended: at once, or behind those that came before it, while much of them is not confirmed or not delivered.
// A connection is a place in a ring (D-HUB-3): authors that run ahead of it would move the ring past everybody.

import { count, isMuch, type Amount } from './backlog.ts';
import type { Appended, AppendItem, BackplaneLink, ReplayLimits } from '../log/backplane.ts';

/** What stands between `emit` and the backplane. */
export interface AppendQueue {
  /**
   * `BackplaneLink.append`, in the order of the calls for each audience (D-HUB-5); where nothing is ahead, before it returns. What
   * waits behind a list that is not confirmed is not confirmed either: nobody waits for two deadlines (D-HUB-7).
   */
  readonly append: (items: readonly AppendItem[]) => Promise<readonly Appended[]>;
}

/** The lists that are on their way to one audience. */
interface AudienceQueue {
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
  readonly queue: AudienceQueue;
  readonly item: AppendItem;
}

/** @param pace null while nothing else keeps the authors of an audience; else resolves when it is worth asking again. */
export function createAppendQueue(
  link: Pick<BackplaneLink, 'append'>,
  replay: ReplayLimits,
  pace: (audience: string) => Promise<void> | null,
): AppendQueue {
  const queues = new Map<string, AudienceQueue>();

  function enter(item: AppendItem): Part {
    const { audience } = item;
    let queue = queues.get(audience);
    if (queue === undefined) {
      queue = { audience, lists: 0, underWay: { envelopes: 0, bytes: 0 }, tail: null, waiting: [] };
      queues.set(audience, queue);
    }
    queue.lists += 1;
    return { queue, item };
  }

  function leave({ queue }: Part): void {
    queue.lists -= 1;
    if (queue.lists === 0) queues.delete(queue.audience);
  }

  /** What keeps the list from being appended now, or null. */
  function obstacle(list: readonly Part[]): Promise<void> | null {
    for (const { queue } of list) {
      if (isMuch(queue.underWay, replay))
        return new Promise((goOn, giveUp) => void queue.waiting.push({ goOn, giveUp }));
      const paced = pace(queue.audience);
      if (paced !== null) return paced;
    }
    return null;
  }

  async function run(list: readonly Part[]): Promise<readonly Appended[]> {
    for (const { queue, item } of list) count(queue.underWay, [item]);
    let tell = ({ goOn }: AudienceQueue['waiting'][number]): void => goOn();
    try {
      return await link.append(list.map(({ item }) => item));
    } catch (error) {
      tell = ({ giveUp }) => giveUp(error);
      throw error;
    } finally {
      for (const { queue, item } of list) {
        count(queue.underWay, [item], -1);
        queue.waiting.splice(0).forEach(tell);
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

  async function waitInTurn(
    list: readonly Part[],
    ahead: readonly Promise<unknown>[],
  ): Promise<readonly Appended[]> {
    const turn = inTurn(list, ahead);
    for (const { queue } of list) queue.tail = turn;
    const { confirmed } = await turn.finally(() => {
      for (const { queue } of list) if (queue.tail === turn) queue.tail = null;
    });
    return confirmed;
  }

  return {
    async append(items) {
      const list = items.map(enter);
      try {
        const ahead = list.flatMap(({ queue }) => queue.tail ?? []);
        if (ahead.length === 0) {
          const wait = obstacle(list);
          if (wait === null) return await run(list);
          ahead.push(wait);
        }
        return await waitInTurn(list, ahead);
      } finally {
        list.forEach(leave);
      }
    },
  };
}

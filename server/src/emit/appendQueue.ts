// Decides when a list is appended: immediately, or after earlier lists if many of them are not confirmed, read, or
// delivered. A connection is a position in a ring (D-HUB-3). If callers emitted faster than clients read, the ring
// would drop entries that clients still need.

import type { Appended, AppendItem, BackplaneLink, ReplayLimits } from '../log/backplane.ts';
import { addTo, isLarge, removeFrom, type Backlog } from './backlog.ts';

/** The queue between `emit` and the backplane. */
export interface AppendQueue {
  /**
   * Like `BackplaneLink.append`, in the order of the calls for each audience (D-HUB-5). Appends synchronously when no list waits. A list
   * that waits behind an unconfirmed list is rejected with it, so that no caller waits for two timeouts (D-HUB-7).
   */
  readonly append: (items: readonly AppendItem[]) => Promise<readonly Appended[]>;
}

/** The lists of one audience that are not confirmed or not read yet. */
interface AudienceQueue {
  readonly audience: string;
  /** The envelopes that were appended and are not confirmed, or not read by this node. */
  readonly unread: Backlog;
  /** Settles when the last waiting list is appended. Null while no list waits. */
  tail: Promise<unknown> | null;
  /** Lists that wait until others are read. */
  readonly waiting: PromiseSettlers[];
}

interface PromiseSettlers {
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** The envelope of a list for one audience. */
interface Part {
  readonly queue: AudienceQueue;
  readonly item: AppendItem;
}

/** The collaborators of the queue. */
export interface AppendQueueNeeds {
  readonly link: Pick<BackplaneLink, 'append'>;
  readonly replay: ReplayLimits;
  /** Null if this node has read the entry or has no subscribers for it. Otherwise resolves when it has, or when it takes too long. */
  readonly whenRead: (audience: string, seq: number) => Promise<void> | null;
  /** Null if the subscribers of an audience keep up. Otherwise resolves when the caller should check again. */
  readonly pace: (audience: string) => Promise<void> | null;
}

/** Creates an empty queue. */
export function createAppendQueue({ link, replay, whenRead, pace }: AppendQueueNeeds): AppendQueue {
  const queues = new Map<string, AudienceQueue>();

  function enter(item: AppendItem): Part {
    const { audience } = item;
    let queue = queues.get(audience);
    if (queue === undefined) {
      queue = { audience, unread: { envelopes: 0, bytes: 0 }, tail: null, waiting: [] };
      queues.set(audience, queue);
    }
    return { queue, item };
  }

  function removeIfEmpty({ audience, unread, tail }: AudienceQueue): void {
    if (unread.envelopes === 0 && tail === null) queues.delete(audience);
  }

  /** The promise that the list has to wait for before it can be appended, or null. */
  function obstacle(list: readonly Part[]): Promise<void> | null {
    for (const { queue } of list) {
      if (isLarge(queue.unread, replay))
        return new Promise((resolve, reject) => void queue.waiting.push({ resolve, reject }));
      const paced = pace(queue.audience);
      if (paced !== null) return paced;
    }
    return null;
  }

  /** The part is read, or it was not confirmed. */
  function settle({ queue, item }: Part, settleOne: (settlers: PromiseSettlers) => void): void {
    removeFrom(queue.unread, [item]);
    queue.waiting.splice(0).forEach(settleOne);
    removeIfEmpty(queue);
  }

  async function run(list: readonly Part[]): Promise<readonly Appended[]> {
    for (const { queue, item } of list) addTo(queue.unread, [item]);
    let appended: readonly Appended[];
    try {
      appended = await link.append(list.map(({ item }) => item));
    } catch (error) {
      for (const part of list) settle(part, ({ reject }) => reject(error));
      throw error;
    }
    for (const [index, part] of list.entries()) {
      const proceed = (): void => settle(part, ({ resolve }) => resolve());
      const read = whenRead(part.queue.audience, appended[index]?.seq ?? 0);
      if (read === null) proceed();
      else void read.then(proceed);
    }
    return appended;
  }

  /** Resolves when the list is appended but not yet confirmed, because the next lists can continue then. */
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
      for (const { queue } of list) {
        if (queue.tail !== turn) continue;
        queue.tail = null;
        removeIfEmpty(queue);
      }
    });
    return confirmed;
  }

  return {
    async append(items) {
      const list = items.map(enter);
      const ahead = list.flatMap(({ queue }) => queue.tail ?? []);
      if (ahead.length === 0) {
        const wait = obstacle(list);
        if (wait === null) return run(list);
        ahead.push(wait);
      }
      return waitInTurn(list, ahead);
    },
  };
}

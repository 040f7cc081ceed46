// The behavior of the outbox on every database and through every driver.

import type { Directive } from '@edict/core/protocol';
import type { EmitOptions } from '../../src/index.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createRelay,
  migrate,
  outbox,
  type OutboxTransaction,
  type Relay,
  type RelaySource,
} from '../../src/postgres/index.ts';
import { listeningHub, type ListeningHub } from './listeningHub.ts';

/** A database under test. */
export interface DatabaseUnderTest {
  readonly db: RelaySource;
  /** Runs work in a transaction of the application. */
  readonly transaction: (work: (tx: OutboxTransaction) => Promise<void>) => Promise<unknown>;
  /** Runs a statement outside of a transaction. */
  readonly run: (sql: string) => Promise<readonly unknown[]>;
}

export const refresh = (id: number | string, more: Partial<Directive> = {}): Directive =>
  ({ op: 'refresh_item', name: 'ticket', id, ...more }) as Directive; // The tests only add fields of this operation.

/** Creates a relay that is closed after the test. */
export function relayForTest(db: RelaySource, hub: ListeningHub, pollMs = 60_000): Relay {
  const relay = createRelay({ db, hub, pollMs, log: () => {} });
  onTestFinished(() => relay.close());
  return relay;
}

/** Defines the suite. */
export function outboxContract(name: string, under: () => DatabaseUnderTest): void {
  describe(`the outbox over ${name}`, () => {
    let { db, transaction, run } = {} as DatabaseUnderTest; // Set before each test.
    const emitted = async (directives: Directive[], options?: EmitOptions): Promise<Directive[]> => {
      let stamped: Directive[] = [];
      await transaction(async (tx) => {
        stamped = await outbox(tx).emit(directives, options);
      });
      return stamped;
    };
    beforeEach(async () => {
      ({ db, transaction, run } = under());
      await run('DROP TABLE IF EXISTS edict_outbox');
      await transaction((tx) => migrate(tx));
    });

    it('delivers committed directives without a call of drain', async () => {
      const hub = listeningHub();
      relayForTest(db, hub);
      await emitted([refresh(1)]);
      await hub.has(1);
      await emitted([refresh(2)]);
      await hub.has(2);
      expect(hub.ids()).toEqual([1, 2]);
    });

    it('emits nothing of a transaction that was rolled back', async () => {
      const hub = listeningHub();
      await expect(
        transaction(async (tx) => {
          await outbox(tx).emit([refresh(1)]);
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      await emitted([refresh(2)]);
      const relay = relayForTest(db, hub);
      await relay.drain();
      expect(hub.ids()).toEqual([2]);
    });

    it('D-HUB-1 returns directives with the same keys and fields as on the stream, so that clients recognize duplicates', async () => {
      const hub = listeningHub();
      const list = [refresh(1), refresh(2, { audience: 'team-7', idempotency_key: 'own' })];
      const stamped = await emitted(list, { source: 'client-1' });
      expect(stamped).toMatchObject([
        { id: 1, audience: 'global', source: 'client-1', idempotency_key: expect.any(String) },
        { id: 2, audience: 'team-7', source: 'client-1', idempotency_key: 'own' },
      ]);
      expect(stamped.every((directive) => !('seq' in directive))).toBe(true);
      await relayForTest(db, hub).drain();
      const pushed = hub.lists.flatMap(({ directives }) => directives);
      expect(pushed.map(({ seq: _seq, ...directive }) => directive)).toEqual(stamped);
    });

    it('D-HUB-1 returns one directive per audience, all with the same key', async () => {
      const stamped = await emitted([refresh(1)], { audience: ['a', 'b'] });
      expect(stamped.map(({ audience }) => audience)).toEqual(['a', 'b']);
      expect(new Set(stamped.map(({ idempotency_key }) => idempotency_key)).size).toBe(1);
    });

    it('D-HUB-5 rejects an invalid list with the path of the error, and writes nothing for an empty one', async () => {
      await expect(
        emitted([refresh(1), { op: 'refresh_item', name: 'x' } as unknown as Directive]),
      ).rejects.toThrow('directives[1].id');
      await expect(emitted([refresh(1, { audience: 'b' })], { audience: 'a' })).rejects.toThrow(/audience/);
      expect(await emitted([])).toEqual([]);
      expect(await run('SELECT id FROM edict_outbox')).toEqual([]);
    });

    it('delivers any text unchanged', async () => {
      const hub = listeningHub();
      const id = `'; DROP TABLE x; -- $1 \\ \u0000 \u2028 ü 𝄞 "`;
      await emitted([refresh(id, { audience: `o'hara $1` })]);
      await relayForTest(db, hub).drain();
      expect(hub.ids(`o'hara $1`)).toEqual([id]);
    });

    it('D-HUB-5 keeps the order of the emits of a transaction, and of the transactions', async () => {
      const hub = listeningHub();
      await transaction(async (tx) => {
        for (const id of [1, 2, 3]) await outbox(tx).emit([refresh(id)]);
      });
      await emitted([refresh(4)]);
      await relayForTest(db, hub).drain();
      expect(hub.ids()).toEqual([1, 2, 3, 4]);
    });

    it('delivers what was committed before a relay started, and keeps no delivered row', async () => {
      const hub = listeningHub();
      for (let from = 0; from < 600; from += 100)
        await transaction(async (tx) => {
          for (let id = from; id < from + 100; id += 1) await outbox(tx).emit([refresh(id)]);
        });
      await relayForTest(db, hub).drain();
      expect(hub.ids()).toEqual(Array.from({ length: 600 }, (_, id) => id));
      expect(await run('SELECT id FROM edict_outbox')).toEqual([]);
    });

    it('joins waiting rows into few envelopes, each for one audience', async () => {
      const hub = listeningHub();
      for (let id = 0; id < 40; id += 1) await emitted([refresh(id)], { audience: id % 2 === 0 ? 'a' : 'b' });
      await relayForTest(db, hub).drain();
      expect(hub.lists.length).toBeLessThanOrEqual(4);
      expect(hub.ids('a')).toEqual(Array.from({ length: 20 }, (_, id) => id * 2));
    });

    it('delivers unconfirmed directives again', async () => {
      const hub = listeningHub();
      const relay = relayForTest(db, hub, 20);
      await relay.drain();
      let isAway = true;
      hub.before = () => {
        if (isAway) throw new Error('not confirmed');
      };
      await emitted([refresh(1)]);
      await expect(relay.drain()).rejects.toThrow('not confirmed');
      await emitted([refresh(2)]);
      isAway = false;
      await hub.has(2);
      expect(hub.ids()).toEqual([1, 2]);
    });

    it('sets aside a row that the hub rejects as invalid, and delivers the following rows', async () => {
      const hub = listeningHub();
      for (const id of [1, 2, 3]) await emitted([refresh(id)]);
      hub.before = (directives) => {
        if (JSON.stringify(directives).includes('"id":2')) throw new TypeError('too large');
      };
      await relayForTest(db, hub).drain();
      expect(hub.ids()).toEqual([1, 3]);
      expect(await run('SELECT refusal FROM edict_outbox')).toEqual([{ refusal: 'too large' }]);
    });

    it('keeps its table and rows when it is migrated again', async () => {
      const hub = listeningHub();
      await emitted([refresh(1)]);
      await transaction((tx) => migrate(tx));
      await relayForTest(db, hub).drain();
      expect(hub.ids()).toEqual([1]);
    });

    it('delivers nothing after its relay was closed', async () => {
      const hub = listeningHub();
      const relay = createRelay({ db, hub, pollMs: 5, log: () => {} });
      await relay.drain();
      await relay.close();
      await emitted([refresh(1)]);
      expect(hub.ids()).toEqual([]);
    });
  });
}

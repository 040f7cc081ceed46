// A relay over a pool of `pg` with few connections, or with connections that end.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRelay, type PgClient, type PgPool } from '../../src/postgres/index.ts';
import { imitatedPgPool } from './imitatedPgPool.ts';
import { listeningHub } from './listeningHub.ts';
import { relayForTest } from './outbox.contract.ts';

describe('a relay over a pool of pg', () => {
  it('handles the error of a connection that ends during a transaction, and delivers again over another one', async () => {
    const { pool, delivering, dropped, lose } = imitatedPgPool([1, 2]);
    const hub = listeningHub();
    const unheard: unknown[] = [];
    hub.before = () => {
      hub.before = () => {};
      try {
        lose(delivering[0]);
        lose(delivering[0]); // pg emits an error twice: for the reason that the server sends, and for the lost connection.
      } catch (error) {
        unheard.push(error);
      }
    };
    relayForTest(pool, hub, 5);
    await hub.has(4);
    expect(unheard).toEqual([]);
    expect(hub.ids()).toEqual([1, 2, 1, 2]);
    expect(new Set(hub.keys()).size).toBe(2);
    expect(dropped).toContain(delivering[0]);
    expect(delivering[1]).not.toBe(delivering[0]);
  });

  it('leaves no listener on a client that it releases', async () => {
    const { pool, delivering } = imitatedPgPool([1]);
    const relay = relayForTest(pool, listeningHub());
    await relay.drain();
    await relay.drain();
    await relay.close();
    expect(delivering.length).toBeGreaterThan(3);
    expect(delivering.map((client) => client.listenerCount('error'))).toEqual(delivering.map(() => 1)); // The listener of the pool.
  });

  it.each([
    ['returns a client whose transaction was rolled back', true],
    ['closes a client that cannot even roll back', false],
  ])('%s', async (_, canRollBack) => {
    const released: unknown[] = [];
    const newClient = (): PgClient => {
      let isDelivering = false;
      return {
        async query(sql) {
          isDelivering ||= sql === 'BEGIN';
          if (sql.startsWith('SET') || (sql === 'ROLLBACK' && !canRollBack)) throw new Error('refused');
          return { rows: [] };
        },
        release: (isBroken) => void (isDelivering && released.push(isBroken)),
        on: () => {},
        off: () => {},
      };
    };
    const pool: PgPool = { connect: async () => newClient(), query: async () => {} };
    await expect(relayForTest(pool, listeningHub()).drain()).rejects.toThrow('refused');
    expect(new Set(released)).toEqual(new Set([!canRollBack]));
  });

  it.each(['error', 'end'] as const)('listens again when its connection is lost (%s)', async (event) => {
    const { pool, listening, dropped, reaches, lose } = imitatedPgPool([]);
    const told: string[] = [];
    const relay = createRelay({
      db: pool,
      hub: listeningHub(),
      pollMs: 5,
      log: (_level, message) => told.push(message),
    });
    await reaches(listening, 1);
    lose(listening[0], event);
    await reaches(listening, 2);
    await relay.close();
    expect(told).toEqual([
      'The relay lost the connection that listens. It opens another one when it looks next.',
    ]);
    expect(listening[1]).not.toBe(listening[0]);
    expect(dropped).toEqual(listening); // Both were released, the second when the relay was closed.
  });

  it('rejects a pool whose max is below two clients', () => {
    const { pool } = imitatedPgPool([], 1);
    const relay = () => createRelay({ db: { ...pool, options: { max: 1 } }, hub: listeningHub() });
    expect(relay).toThrow(
      /^\[edict\] createRelay: db must be a pool of at least two clients, one that listens and one that delivers, not of max: 1\.$/,
    );
    const { pool: two } = imitatedPgPool([], 2);
    expect(() => relayForTest({ ...two, options: { max: 2 } } as typeof two, listeningHub())).not.toThrow();
  });

  it('rejects a single client, also inside a Drizzle database', () => {
    // Only a `Client` of `pg` has `escapeLiteral`, a `Pool` does not.
    const client = { connect: async () => {}, query: async () => {}, escapeLiteral: (text: string) => text };
    for (const db of [client, { $client: client }])
      expect(() => createRelay({ db: db as unknown as PgPool, hub: listeningHub() })).toThrow(
        /^\[edict\] createRelay: db must be .* a pg Pool, /,
      );
  });

  it('can be closed when its pool has only one client', async () => {
    const { pool, made, dropped } = imitatedPgPool([1], 1);
    const hub = listeningHub();
    const relay = createRelay({ db: pool, hub, pollMs: 60_000, log: () => {} });
    await relay.close();
    expect(hub.ids()).toEqual([1]); // The pass in progress received the client.
    expect(dropped).toEqual([made[0]]);
  });

  it('continues when its log throws', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const threw = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { pool, listening, delivering, reaches, lose } = imitatedPgPool([]);
    const log = (): never => {
      throw new Error('the log is full');
    };
    const relay = createRelay({ db: pool, hub: listeningHub(), pollMs: 60_000, log });
    await reaches(listening, 1);
    lose(listening[0]);
    await reaches(delivering, 2);
    await relay.close();
    expect(threw).toHaveBeenCalledWith('[edict] The option "log" failed', new Error('the log is full'));
    expect(said).toHaveBeenCalled();
  });

  it('does not listen again before the next poll when it loses the connection immediately', async () => {
    const { pool, listening, delivering, reaches, lose } = imitatedPgPool([]);
    const relay = createRelay({ db: pool, hub: listeningHub(), pollMs: 60_000, log: () => {} });
    await reaches(listening, 1);
    lose(listening[0]);
    await reaches(delivering, 3); // A pass, the measurement, and the pass after it has started to listen.
    await relay.close();
    expect(listening.length).toBe(1);
  });
});

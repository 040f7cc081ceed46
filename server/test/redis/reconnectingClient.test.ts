// A client that reconnects by itself, over connections that a test opens, fails, and ends.

import { describe, expect, it, onTestFinished } from 'vitest';
import { createReconnectingClient, type RedisConnection } from '../../src/redis/reconnectingClient.ts';
import { createWorld } from '../support/world.ts';

interface Made {
  readonly open: () => void;
  readonly refuse: (reason: Error) => void;
  readonly end: () => void;
  /** Responds to the oldest command without a response. */
  readonly reply: (value: unknown) => void;
  readonly isEnded: () => boolean;
}

const refusal = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

function setup() {
  const world = createWorld();
  const made: Made[] = [];
  function createConnection(): RedisConnection {
    const listeners = new Map<string, (error?: unknown) => void>();
    const replies: ((value: unknown) => void)[] = [];
    let isEnded = false;
    let settle: { resolve: () => void; reject: (reason: Error) => void };
    made.push({
      open: () => settle.resolve(),
      refuse: (reason) => settle.reject(reason),
      end: () => listeners.get('end')?.(),
      reply: (value) => replies.shift()?.(value),
      isEnded: () => isEnded,
    });
    return {
      connect: () => new Promise((resolve, reject) => (settle = { resolve, reject })),
      disconnect: () => void (isEnded = true),
      on: (event, listener) => listeners.set(event, listener),
      call: (command) =>
        command === 'HELLO'
          ? Promise.resolve([])
          : new Promise((resolve, reject) =>
              replies.push((value) => (value instanceof Error ? reject(value) : resolve(value))),
            ),
    };
  }
  const client = createReconnectingClient({
    env: world,
    timeoutMs: 2000,
    purpose: 'commands',
    createConnection,
  });
  onTestFinished(() => client.close());
  const outcomes: string[] = [];
  return {
    world,
    client,
    made,
    outcomes,
    lines: () => world.logged.map(({ level, message }) => `${level} ${message}`),
    run: () => void client.run('GET', ['a']).then((reply) => outcomes.push(String(reply)), (error) => outcomes.push(String(error))), // prettier-ignore
  };
}

describe('a connection to Redis', () => {
  it('is ended when it takes too long to open, when it is lost, and when the client is closed', async () => {
    const { world, client, made } = setup();
    await world.advance(2000);
    expect(made[0]?.isEnded()).toBe(true);
    await world.advance(50);
    made[1]?.open();
    await world.drain();
    expect(client.isConnected()).toBe(true);
    made[1]?.end();
    expect([client.isConnected(), made[1]?.isEnded()]).toEqual([false, true]);
    await world.advance(50);
    expect(made).toHaveLength(3);
    client.close();
    expect(made[2]?.isEnded()).toBe(true); // It was not open yet.
    await world.advance(10_000);
    expect(made).toHaveLength(3);
  });

  it('is tried again after 38 ms to 750 ms, with one log line for an outage and one for its end', async () => {
    const { world, made, lines } = setup();
    for (const waitMs of [37.5, 75, 150, 300, 600, 750, 750]) {
      const attempts = made.length;
      made.at(-1)?.refuse(new Error('connect ECONNREFUSED'));
      await world.advance(waitMs - 0.5);
      expect(made).toHaveLength(attempts);
      await world.advance(0.5);
      expect(made).toHaveLength(attempts + 1);
    }
    const failed = 'warn Redis (commands): the connection failed. The hub tries again until it succeeds.';
    expect(lines()).toEqual([failed]);
    made.at(-1)?.open();
    await world.drain();
    const isOpen = 'warn Redis (commands): the connection is open again.';
    expect(lines()).toEqual([failed, isOpen]);
    const attempts = made.length;
    made.at(-1)?.end();
    await world.advance(37.5);
    expect(made).toHaveLength(attempts + 1); // It begins with short waits again.
    expect(lines()).toEqual([failed, isOpen, failed]);
  });

  it.each([
    ['BUSY Redis is busy running a script.', true],
    ['LOADING Redis is loading the dataset in memory', true],
    ['UNBLOCKED force unblock from blocking operation', true],
    ['OOM command not allowed when used memory is above maxmemory.', false],
  ])('is replaced when a new one may help: %s', async (message, isReplaced) => {
    const { world, made, run, outcomes } = setup();
    made[0]?.open();
    await world.drain();
    run();
    made[0]?.reply(refusal(message));
    await world.drain();
    expect(outcomes).toEqual([`RedisError: ${message}`]);
    expect(made[0]?.isEnded()).toBe(isReplaced);
  });
});

describe('a command for Redis', () => {
  it('D-HUB-7 has one deadline for the connection and the response', async () => {
    const { world, made, run, outcomes } = setup();
    run();
    await world.advance(1500);
    made[0]?.open();
    await world.advance(499);
    expect(outcomes).toEqual([]);
    await world.advance(1);
    expect(outcomes).toEqual(['RedisError: Redis did not respond within 500 ms.']);
    expect(made[0]?.isEnded()).toBe(true); // A stalled connection can look open for minutes.
  });

  it('is rejected with the reason of the last attempt when no connection opens in time', async () => {
    const { world, made, run, outcomes } = setup();
    run();
    made[0]?.refuse(new Error('connect ECONNREFUSED'));
    await world.advance(2000);
    expect(outcomes).toEqual([
      'RedisError: Redis did not respond within 2000 ms. The last attempt to connect failed: connect ECONNREFUSED',
    ]);
  });

  it.each(['WRONGPASS invalid password', 'NOAUTH Authentication required.', 'NOPERM no permissions'])(
    'does not wait while Redis refuses every connection: %s',
    async (message) => {
      const { world, made, run, outcomes } = setup();
      run();
      made[0]?.refuse(refusal(message));
      await world.drain();
      run();
      await world.drain();
      expect(outcomes).toEqual([`RedisError: ${message}`, `RedisError: ${message}`]);
      await world.advance(50);
      made[1]?.open();
      await world.drain();
      run();
      made[1]?.reply('value');
      await world.drain();
      expect(outcomes.at(-1)).toBe('value');
    },
  );

  it('is rejected immediately when the client is closed', async () => {
    const { world, client, run, outcomes } = setup();
    run();
    client.close();
    run();
    await world.drain();
    expect(outcomes).toEqual(Array.from({ length: 2 }, () => 'RedisError: The Redis backplane is closed.'));
  });
});

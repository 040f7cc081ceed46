import { expect, it, onTestFinished } from 'vitest';
import { createHighestSeq } from '../../src/redis/highestSeq.ts';
import { RedisError } from '../../src/redis/safeError.ts';
import { createStreamReaders } from '../../src/redis/streamReaders.ts';
import { createWorkHealth } from '../../src/redis/workHealth.ts';
import { createWorld } from '../support/world.ts';

/** The reply of a read with one new entry of the node's own log. */
const entry = [['own', [['1-1000', ['p', '0', 'b', '0', 'd', '']]]]];

function setup() {
  const env = createWorld();
  const reads: { resolve: (reply: unknown) => void; reject: (error: RedisError) => void; keys: unknown[] }[] =
    [];
  const wakes: (() => void)[] = [];
  const readers = createStreamReaders({
    env,
    now: () => env.now(),
    client: {
      run: (_, args) =>
        new Promise((resolve, reject) => {
          const list = args as unknown[]; // Only scripts have a function.
          reads.push({ resolve, reject, keys: list.slice(5, 5 + (list.length - 5) / 2) });
        }),
      isConnected: () => true,
      close: () => {},
    },
    highestSeq: createHighestSeq(env, 1000),
    ownKey: 'own',
    appendToOwnLog: () => new Promise<void>((resolve) => wakes.push(resolve)),
    health: createWorkHealth(env, 'read', ''),
    readLog: async () => ['0', [['5-1000', ['p', '0', 'b', '0', 'new', '1']]]],
    recreate: () => expect.unreachable(),
  });
  onTestFinished(() => readers.close());
  const open = (key: string): void =>
    void readers.open({ key, name: key, sink: { reset: () => {}, entries: () => {}, end: () => {} } });
  return { env, readers, reads, wakes, open };
}

it('pauses for 2 ms after a read that returned entries, so that a busy node makes fewer reads', async () => {
  const { env, readers, reads } = setup();
  await env.drain();
  expect(reads).toHaveLength(1);
  reads[0]?.resolve(entry);
  await env.advance(1);
  expect(readers.ownSeq()).toBe(1);
  expect(reads).toHaveLength(1);
  await env.advance(1);
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(null);
  await env.drain();
  expect(reads).toHaveLength(3);
});

it('ends the blocking read when logs are ready that it began without, with one append at a time', async () => {
  const { env, reads, wakes, open } = setup();
  for (const key of ['a', 'b']) open(key);
  await env.drain();
  expect([reads[0]?.keys, wakes]).toEqual([['own'], [expect.anything()]]);
  open('c');
  await env.drain();
  expect(wakes).toHaveLength(1);
  wakes[0]?.();
  reads[0]?.resolve(null);
  await env.drain();
  expect([reads[1]?.keys, wakes.length]).toEqual([['own', 'a', 'b', 'c'], 2]); // `c` may have been too late for the first.
  wakes[1]?.();
  open('d');
  await env.drain();
  expect(wakes).toHaveLength(3);
});

it('waits longer after each failed read, and not after one that succeeded', async () => {
  const { env, reads } = setup();
  for (const waitMs of [37.5, 75, 150]) {
    const count = reads.length;
    reads.at(-1)?.reject(new RedisError('WRONGTYPE', true));
    await env.advance(waitMs - 0.5);
    expect(reads).toHaveLength(count);
    await env.advance(0.5);
    expect(reads).toHaveLength(count + 1);
  }
  reads.at(-1)?.resolve(null);
  await env.drain();
  const count = reads.length;
  reads.at(-1)?.reject(new RedisError('WRONGTYPE', true));
  await env.advance(37.5);
  expect(reads).toHaveLength(count + 1);
});

it('makes no further read after it was closed', async () => {
  const { env, readers, reads } = setup();
  readers.close();
  reads[0]?.reject(new RedisError('The connection ended.'));
  await env.advance(60_000);
  expect(reads).toHaveLength(1);
});

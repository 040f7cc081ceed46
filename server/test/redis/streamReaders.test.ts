import { expect, it, onTestFinished } from 'vitest';
import { createHighestSeq } from '../../src/redis/highestSeq.ts';
import { createStreamReaders } from '../../src/redis/streamReaders.ts';
import { createWorkHealth } from '../../src/redis/workHealth.ts';
import { createWorld } from '../support/world.ts';

/** The reply of a read with one new entry of the node's own log. */
const entry = [['own', [['1-1000', ['p', '0', 'b', '0', 'd', '']]]]];

it('pauses for 2 ms after a read that returned entries, so that a busy node makes fewer reads', async () => {
  const env = createWorld();
  const replies: ((reply: unknown) => void)[] = [];
  const readers = createStreamReaders({
    env,
    now: () => env.now(),
    client: {
      run: () => new Promise((resolve) => replies.push(resolve)),
      isConnected: () => true,
      close: () => {},
    },
    highestSeq: createHighestSeq(env, 1000),
    ownKey: 'own',
    appendToOwnLog: () => expect.unreachable(),
    health: createWorkHealth(env, 'read', ''),
    readLog: () => expect.unreachable(),
    recreate: () => expect.unreachable(),
  });
  onTestFinished(() => readers.close());
  await env.drain();
  expect(replies).toHaveLength(1);
  replies[0]?.(entry);
  await env.advance(1);
  expect(readers.ownSeq()).toBe(1);
  expect(replies).toHaveLength(1);
  await env.advance(1);
  expect(replies).toHaveLength(2);
  replies[1]?.(null);
  await env.drain();
  expect(replies).toHaveLength(3);
});

import { expect, it } from 'vitest';
import { createHighestSeq } from '../../src/redis/highestSeq.ts';
import { createLogChecks } from '../../src/redis/logChecks.ts';
import { createRedisClock } from '../../src/redis/redisClock.ts';
import { RedisError } from '../../src/redis/safeError.ts';
import type { StreamReaders } from '../../src/redis/streamReaders.ts';
import { createWorkHealth } from '../../src/redis/workHealth.ts';
import { createWorld } from '../support/world.ts';

const full = new RedisError('OOM command not allowed when used memory is above maxmemory.');
const noReaders: StreamReaders = {
  open: () => expect.unreachable(),
  all: () => [],
  get: () => undefined,
  ownSeq: () => 1,
  areSomeSetAside: () => false,
  count: () => 0,
  close: () => {},
};

/** Checks once while Redis contains the log `a`. `during` runs while the probe is in flight. */
async function checkOnce(
  before: readonly string[],
  during: readonly string[],
  probe: number,
): Promise<string[]> {
  const env = createWorld();
  const appends = createWorkHealth(env, 'append', '');
  for (const key of before) appends.fail(key, full);
  const checks = createLogChecks({
    env,
    scripts: { run: () => Promise.resolve(['1', ['5-0']]), runOnce: () => expect.unreachable() },
    readers: noReaders,
    highestSeq: createHighestSeq(env, 1000),
    clock: createRedisClock(),
    appends,
    reads: createWorkHealth(env, 'read', ''),
    async probe() {
      for (const key of during) appends.fail(key, full);
      if (probe === 0) throw full;
      return probe;
    },
    ownKey: 'own',
  });
  await checks.run();
  checks.close();
  return [...appends.failing()];
}

it('D-HUB-8 counts refused appends as accepted again only when a later probe was accepted', async () => {
  expect(await checkOnce(['a'], [], 1)).toEqual([]);
  expect(await checkOnce(['a'], [], 0)).toEqual(['a']);
  expect(await checkOnce([], ['a'], 1)).toEqual(['a']);
});

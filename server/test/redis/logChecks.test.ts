import { expect, it } from 'vitest';
import { createHighestSeq } from '../../src/redis/highestSeq.ts';
import type { RedisLogReader } from '../../src/redis/logReader.ts';
import { createLogChecks, type LogChecksNeeds } from '../../src/redis/logChecks.ts';
import { createRedisClock } from '../../src/redis/redisClock.ts';
import { RedisError } from '../../src/redis/safeError.ts';
import type { StreamReaders } from '../../src/redis/streamReaders.ts';
import { createWorkHealth } from '../../src/redis/workHealth.ts';
import { createWorld } from '../support/world.ts';

const full = new RedisError('OOM command not allowed when used memory is above maxmemory.');
const refused = new RedisError('NOPERM no permissions', true);
const noReaders: StreamReaders = {
  open: () => expect.unreachable(),
  all: () => [],
  get: () => undefined,
  ownSeq: () => 1,
  areSomeSetAside: () => false,
  count: () => 0,
  close: () => {},
};

/** Checks of a Redis that contains the log `a` and accepts everything. */
function setup(needs: Partial<LogChecksNeeds> = {}) {
  const env = createWorld();
  const all: LogChecksNeeds = {
    env,
    scripts: { run: () => Promise.resolve(['1', ['5-0']]), runOnce: () => expect.unreachable() },
    readers: noReaders,
    highestSeq: createHighestSeq(env, 1000),
    clock: createRedisClock(),
    appends: createWorkHealth(env, 'append', ''),
    reads: createWorkHealth(env, 'read', ''),
    probe: async () => 1,
    ownKey: 'own',
    ...needs,
  };
  return { ...all, env, checks: createLogChecks(all) };
}

/** Checks once. `during` runs while the probe is in flight. */
async function checkOnce(
  before: readonly string[],
  during: readonly string[],
  probe: number,
): Promise<string[]> {
  const { checks, appends } = setup({
    async probe() {
      for (const key of during) appends.fail(key, full);
      if (probe === 0) throw full;
      return probe;
    },
  });
  for (const key of before) appends.fail(key, full);
  await checks.run();
  checks.close();
  return [...appends.failing()];
}

it('D-HUB-8 counts refused appends as accepted again only when a later probe was accepted', async () => {
  expect(await checkOnce(['a'], [], 1)).toEqual([]);
  expect(await checkOnce(['a'], [], 0)).toEqual(['a']);
  expect(await checkOnce([], ['a'], 1)).toEqual(['a']);
});

it('compares every log with the newest entry that the node knows, 100 logs at a time', async () => {
  const sent: [keys: readonly string[], ids: readonly unknown[]][] = [];
  const names = Array.from({ length: 250 }, (_, index) => `log ${index}`);
  const compared: string[] = [];
  const reader = (key: string) =>
    ({
      key,
      position: () => ({ seq: 5, micros: 7 }),
      compare: ({ seq }) => void compared.push(`${key} ${seq}`),
      retry: () => {},
    }) as RedisLogReader; // The checks use only these.
  const readers = new Map(names.map((key) => [key, reader(key)]));
  const { checks, highestSeq } = setup({
    readers: { ...noReaders, all: () => readers.values(), get: (key) => readers.get(key) },
    scripts: {
      async run({ keys, args }) {
        sent.push([keys, args()]);
        return ['1', keys.map(() => '6-1')];
      },
      runOnce: () => expect.unreachable(),
    },
  });
  highestSeq.note('log 1', 9); // A confirmed entry that this node has not read yet.
  await checks.run();
  checks.close();
  expect(sent.map(([keys]) => keys.length)).toEqual([100, 100, 50]);
  expect(sent.flatMap(([keys]) => keys)).toEqual(names);
  expect(sent[0]?.[1].slice(0, 3)).toEqual(['5-7', '9-0', '5-7']);
  expect(compared).toEqual(names.map((key) => `${key} 6`));
});

it('run every 1.5 s, one at a time, until they are closed', async () => {
  const probes: ((seq: number) => void)[] = [];
  const { env, checks } = setup({ probe: () => new Promise((resolve) => probes.push(resolve)) });
  for (const _ of [1, 2]) void checks.run(); // The connection was lost and is open again.
  await env.advance(10_000);
  expect(probes).toHaveLength(1);
  probes[0]?.(1);
  await env.advance(1499);
  expect(probes).toHaveLength(1);
  await env.advance(1);
  expect(probes).toHaveLength(2);
  checks.close();
  probes[1]?.(2);
  await env.drain();
  expect(env.timers()).toBe(0);
});

it('D-HUB-8 count blocking reads as refused when two checks do not find the entry of the previous one', async () => {
  let ownSeq = 0;
  const { env, checks, reads } = setup({ readers: { ...noReaders, ownSeq: () => ownSeq } });
  const outcomes: boolean[] = [];
  for (const seq of [0, 0, 0, 1]) {
    ownSeq = seq;
    await checks.run();
    outcomes.push(reads.failing().has('probe'));
  }
  expect(outcomes).toEqual([false, false, true, false]);
  expect(env.logged.map(({ message }) => message)).toEqual([
    'Redis refuses to read. ',
    'Redis accepts to read again.',
  ]);
  checks.close();
});

it('end the streams only when neither blocking reads nor checks work', async () => {
  let ended = 0;
  const reader = {
    key: 'a',
    position: () => null,
    endUnlessReadable: () => (ended += 1),
  } as unknown as RedisLogReader; // The checks use only these.
  const { checks, reads } = setup({
    readers: { ...noReaders, all: () => [reader] },
    scripts: { run: () => Promise.reject(refused), runOnce: () => expect.unreachable() },
    appends: { ...createWorkHealth(createWorld(), 'append', ''), failing: () => new Set(['a']) },
  });
  await checks.run();
  expect([[...reads.failing()], ended]).toEqual([['check'], 0]);
  reads.fail('XREAD', refused);
  await checks.run();
  expect(ended).toBe(1);
  checks.close();
});

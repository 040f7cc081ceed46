// One log, whose replies a test controls.

import { expect, it } from 'vitest';
import type { LogView } from '../../src/log/backplane.ts';
import { createHighestSeq } from '../../src/redis/highestSeq.ts';
import { openLogReader } from '../../src/redis/logReader.ts';
import { RedisError } from '../../src/redis/safeError.ts';
import { createWorld } from '../support/world.ts';

type Entry = [id: string, fields: string[]];

/** An entry whose microseconds are its number times 1000. */
const entry = (seq: number, micros = seq * 1000): Entry => [
  `${seq}-${micros}`,
  ['p', String((seq - 1) * 1000), 'b', '0', 'd', String(seq)],
];
const mark = (seq: number): Entry => [`${seq}-${seq * 1000}`, ['p', '0', 'b', '0', 'lost', '1']];

function setup() {
  const world = createWorld();
  const highestSeq = createHighestSeq(world, 60_000);
  const calls: string[] = [];
  const replies: { done: (entries: Entry[]) => Promise<void>; fail: (error: Error) => Promise<void> }[] = [];
  const reader = openLogReader(
    {
      key: 'a',
      name: 'audience "a"',
      sink: {
        reset: ({ position }: LogView) => void calls.push(`reset ${position}`),
        entries: (list) => void calls.push(`entries ${list.map(({ seq }) => seq).join()}`),
        end: () => void calls.push('end'),
      },
    },
    {
      env: world,
      now: world.now,
      highestSeq,
      readLog: () =>
        new Promise((resolve, reject) =>
          replies.push({
            done(entries) {
              resolve(['0', entries]);
              return world.drain();
            },
            fail(error) {
              reject(error);
              return world.drain();
            },
          }),
        ),
      recreate: async () => void calls.push('recreate'),
      onReady: () => void calls.push('ready'),
      onClose: () => void calls.push('close'),
    },
  );
  const ready = reader.ready.catch(() => {});
  /** Responds to the first read of the log. */
  async function begin(...entries: Entry[]): Promise<void> {
    await world.drain();
    await replies.shift()?.done(entries);
    await ready;
    calls.splice(0);
  }
  return { world, highestSeq, reader, calls, replies, begin };
}

it('calls no sink after it was closed', async () => {
  const { world, reader, calls, replies } = setup();
  await world.drain();
  reader.close();
  await replies[0]?.done([entry(1)]);
  expect(calls).toEqual(['close']);
});

it('closes itself when the log cannot be read for the first time', async () => {
  const { world, reader, calls, replies } = setup();
  await world.drain();
  const error = new RedisError('OOM', true);
  await Promise.all([expect(reader.ready).rejects.toBe(error), replies[0]?.fail(error)]);
  expect(calls).toEqual(['close']);
});

it('reads the whole log only when it has not moved between two checks', async () => {
  const { reader, replies, begin } = setup();
  await begin(entry(1));
  reader.compare({ seq: 2, micros: 2000 });
  reader.take([entry(2)]);
  reader.compare({ seq: 3, micros: 3000 });
  expect(replies).toEqual([]);
  reader.compare({ seq: 3, micros: 3000 });
  expect(replies).toHaveLength(1);
  expect(reader.position()).toBeNull(); // Blocking reads leave it out.
  reader.retry();
  expect(replies).toHaveLength(1);
});

it('ignores entries of a blocking read while it reads the whole log', async () => {
  const { reader, calls, replies, begin } = setup();
  await begin(entry(1));
  reader.take([entry(3)]);
  reader.take([entry(2)]);
  expect(calls).toEqual([]);
  await replies[0]?.done([entry(1), entry(2), entry(3)]);
  expect(calls).toEqual(['entries 2,3', 'ready']);
});

it('creates a log with another history again, once', async () => {
  const { world, reader, calls, replies, begin } = setup();
  await begin(entry(1), entry(2));
  reader.take([['3-3000', ['p', '9', 'b', '0', 'd', 'of another history']]]);
  await world.drain();
  await replies.shift()?.done([mark(9)]);
  expect(calls).toEqual(['recreate', 'reset 9', 'ready']);
  for (const _ of [1, 2]) reader.compare({ seq: 10, micros: 10_000 });
  await replies.shift()?.done([mark(9), entry(10)]);
  expect(calls.slice(3)).toEqual(['entries 10', 'ready']);
});

it.each([
  ['all entries of a log that was created after its position', 7, ['reset 7', 'entries 8', 'ready']],
  ['no entry of a log that was created before its position', 3, ['reset 8', 'ready']],
])('delivers %s', async (_, createdAt, expected) => {
  const { reader, calls, replies, begin } = setup();
  await begin(entry(5));
  for (const _ of [1, 2]) reader.compare({ seq: 8, micros: 8000 });
  const entries = [4, 5, 6, 7, 8].filter((seq) => seq > createdAt).map((seq) => entry(seq, seq * 1000 + 1));
  await replies.shift()?.done([mark(createdAt), ...entries]);
  expect(calls).toEqual(expected);
});

it('leaves a log of another application out, above every known number and once, until it can be read', async () => {
  const { world, highestSeq, reader, calls, replies, begin } = setup();
  await begin(entry(1));
  const future = (world.now() + 1000) * 1000;
  highestSeq.note('b', future);
  reader.setAside();
  reader.retry();
  await replies.shift()?.fail(new RedisError('FOREIGN', true));
  expect(calls).toEqual([`reset ${future + 1}`]);
  expect([reader.isSetAside(), reader.position()]).toEqual([true, null]);
  reader.retry();
  await replies.shift()?.done([mark(future + 2)]);
  expect(calls.slice(1)).toEqual([`reset ${future + 2}`, 'ready']);
  expect(reader.isSetAside()).toBe(false);
});

it('ends the streams only when the last attempt is refused, and not after it was closed', async () => {
  const { reader, calls, replies, begin } = setup();
  await begin(entry(1));
  reader.endUnlessReadable();
  await replies.shift()?.fail(new RedisError('The connection ended.'));
  reader.retry();
  await replies.shift()?.fail(new RedisError('NOPERM', true));
  expect(calls).toEqual([]);
  reader.endUnlessReadable();
  reader.endUnlessReadable();
  await replies.shift()?.fail(new RedisError('NOPERM', true));
  await replies.shift()?.fail(new RedisError('NOPERM', true));
  expect(calls).toEqual(['close', 'end']);
});

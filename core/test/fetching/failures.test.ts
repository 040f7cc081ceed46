// Requests that fail: the error in meta, and which reads retry a failed entry.

import { describe, expect, it } from 'vitest';
import { kinds, setup, type Setup } from './kinds.ts';

describe.each(kinds)('D-FETCH-7 §7 errors ($kind)', ({ kind, calls, read, good }) => {
  it('meta.error is the message, and meta.cause and the event contain the original error', async () => {
    class HttpError extends Error {
      constructor(readonly status: number) {
        super(`answered ${status}`);
      }
    }
    const world = setup();
    const ref = read(world);
    expect(ref.meta.cause ?? null).toBeNull();
    const error = new HttpError(404);
    await calls(world).last().fail(error);
    expect(ref.meta.error).toBe('answered 404');
    expect(ref.meta.cause).toBe(error);
    expect(world.of(`${kind}:fetch:error`)[0]?.error).toBe(error);
    read(world, { force: true });
    await calls(world).last().answer(good(1));
    expect(ref.meta.error).toBeNull();
    expect(ref.meta.cause ?? null).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['a string', 'plain', 'plain'],
    ['an object with a message', { message: 'said', code: 7 }, 'said'],
    ['a number', 404, '404'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['an object without prototype', Object.create(null), ''],
  ])('a thrown value need not be an Error: %s', async (_, thrown, text) => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(thrown);
    expect(ref.meta.error).toEqual(expect.stringContaining(text));
    expect(ref.meta.cause).toBe(thrown);
    expect(ref.meta.isLoading).toBe(false);
  });

  it('an error without a message is reported by its name', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new RangeError(''));
    expect(ref.meta.error).toBe('RangeError');
  });

  it('a silent refetch that fails notifies subscribers, even though isLoading did not change', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().answer(good(1));
    read(world, { silent: true, force: true });
    const seen: unknown[] = [];
    world.dl.onRefChange(ref, () => seen.push(ref.meta.error));
    await calls(world).last().fail(new Error('down'));
    expect(seen).toEqual(['down']);
    expect(ref.meta.isLoading).toBe(false);
  });
});

/** What requests a failed entry again. */
const triggers: [string, (world: Setup, kind: (typeof kinds)[number]) => Promise<void>][] = [
  ['force: true', async (world, { read }) => void read(world, { force: true })],
  [
    'a refresh directive',
    async ({ dl, sim }, { refresh }) => {
      void dl.applyDirectives([refresh]);
      await sim.advance(50);
    },
  ],
];

describe.each(kinds)('§3 a failed entry ($kind)', (entry) => {
  const { calls, read, good, shown, empty, refresh } = entry;

  it('shows the error and keeps its data', async () => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    expect(ref.data).toEqual(empty);
    expect(ref.meta).toMatchObject({ isLoading: false, error: 'down' });
    read(world, { force: true });
    await calls(world).last().answer(good(1));
    read(world, { force: true });
    await calls(world).last().fail(new Error('down again'));
    expect(ref.data).toEqual(shown(1));
    expect(ref.meta.error).toBe('down again');
  });

  it('D-FETCH-2 is not retried by ordinary reads at any later time and keeps its reference', async () => {
    const world = setup({ memory: { enabled: false } });
    const ref = read(world);
    read(world); // Joins the request, and is not retried either.
    await calls(world).last().fail(new Error('down'));
    expect(ref.meta).toMatchObject({ error: 'down', isLoading: false });
    const { meta } = ref;
    for (const wait of [0, 1000, 13_999, 1, 1, 3_600_000]) {
      await world.sim.advance(wait);
      expect(calls(world).calls).toHaveLength(1);
      expect(read(world)).toBe(ref);
    }
    expect(calls(world).calls).toHaveLength(1);
    expect(ref.meta).toBe(meta);
  });

  it('with stale data is not retried by a read', async () => {
    const world = setup();
    read(world);
    await calls(world).last().answer(good(1));
    read(world, { force: true });
    await calls(world).last().fail(new Error('down'));
    await world.sim.advance(60_000);
    read(world);
    expect(calls(world).calls).toHaveLength(2);
  });

  it.each(triggers)('is loading by a forced fetch after %s, then fresh', async (_, trigger) => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    await trigger(world, entry);
    expect(ref.meta.isLoading).toBe(true);
    expect(calls(world).last().ctx.force).toBe(true);
    await calls(world).last().answer(good(1));
    expect(ref.data).toEqual(shown(1));
    expect(ref.meta).toMatchObject({ isLoading: false, error: null, isStale: false });
  });

  it.each(triggers)('is loading after %s, then failed again', async (_, trigger) => {
    const world = setup();
    const ref = read(world);
    await calls(world).last().fail(new Error('first'));
    await trigger(world, entry);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).last().fail(new Error('second'));
    expect(ref.meta).toMatchObject({ isLoading: false, error: 'second' });
    read(world);
    expect(calls(world).calls).toHaveLength(2);
  });

  it('D-FETCH-9 is loading when it is read after a refresh directive that sent no request', async () => {
    const world = setup({ bulk: { refetch: 'watched' } });
    const ref = read(world);
    await calls(world).last().fail(new Error('down'));
    read(world);
    await world.dl.applyDirectives([refresh]);
    await world.sim.advance(100);
    expect(calls(world).calls).toHaveLength(1);
    expect(ref.meta.error).toBe('down');
    read(world);
    expect(ref.meta.isLoading).toBe(true);
    await calls(world).at(1).answer(good(2));
    expect([ref.data, ref.meta.error]).toEqual([shown(2), null]);
  });

  it('D-FETCH-9 is fetched by a read if a directive arrived while the failed request was in flight', async () => {
    const world = setup({ bulk: { refetch: 'watched' } });
    read(world);
    await world.dl.applyDirectives([refresh]);
    await calls(world).last().fail(new Error('down'));
    read(world);
    expect(calls(world).calls).toHaveLength(2);
    await calls(world).at(1).fail(new Error('still down'));
    read(world);
    expect(calls(world).calls).toHaveLength(2);
  });
});

describe('§3 D-FETCH-7 a failed level', () => {
  it('sets meta.error, and meta.failedLevels and meta.levelErrors of that level only', async () => {
    const { dl, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    await item.last().answer({ id: 1 });
    await full.last().fail(new Error('too big'));
    expect(ref.meta.error).toBe('too big');
    expect(ref.meta.failedLevels).toEqual({ full: true });
    expect(ref.meta.levelErrors['full']).toBe('too big');
    expect(ref.meta.levelErrors['default'] ?? null).toBeNull();
    expect(ref.data).toEqual({ id: 1 });
  });

  it('does not stop another level from being read', async () => {
    const { dl, item, full } = setup();
    dl.fetchItem('ticket', 1, 'full');
    await full.last().fail(new Error('too big'));
    const ref = dl.fetchItem('ticket', 1);
    expect(item.calls).toHaveLength(1);
    await item.last().answer({ id: 1 });
    expect(ref.data).toEqual({ id: 1 });
    expect(ref.meta.error).toBe('too big');
  });

  it('§2.4 is the error and the cause of the item until it is resolved, unless another level failed later', async () => {
    const { dl, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    const [one, two] = [new Error('one'), new Error('two')];
    await full.at(0).fail(two);
    expect(ref.meta).toMatchObject({ error: 'two', cause: two });
    await item.at(0).fail(one);
    expect(ref.meta).toMatchObject({
      error: 'one',
      cause: one,
      levelErrors: { default: 'one', full: 'two' },
    });
    dl.fetchItem('ticket', 1, null, { force: true });
    await item.at(1).answer({ id: 1 });
    expect(ref.meta).toMatchObject({ error: 'two', cause: two });
    expect(ref.meta.levelErrors['default'] ?? null).toBeNull();
    expect(ref.meta.failedLevels['default'] ?? false).toBe(false);
    dl.fetchItem('ticket', 1, 'full', { force: true });
    await full.at(1).answer({ id: 1 });
    expect(ref.meta.error).toBeNull();
    expect(ref.meta.cause ?? null).toBeNull();
    expect(ref.meta.levelErrors['full'] ?? null).toBeNull();
    expect(ref.meta.failedLevels['full'] ?? false).toBe(false);
  });

  it('§2.4 is the error of the item if it failed last, even if another level was read last', async () => {
    const { dl, item, full } = setup();
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 1, 'full');
    await item.at(0).fail(new Error('one'));
    await full.at(0).fail(new Error('two'));
    expect(ref.meta.error).toBe('two');
  });
});

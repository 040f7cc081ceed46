import { useInfiniteCollection } from '@edict/react';
import { renderHook } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { byNumber, setup } from './numbers.tsx';

it('reads the first page with params, and calls nextParams with the last page and all pages', async () => {
  const { advance, wrapper, calls } = setup();
  const seen: unknown[] = [];
  const { result } = renderHook(
    () =>
      useInfiniteCollection('numbers', {
        params: { odd: true },
        nextParams(lastPage, pages) {
          seen.push([lastPage?.ids, pages.map(({ ids, count }) => [ids, count])]);
          return pages.length === 2 ? null : { odd: true, after: lastPage?.ids.at(-1) };
        },
        initialPages: 2,
      }),
    { wrapper },
  );
  expect(result.current).toMatchObject({ isPending: true, isFetching: true, error: null });
  await advance(20);
  expect(calls).toEqual(['{"odd":true}', '{"after":3,"odd":true}']);
  expect(seen.at(-1)).toEqual([
    [5],
    [
      [[1, 3], 3],
      [[5], 3],
    ],
  ]);
  expect({ ...result.current }).toMatchObject({
    data: { ids: [1, 3, 5] },
    isPending: false,
    hasNextPage: false,
  });
});

it('calls nextParams with undefined and an empty list for the first page when there are no params', async () => {
  const { advance, wrapper } = setup();
  const nextParams = vi.fn((lastPage: object | undefined) => (lastPage === undefined ? { page: 1 } : null));
  const { result } = renderHook(() => useInfiniteCollection('numbers', { nextParams }), { wrapper });
  expect(nextParams.mock.calls[0]).toEqual([undefined, []]);
  await advance(10);
  expect(result.current.data.ids).toEqual([1, 2]);
});

it.each([null, undefined])(
  'ends after the page for which nextParams returns %s, from the render on',
  async (end) => {
    const { advance, wrapper, calls } = setup();
    const { result, rerender } = renderHook(
      ({ max }) =>
        useInfiniteCollection('numbers', {
          nextParams: (_, { length }) => (length < max ? { page: length + 1 } : end),
          initialPages: 2,
        }),
      { wrapper, initialProps: { max: 3 } },
    );
    await advance(20);
    expect(result.current.hasNextPage).toBe(true);
    rerender({ max: 2 });
    expect(result.current.hasNextPage).toBe(false);
    rerender({ max: 1 });
    expect(result.current.data.ids).toEqual([1, 2]);
    await advance(10);
    expect(calls).toEqual(['{"page":1}', '{"page":2}']);
  },
);

it('starts with the collection without params when params is null', async () => {
  const { advance, wrapper, calls } = setup();
  const { result } = renderHook(
    () => useInfiniteCollection('numbers', { params: null, nextParams: () => null }),
    {
      wrapper,
    },
  );
  await advance(10);
  expect(calls).toEqual(['{}']);
  expect(result.current.data.ids).toEqual([1, 2]);
});

it('ends when the params of a page repeat, and logs the reason once', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const { advance, wrapper, calls } = setup();
  const { result, rerender } = renderHook(
    () => useInfiniteCollection('numbers', { nextParams: () => ({ page: 1 }), initialPages: 3 }),
    { wrapper },
  );
  await advance(10);
  rerender();
  expect(result.current.data.ids).toEqual([1, 2]);
  expect(result.current.hasNextPage).toBe(false);
  expect(calls).toEqual(['{"page":1}']);
  expect(warn.mock.calls).toEqual([
    [
      '[edict] useInfiniteCollection("numbers"): nextParams returned {"page":1} for two pages. Return null after the last page.',
    ],
  ]);
  vi.restoreAllMocks();
});

it.each([undefined, { page: 1 }])(
  'D-NAME-5 an async nextParams is an error, even if it rejects: %j',
  async (params) => {
    const { wrapper, advance } = setup();
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const nextParams = () => Promise.reject(new Error('no page'));
    const { result } = renderHook(() => useInfiniteCollection('numbers', { params, nextParams }), {
      wrapper,
    });
    await advance(10);
    const { error, meta, hasNextPage, isPending, data } = result.current;
    const message = '[edict] useInfiniteCollection("numbers"): nextParams must not be async.';
    expect([error?.message, meta.error, meta.cause]).toEqual([message, message, error]);
    expect([hasNextPage, isPending, data.ids]).toEqual([false, false, params === undefined ? [] : [1, 2]]);
    await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
    expect(unhandled).not.toHaveBeenCalled();
  },
);

it.each<[string, unknown]>([
  ['false', false],
  ['2', 2],
  ['""', ''],
])(
  'D-REACT-2 nextParams that returns %s instead of params throws a TypeError that names it',
  (given, params) => {
    const { wrapper } = setup();
    const nextParams = () => params as never;
    const useRead = (): unknown => useInfiniteCollection('numbers', { nextParams });
    vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(() => renderHook(useRead, { wrapper })).toThrow(
      `[edict] useInfiniteCollection("numbers"): nextParams must return params or null, but returned ${given}.`,
    );
    vi.restoreAllMocks();
  },
);

const missing = "nextParams is missing. Return the next page's params, or null after the last page.";

it.each([
  [undefined, missing],
  [null, missing],
  [{}, missing],
  [{ nextParams: null }, missing],
  [{ nextParams: 5 }, 'nextParams must be a function, but is 5.'],
  [{ ...byNumber(), initialPages: 0 }, 'initialPages must be a whole number of 1 or more, but is 0.'],
  [{ ...byNumber(), initialPages: 1.5 }, 'initialPages must be a whole number of 1 or more, but is 1.5.'],
  [
    { ...byNumber(), odd: true },
    'there is no option "odd". For a filter, pass { params: { odd: … } }. ' +
      'The options are params, nextParams, initialPages, enabled, silent, keepPrevious.',
  ],
])('names a wrong option: %o', (options, message) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
  expect(() => renderHook(() => useInfiniteCollection('numbers', options as never), { wrapper })).toThrow(
    new TypeError(`[edict] useInfiniteCollection("numbers"): ${message}`),
  );
  vi.restoreAllMocks();
});

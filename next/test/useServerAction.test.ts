// @vitest-environment jsdom
// The hook without a server: the action is a function that ends as Next.js ends it.

import { createDataLayer } from '@edict/core';
import { LiveBoundary, useServerAction, type ActionResponse, type ServerActionResult } from '@edict/next';
import { DLProvider, type UseMutationOptions } from '@edict/react';
import { act, cleanup, renderHook } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { afterEach, expect, it } from 'vitest';

afterEach(() => cleanup());

type Action = (id: number) => Promise<ActionResponse<string>>;

function show(
  action: Action,
  options?: UseMutationOptions<[id: number], string>,
): () => ServerActionResult<[id: number], string> {
  const dl = createDataLayer();
  const wrapper = ({ children }: { children: ReactNode }): ReactNode =>
    createElement(DLProvider, { dl }, children);
  const { result } = renderHook(() => useServerAction(action, options), { wrapper });
  return () => result.current;
}

/** What Next.js rejects the call with, after it has begun to navigate. */
const redirection = Object.assign(new Error('NEXT_REDIRECT'), {
  digest: 'NEXT_REDIRECT;push;/tickets/7;307;',
});

it('shows no error and calls no onError when the action redirects', async () => {
  const told: unknown[] = [];
  const hook = show(() => Promise.reject(redirection), {
    onError: (error) => told.push(error),
    onSettled: (result, error, input) => told.push([result, error, input]),
  });
  await act(() => expect(hook().run(7)).rejects.toBe(redirection));
  expect(hook().error).toBeNull();
  expect(hook().isRunning).toBe(false);
  expect(told).toEqual([[undefined, null, [7]]]);
});

it('shows the error of an action that fails, and passes it to the callbacks', async () => {
  const told: unknown[] = [];
  const failure = new Error('closed');
  const hook = show(() => Promise.reject(failure), {
    onError: (error, input) => told.push([error, input]),
    onSettled: (_, error) => told.push(error),
  });
  await act(() => expect(hook().run(7)).rejects.toBe(failure));
  expect(hook().error).toBe(failure);
  expect(told).toEqual([[failure, [7]], failure]);
});

it('resolves to the result of the action', async () => {
  const hook = show(async (id) => ({ result: `ticket ${id}`, directives: [] }));
  await act(() => expect(hook().run(7)).resolves.toBe('ticket 7'));
  expect(hook().error).toBeNull();
});

it.each([undefined, { id: 7 }])('rejects if the action returns no directives, but %j', async (response) => {
  const hook = show(async () => response as never);
  const fault =
    '[edict] useServerAction: the action must return { result, directives }, as one of live.action does.';
  await act(() => expect(hook().run(7)).rejects.toThrow(new TypeError(fault)));
  expect(hook().error?.message).toBe(fault);
});

it.each([undefined, Promise.resolve({ v: 1, items: [], collections: [], cursors: [] })])(
  'LiveBoundary throws if its state was not awaited: %o',
  (state) => {
    expect(() => LiveBoundary({ state: state as never })).toThrow(
      new TypeError(
        '[edict] <LiveBoundary>: state must be the result of live.prefetch. Await it: state={await live.prefetch(…)}.',
      ),
    );
  },
);

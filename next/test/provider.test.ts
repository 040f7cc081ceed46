// @vitest-environment jsdom
// The stream of a page, without a server.

import { createLiveProvider, LiveBoundary, type LiveState } from '@edict/next';
import { act, render } from '@testing-library/react';
import { createElement, type ReactElement } from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';

it('subscribes to the audiences of the visitor of each page', async () => {
  vi.useFakeTimers();
  const opened: string[][] = [];
  vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit) => {
    opened.push(new URLSearchParams(url.split('?')[1]).getAll('audience'));
    return await new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  const Live = createLiveProvider([]);
  const page = (...audience: string[]): ReactElement => {
    const state: LiveState = { v: 1, items: [], collections: [], cursors: [], audience };
    return createElement(Live, null, createElement(LiveBoundary, { state }));
  };
  const pass = (): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(1000));

  const { rerender } = render(page());
  await pass();
  expect(opened).toEqual([]);
  rerender(page('team-7', 'user-3'));
  await pass();
  rerender(page('team-7', 'user-3'));
  await pass();
  expect(opened).toEqual([['team-7', 'user-3']]);
  rerender(page('team-8'));
  await pass();
  expect(opened).toEqual([['team-7', 'user-3'], ['team-8']]);
});

// @vitest-environment jsdom
// The stream of a page, without a server.

import { DL } from '@edict/core';
import { createLiveProvider, LiveBoundary, type LiveState } from '@edict/next';
import { act, render } from '@testing-library/react';
import { createElement, type ReactElement } from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';

it('subscribes to the audiences of each page, and otherwise to those of the options', async () => {
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
  const page = (more: Pick<LiveState, 'audience'>): ReactElement => {
    const state: LiveState = { v: 1, items: [], collections: [], cursors: [], ...more };
    return createElement(Live, null, createElement(LiveBoundary, { state }));
  };
  const pass = (): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(1000));

  const { rerender } = render(page({ audience: [] }));
  await pass();
  expect(opened).toEqual([]);
  rerender(page({ audience: ['team-7', 'user-3'] }));
  await pass();
  rerender(page({ audience: ['team-7', 'user-3'] }));
  await pass();
  expect(opened).toEqual([['team-7', 'user-3']]);
  rerender(page({ audience: ['team-8'] }));
  await pass();
  expect(opened).toEqual([['team-7', 'user-3'], ['team-8']]);
  DL.configureSse({ audience: 'team-9' });
  rerender(page({}));
  await pass();
  expect(opened).toEqual([['team-7', 'user-3'], ['team-8'], ['team-9']]);
});

// @vitest-environment jsdom
// RefreshOn without a server: the router is a function that renders the page with a new state, as Next.js does.

import { DL } from '@edict/core';
import type { Cursor } from '@edict/core/hydration';
import { createLiveProvider, LiveBoundary, RefreshOn } from '@edict/next';
import { act, cleanup, render } from '@testing-library/react';
import {
  AppRouterContext,
  type AppRouterInstance,
} from 'next/dist/shared/lib/app-router-context.shared-runtime.js';
import { createElement, useMemo, useState, type ReactElement } from 'react';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const eventStream = { headers: { 'content-type': 'text/event-stream' } };

const Live = createLiveProvider([], { sse: { enabled: false } });

/** Shows a page about a ticket. The server renders it with the next of these positions, and with the last one again and again. */
function show(id: number, ...seqs: number[]): () => number {
  let refreshes = 0;
  const read = (): { v: 1; items: []; collections: []; cursors: Cursor[] } => {
    const seq = seqs[Math.min(refreshes, seqs.length - 1)] ?? 0;
    return { v: 1, items: [], collections: [], cursors: [{ audience: 'global', seq }] };
  };
  function Page(): ReactElement {
    const [state, setState] = useState(read);
    const router = useMemo(() => {
      const refresh = (): void => {
        refreshes++;
        setState(read());
      };
      return { refresh } as AppRouterInstance;
    }, []);
    const watched = createElement(RefreshOn, { items: [{ type: 'ticket', id }] });
    const page = createElement(LiveBoundary, { state }, watched);
    return createElement(AppRouterContext, { value: router }, createElement(Live, null, page));
  }
  render(createElement(Page));
  return () => refreshes;
}

/** React renders at the end of each step. */
async function pass(): Promise<void> {
  for (let step = 0; step < 10; step++) await act(() => vi.advanceTimersByTimeAsync(100));
}

async function change(id: number, more = {}): Promise<void> {
  await act(() =>
    DL.applyDirectives([{ op: 'refresh_item', name: 'ticket', id, ...more }], { path: 'pull' }),
  );
  await pass();
}

it('renders the page once for each change without a sequence number', async () => {
  const refreshes = show(1, 4);
  await change(1);
  expect(refreshes()).toBe(1);
  await change(1);
  expect(refreshes()).toBe(2);
});

it('renders the page again until its position contains the change', async () => {
  const refreshes = show(2, 4, 4, 5);
  await change(2, { audience: 'global', seq: 5 });
  expect(refreshes()).toBe(2);
});

it('renders the page again at growing intervals while its position stays behind the change', async () => {
  const refreshes = show(7, 4);
  await change(7, { audience: 'global', seq: 5 });
  expect(refreshes()).toBeGreaterThan(2);
  for (let second = 0; second < 10; second++) await pass();
  const before = refreshes();
  for (let second = 0; second < 16; second++) await pass();
  expect(refreshes() - before).toBe(10); // Every 1.6 s.
});

it('renders the page once for a change of an audience whose position it lacks', async () => {
  const refreshes = show(3, 4);
  await change(3, { audience: 'team-7', seq: 5 });
  expect(refreshes()).toBe(1);
});

it('renders a page once if a change arrived before, unless the page contains that change', async () => {
  show(4, 4);
  await change(5, { audience: 'global', seq: 5 });
  const [older, newer] = [show(5, 4, 5), show(5, 5)];
  await pass();
  expect([older(), newer()]).toEqual([1, 0]);
});

it('renders the page once if everything may have changed', async () => {
  const refreshes = show(6, 4);
  act(() => DL.reset());
  await pass();
  expect(refreshes()).toBe(1);
});

it('renders a page without a position again when the stream opens', async () => {
  const opens = vi.fn(async () => new Response(new ReadableStream(), eventStream));
  vi.stubGlobal('fetch', opens);
  onTestFinished(() => void vi.unstubAllGlobals());
  const Streaming = createLiveProvider([], { sse: { enabled: true } });
  const refresh = vi.fn();
  const state = { v: 1 as const, items: [], collections: [], cursors: [] };
  const page = createElement(LiveBoundary, { state }, createElement(RefreshOn));
  const router = { refresh: refresh as () => void } as AppRouterInstance;
  render(createElement(AppRouterContext, { value: router }, createElement(Streaming, null, page)));
  expect(refresh).not.toHaveBeenCalled();
  await pass();
  expect(opens).toHaveBeenCalledOnce();
  expect(refresh).toHaveBeenCalledOnce();
});

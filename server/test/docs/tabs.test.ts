// Runs the code blocks about tabs of docs/guides/tabs.md and docs/server/deploying.md.

import { DL } from '@edict/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/pages.ts';

const guide = 'docs/guides/tabs.md';

/** Hides the warning that the stream has no origin outside a page. */
function quietly(): void {
  vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  onTestFinished(() => DL.disconnectSse());
}

it('the stream of hidden pages can be paused', async () => {
  quietly();
  await openPage('docs/server/deploying.md').run('pauseHidden: true');
  expect(DL.state().sse.enabled).toBe(true);
});

it('tabs of one user share a stream whose headers are a function', async () => {
  quietly();
  vi.stubGlobal('user', { id: 'ann' });
  vi.stubGlobal('token', () => Promise.resolve('secret'));
  onTestFinished(() => void vi.unstubAllGlobals());
  await openPage(guide).run('share: { key: user.id }');
  expect(DL.state().sse.enabled).toBe(true);
});

it('simulated tabs elect one leader and open one connection', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  await openPage(guide).run('createSimulation()');
  expect(log.mock.calls).toEqual([['leader', 1]]);
});

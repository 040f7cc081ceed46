// The blocks about tabs, of docs/guides/tabs.md and docs/server/deploying.md.

import { DL } from '@edict/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/pages.ts';

const guide = 'docs/guides/tabs.md';

/** There is no page here, and so no origin for a stream. */
function quietly(): void {
  vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  onTestFinished(() => DL.disconnectSse());
}

it('hidden pages can have no stream', async () => {
  quietly();
  await openPage('docs/server/deploying.md').run('pauseHidden: true');
  expect(DL.state().sse.enabled).toBe(true);
});

it('headers of a function are shared with the key of the user', async () => {
  quietly();
  vi.stubGlobal('user', { id: 'ann' });
  vi.stubGlobal('token', () => Promise.resolve('secret'));
  onTestFinished(() => void vi.unstubAllGlobals());
  await openPage(guide).run('share: { key: user.id }');
  expect(DL.state().sse.enabled).toBe(true);
});

it('tabs can be simulated: one leads, and one connection is open', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  await openPage(guide).run('createSimulation()');
  expect(log.mock.calls).toEqual([['leader', 1]]);
});

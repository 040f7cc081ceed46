// docs/guides/other-frameworks.md: the data layer that its adapters use.

import { DL } from '@edict/core';
import { expect, it, onTestFinished, vi } from 'vitest';

it('the data layer reads a ticket from its server, reports what failed, and connects to its stream', async () => {
  const asked: string[] = [];
  onTestFinished(() => {
    DL.dispose();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  vi.spyOn(console, 'warn').mockReturnValue(); // There is no page here, and so no origin.
  vi.stubGlobal('fetch', (address: string) => {
    const path = address.split('?')[0] ?? '';
    asked.push(path);
    if (path === '/api/events') return new Promise(() => undefined);
    const isThere = path === '/api/tickets/1';
    return Promise.resolve(Response.json({ title: 'Printer on fire' }, { status: isThere ? 200 : 404 }));
  });
  await import('./views/main.ts');
  const [known, unknown] = [DL.fetchItem('ticket', 1), DL.fetchItem('ticket', 2)];
  await DL.whenSettled();
  expect(known.data).toEqual({ title: 'Printer on fire' });
  expect(unknown.meta.error).toBe('The ticket could not be read (404).');
  expect([...new Set(asked)].sort()).toEqual(['/api/events', '/api/tickets/1', '/api/tickets/2']);
});

// docs/platforms.md: its block as it stands, against a hub on a real socket.

import type { DataLayer, Env } from '@edict/core';
import { expect, it, onTestFinished } from 'vitest';
import { openPage } from '../support/pages.ts';
import { serveHub } from '../support/servers.ts';

it('“What the core asks for”: a platform hands in its own fetch and ids', async () => {
  const { url } = await serveHub();
  const { createPlatformLayer } = await openPage('docs/platforms.md').run<{
    createPlatformLayer: (fetch: Env['fetch'], newId: () => string) => DataLayer;
  }>('createPlatformLayer');
  const asked: string[] = [];
  const dl = createPlatformLayer(
    (input, init) => {
      asked.push(input as string); // The stream asks by an address.
      return fetch(input, init);
    },
    () => 'a phone',
  );
  onTestFinished(() => dl.dispose());
  dl.init({ sse: { baseUrl: url } });
  await expect.poll(() => dl.state().sse.status).toBe('open');
  expect(asked).toEqual([expect.stringContaining('client_id=a+phone')]);
});

// docs/help/platforms.md: its blocks as they stand, against a hub on a real socket.

import type { DataLayer, Env } from '@edict/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/pages.ts';
import { serveHttp, serveHub } from '../support/servers.ts';

it('“What the core asks for”: a platform hands in its own fetch and ids', async () => {
  const { url } = await serveHub();
  const { createPlatformLayer } = await openPage('docs/help/platforms.md').run<{
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

/** As those of `expo/fetch` before SDK 56. */
const withoutClone = (response: Response): Response =>
  Object.defineProperty(response, 'clone', {
    value: () => {
      throw new Error('Not implemented');
    },
  });

/** As those of React Native's own `fetch`. */
const withoutStream = (response: Response): Response =>
  Object.defineProperty(response, 'body', { value: undefined });

it('“React Native”: one fetch for the stream and another for what is read whole', async () => {
  const { hub, url } = await serveHub();
  const api = await serveHttp(async (_, res) => {
    const directives = await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { source: 'a phone' });
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ directives }));
  });
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (...asked: Parameters<typeof fetch>) => withoutStream(await fetch(...asked)));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { createNativeLayer } = await openPage('docs/help/platforms.md').run<{
    createNativeLayer: (streaming: Env['fetch'], newId: () => string) => DataLayer;
  }>('native.ts');
  const dl = createNativeLayer(
    async (...asked) => withoutClone(await fetch(...asked)),
    () => 'a phone',
  );
  onTestFinished(() => dl.dispose());
  dl.init({ sse: { baseUrl: url }, fetchOrigins: [api.url] });
  await expect.poll(() => dl.state().sse.status).toBe('open');
  const applied: unknown[] = [];
  dl.onLifecycle('directive:processed', ({ detail }) => void applied.push(detail.directive));
  const response = await dl.fetch(api.url, { method: 'POST' });
  expect(applied).toMatchObject([{ id: 7, source: 'a phone' }]); // The stream's copy bears the client's own name.
  expect(await response.json()).toMatchObject({ directives: [{ id: 7 }] });
});

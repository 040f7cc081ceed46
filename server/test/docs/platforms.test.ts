// Runs the code blocks of docs/help/platforms.md against a hub on a real socket.

import type { DataLayer, Env } from '@edict/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/pages.ts';
import { serveHttp, serveHub } from '../support/servers.ts';

it('“What the core asks for”: a platform passes its own fetch and ids', async () => {
  const { url } = await serveHub();
  const { createPlatformLayer } = await openPage('docs/help/platforms.md').run<{
    createPlatformLayer: (fetch: Env['fetch'], newId: () => string) => DataLayer;
  }>('createPlatformLayer');
  const asked: string[] = [];
  const dl = createPlatformLayer(
    (input, init) => {
      asked.push(input as string); // The stream passes a URL as a string.
      return fetch(input, init);
    },
    () => 'a phone',
  );
  onTestFinished(() => dl.dispose());
  dl.init({ sse: { baseUrl: url } });
  await expect.poll(() => dl.state().sse.status).toBe('open');
  expect(asked).toEqual([expect.stringContaining('client_id=a+phone')]);
});

/** Like the responses of `expo/fetch` before SDK 56. */
const withoutClone = (response: Response): Response =>
  Object.defineProperty(response, 'clone', {
    value: () => {
      throw new Error('Not implemented');
    },
  });

/** Like the responses of React Native's own `fetch`. */
const withoutStream = (response: Response): Response =>
  Object.defineProperty(response, 'body', { value: undefined });

it('“React Native”: one fetch opens the stream, and another one sends the other requests', async () => {
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
  expect(applied).toMatchObject([{ id: 7, source: 'a phone' }]); // The copy on the stream is ignored, because its source is this client.
  expect(await response.json()).toMatchObject({ directives: [{ id: 7 }] });
});

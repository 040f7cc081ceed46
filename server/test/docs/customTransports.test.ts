// Runs the code blocks of docs/server/custom-transports.md. server/test/recipes/customTransport.test.ts runs the WebSocket example.

import { expect, it, onTestFinished, vi } from 'vitest';
import { openPage } from '../support/pages.ts';

const guide = 'docs/server/custom-transports.md';

it('§4.3 “A transport”: a message of another client on the channel is applied, and an own message is ignored', async () => {
  vi.resetModules();
  await openPage(guide).run("type: 'broadcast'");
  const { DL: dl } = await import('@edict/core');
  const others = new BroadcastChannel('directives');
  onTestFinished(() => {
    others.close();
    dl.dispose();
  });
  const received: unknown[] = [];
  dl.onLifecycle('directive:received', ({ detail }) => void received.push(detail.directives));
  let title = 'first';
  dl.createType('ticket', { fetch: () => ({ title }) });
  dl.init({ bulk: { delayMs: 0 } });
  expect(dl.state().sse.status).toBe('off');
  const ticket = dl.fetchItem('ticket', 7);
  await dl.whenSettled();
  title = 'second';
  const directives = [{ op: 'refresh_item', name: 'ticket', id: 7 }];
  others.postMessage({ directives: [{ ...directives[0], id: 8 }], source: dl.clientId() });
  others.postMessage({ directives, source: 'another' });
  await expect.poll(() => ticket.data).toEqual({ title: 'second' });
  expect(received).toEqual([directives]);
});

it('“WebSocket, complete”: the two lines that connect it open the socket', async () => {
  vi.resetModules();
  const opened: string[] = [];
  vi.stubGlobal(
    'WebSocket',
    class {
      constructor(address: string | URL) {
        opened.push(String(address));
      }
      addEventListener(): void {}
      removeEventListener(): void {}
      close(): void {}
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  await openPage(guide).run('wss://example.com');
  const { DL: dl } = await import('@edict/core');
  onTestFinished(() => dl.dispose());
  expect(opened.length).toBe(1);
  expect(opened[0]).toContain('wss://example.com/api/socket');
  expect(opened[0]).toContain(dl.clientId());
});

// The WebSocket example of docs/guides/custom-transports.md, executed as it stands there.

import { readFileSync } from 'node:fs';
import { createDataLayer } from '@edict/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { hub, server, sockets } from './recipes/socketServer.ts';
import { socketSource } from './recipes/socketSource.ts';
import { listen } from './support/servers.ts';

const guide = readFileSync(new URL('../../docs/guides/custom-transports.md', import.meta.url), 'utf8');

describe('the WebSocket transport', () => {
  it.each(['socketServer', 'socketSource'])('is in the guide as it is executed here: %s', (name) => {
    const source = readFileSync(new URL(`recipes/${name}.ts`, import.meta.url), 'utf8');
    expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  it('§4.3 brings what is emitted, and after a broken connection what was missed', async () => {
    const address = `${(await listen(server)).replace('http', 'ws')}/api/socket`;
    vi.stubGlobal('WebSocket', WebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const truth = { title: 'first' };
    const dl = createDataLayer();
    onTestFinished(async () => {
      dl.dispose();
      sockets.close();
      await hub.close({ retryMs: [0, 0] });
    });
    dl.createType('ticket', { fetch: () => ({ ...truth }) });
    dl.configureDirectiveSource(socketSource(dl, address));
    dl.init({ bulk: { delayMs: 0 } });
    const ticket = dl.fetchItem('ticket', 7);
    const gaps: unknown[] = [];
    dl.onLifecycle('sse:gap', ({ detail }) => void gaps.push(detail));
    const { seq } = await hub.cursor();
    await expect.poll(() => dl.state().sse.lastSeq['global'], { timeout: 10_000 }).toBe(seq);

    truth.title = 'second';
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
    await expect.poll(() => ticket.data, { timeout: 10_000 }).toEqual({ title: 'second' });

    for (const socket of sockets.clients) socket.terminate();
    truth.title = 'third';
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
    await expect.poll(() => ticket.data, { timeout: 10_000 }).toEqual({ title: 'third' });
    expect(gaps).toEqual([]);
  });
});

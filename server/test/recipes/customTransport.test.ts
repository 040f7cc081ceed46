// Runs the WebSocket example of docs/server/custom-transports.md unchanged.

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createDataLayer } from '@edict/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { hub, server, sockets } from './socketServer.ts';
import { socketSource } from './socketSource.ts';
import { hubForTest } from '../support/servers.ts';

const guide = readFileSync(new URL('../../../docs/server/custom-transports.md', import.meta.url), 'utf8');

describe('the WebSocket transport', () => {
  let address = '';
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo; // A TCP server has an address with a port.
    address = `ws://127.0.0.1:${port}/api/socket`;
  });
  afterAll(async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    await hub.close({ retryMs: [0, 0] });
  });

  it.each(['socketServer', 'socketSource'])('is in the guide exactly as this test runs it: %s', (name) => {
    const source = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
    expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
  });

  /** Opens a client of these audiences that shows a ticket. */
  function show(audience: string[]) {
    vi.stubGlobal('WebSocket', WebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const truth = { title: 'first' };
    const dl = createDataLayer();
    onTestFinished(() => dl.dispose());
    dl.createType('ticket', { fetch: () => ({ ...truth }) });
    dl.configureDirectiveSource(socketSource(dl, address));
    dl.init({ bulk: { delayMs: 0 }, sse: { audience } });
    const gaps: unknown[] = [];
    dl.onLifecycle('sse:gap', ({ detail }) => void gaps.push(detail));
    return { dl, truth, ticket: dl.fetchItem('ticket', 7), gaps };
  }

  it.each([
    ['every client', ['global'], 'global'],
    ['every audience in `init`', ['global', 'team-7'], 'team-7'],
  ])(
    '§4.3 delivers what is emitted to %s, and replays missed directives after a broken connection',
    async (_, audiences, audience) => {
      const teams = hubForTest({ authorize: () => true });
      const asked = vi.spyOn(hub, 'fetchHandler').mockImplementation(teams.fetchHandler);
      onTestFinished(() => asked.mockRestore());
      const { dl, truth, ticket, gaps } = show(audiences);
      const { seq } = await teams.cursor(audience);
      await expect.poll(() => dl.state().sse.lastSeq[audience]).toBe(seq);
      gaps.length = 0; // The hub is younger than the page, so its greeting is a gap.

      truth.title = 'second';
      await teams.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { audience });
      await expect.poll(() => ticket.data).toEqual({ title: 'second' });

      for (const socket of sockets.clients) socket.terminate();
      truth.title = 'third';
      await teams.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }], { audience });
      await expect.poll(() => ticket.data).toEqual({ title: 'third' });
      expect(gaps).toEqual([]);
    },
  );

  it('refetches what changed before the first connection, also when the server restarted in between', async () => {
    const restarted = hubForTest();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const asked = vi.spyOn(hub, 'fetchHandler').mockImplementation(async (request) => {
      await opened;
      return restarted.fetchHandler(request);
    });
    onTestFinished(() => asked.mockRestore());
    const { dl, truth, ticket } = show(['global']);
    onTestFinished(dl.onRefChange(ticket, () => {})); // It is on the screen.
    await expect.poll(() => ticket.data).toEqual({ title: 'first' });
    truth.title = 'second'; // The hub emitted this change before its restart.
    open();
    await expect.poll(() => ticket.data).toEqual({ title: 'second' });
  });

  it.each([
    ['lets in', 'a page of its own site', () => ({ origin: address.replace(/^ws(.*)\/api.*/, 'http$1') })],
    ['lets in', 'a client that is no browser', () => ({})],
    ['refuses', 'a page of another site', () => ({ origin: 'https://evil.example' })],
    ['refuses', 'a page without an origin, such as one in a sandbox', () => ({ origin: 'null' })],
  ])('%s %s', async (expected, _, headersOf) => {
    const headers = { cookie: 'session=of-the-user', ...headersOf() };
    const socket = new WebSocket(address, { headers });
    const outcome = await new Promise((settle) => {
      socket.once('message', () => settle('lets in'));
      socket.once('error', () => settle('refuses'));
    });
    socket.terminate();
    expect(outcome).toBe(expected);
  });

  it('passes the headers of the handshake to `authorize`', async () => {
    const asked = vi.spyOn(hub, 'fetchHandler');
    onTestFinished(() => asked.mockRestore());
    const socket = new WebSocket(address, { headers: { cookie: 'session=1', authorization: 'Bearer 2' } });
    await new Promise((heard) => socket.once('message', heard));
    socket.terminate();
    const headers = asked.mock.calls[0]?.[0].headers;
    expect([headers?.get('cookie'), headers?.get('authorization')]).toEqual(['session=1', 'Bearer 2']);
  });

  it('ends the socket of a client that sends more than any client needs', async () => {
    const client = new WebSocket(address);
    const closed = new Promise((done) => client.once('close', done));
    client.on('error', () => undefined); // The server may end the connection while the client sends.
    client.once('open', () => client.send('x'.repeat(2000)));
    await closed;
    await expect.poll(() => hub.metrics().connections).toBe(0);
  });

  it('opens no stream for a client that leaves while `authorize` runs', async () => {
    await expect.poll(() => hub.metrics().connections).toBe(0);
    const { fetchHandler } = hub;
    let allow = (): void => undefined;
    const allowed = new Promise<void>((resolve) => (allow = resolve));
    const answers: Promise<Response>[] = [];
    const asked = vi.spyOn(hub, 'fetchHandler').mockImplementation((request) => {
      const answer = allowed.then(() => fetchHandler(request));
      answers.push(answer);
      return answer;
    });
    onTestFinished(() => asked.mockRestore());
    const carried = new Promise<WebSocket>((resolve) => sockets.once('connection', resolve));
    const client = new WebSocket(address);
    const left = carried.then((socket) => new Promise((closed) => socket.once('close', closed)));
    await carried;
    client.on('error', () => undefined); // The client may leave during its handshake.
    client.terminate();
    await left;
    allow();
    await Promise.all(answers);
    expect(answers).toHaveLength(1);
    expect(hub.metrics().connections).toBe(0);
  });
});

// The stream over a real socket, with the platform's environment.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createDataLayer, type DataLayer, type LifecycleEvent } from '@edict/core';
import { envelope, greeting } from './setup.ts';

interface Visit {
  url: URL;
  request: IncomingMessage;
  response: ServerResponse;
}

/** A server that returns each request in turn. */
async function listening(): Promise<{
  baseUrl: string;
  visit: () => Promise<Visit>;
  close: () => Promise<void>;
}> {
  const visits: Visit[] = [];
  const waiting: ((visit: Visit) => void)[] = [];
  const server = createServer((request, response) => {
    const visit = { url: new URL(request.url ?? '', 'http://server.test'), request, response };
    const next = waiting.shift();
    if (next === undefined) visits.push(visit);
    else next(visit);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    visit: () => {
      const here = visits.shift();
      return here === undefined ? new Promise((done) => void waiting.push(done)) : Promise.resolve(here);
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const next = (dl: DataLayer, event: LifecycleEvent): Promise<unknown> =>
  new Promise((done) => {
    const off = dl.onLifecycle(event, ({ detail }) => {
      off();
      done(detail);
    });
  });

const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

describe('a real socket', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  it('D-SSE-8 opens, reads frames, is cut, and reconnects with the last sequence number', async () => {
    const server = await listening();
    const dl = createDataLayer();
    const gaps: unknown[] = [];
    dl.onLifecycle('sse:gap', ({ detail }) => gaps.push(detail));
    dl.configureSse({
      baseUrl: server.baseUrl,
      initialRetryMs: 10,
      retryJitter: 0,
      headers: { 'x-token': 't' },
    });
    ends.push(server.close, dl.dispose);

    dl.init();
    const first = await server.visit();
    expect(first.request.headers).toMatchObject({ accept: 'text/event-stream', 'x-token': 't' });
    expect(first.url.searchParams.getAll('last_seq')).toEqual(['']);
    first.response.writeHead(200, streamHeaders);
    const opened = next(dl, 'sse:open');
    first.response.write(frame(greeting(40)));
    await opened;

    // A character of several bytes, in two writes.
    const bytes = Buffer.from(
      frame(envelope(41, 'global', [{ op: 'refresh_item', name: 'billet', id: '漢' }])),
    );
    const middle = bytes.indexOf(Buffer.from('漢')) + 1;
    const received = next(dl, 'directive:received');
    first.response.write(bytes.subarray(0, middle));
    await new Promise<void>((done) => void first.response.write(bytes.subarray(middle), () => done()));
    expect(await received).toMatchObject({ directives: [{ id: '漢' }] });
    const cut = next(dl, 'sse:error');
    first.response.destroy();
    expect(await cut).toMatchObject({ retryInMs: 10 });

    const second = await server.visit();
    expect(second.url.searchParams.getAll('last_seq')).toEqual(['41']);
    expect(second.url.searchParams.has('since_ms')).toBe(false);
    second.response.writeHead(200, streamHeaders);
    const replayed = next(dl, 'directive:received');
    second.response.write(frame(envelope(42)) + frame(greeting(42)));
    await replayed;
    expect(gaps).toEqual([]);

    const left = new Promise<void>((done) => void second.response.once('close', done));
    dl.disconnectSse();
    await left;
  });
});

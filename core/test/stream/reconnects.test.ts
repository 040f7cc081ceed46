// When the client tries again after a lost connection.

import type { SseOptions } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../world.ts';
import { begin, envelope, greeting, position, setup } from './setup.ts';

describe('backoff', () => {
  it.each<[string, Partial<SseOptions>, number[]]>([
    ['from 2 s to 30 s', {}, [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]],
    [
      'as configured',
      { initialRetryMs: 100, backoffMultiplier: 3, maxRetryMs: 1000 },
      [100, 300, 900, 1000, 1000, 1000, 1000],
    ],
  ])('§7 D-SSE-2 §2.8 §8 grows %s and stays there', async (_, options, waits) => {
    const { dl, of, world } = setup(options);
    await begin(dl);
    for (let attempt = 1; attempt <= 7; attempt++) {
      await world.last().fail(new TypeError('refused'));
      await world.sim.advance(30_000);
    }
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual(waits);
    expect(of('sse:connecting').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('§3 reconnects at the end of the wait, not earlier', async () => {
    const { dl, sse, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    expect(sse()).toMatchObject({ status: 'waiting', connected: false, attempt: 1, retryInMs: 2000 });
    expect(world.sim.pendingTimers()).toBe(1);
    await world.sim.advance(1999);
    expect(world.connections).toHaveLength(1);
    await world.sim.advance(1);
    expect(world.connections).toHaveLength(2);
    expect(sse()).toMatchObject({ status: 'connecting', attempt: 2, retryInMs: null });
  });

  it.each<[what: string, frame: string, next: number]>([
    ['starts over after an envelope', `data: ${JSON.stringify(envelope(41))}\n\n`, 2000],
    ['starts over after a position', `data: ${JSON.stringify(position(41))}\n\n`, 2000],
    ['starts over after a greeting', `data: ${JSON.stringify(greeting(41))}\n\n`, 2000],
    ['starts over after a comment line', ': beat\n\n', 2000],
    ['continues after an unreadable frame', 'data: {\n\n', 4000],
    ['continues after half a frame', 'data: {"type":"directives"', 4000],
    ['continues after no byte', '', 4000],
  ])('D-SSE-2 %s', async (_what, frame, next) => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().send(frame);
    await world.last().cut();
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([2000, next]);
  });

  it.each([
    [1999, 4000],
    [2000, 2000],
  ])('D-SSE-2 after a connection that lived for %d ms waits %d ms', async (lifeMs, next) => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    await world.sim.advance(2000);
    await world.last().open();
    await world.sim.advance(lifeMs);
    await world.last().cut();
    expect(of('sse:error').at(-1)?.retryInMs).toBe(next);
  });

  it('D-SSE-2 uses a retry: once and then continues as without it', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 70\n\n');
    await world.last().cut();
    await world.sim.advance(70);
    await world.last().fail(new TypeError('refused'));
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([70, 4000]);
  });

  it('D-SSE-2 limits a retry: to 5 minutes', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 99999999999999999999\n\n');
    await world.last().cut();
    expect(of('sse:error')).toMatchObject([{ retryInMs: 300_000 }]);
  });

  it('D-SSE-2 treats an end after retry: as a close without an error', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 70\n\n');
    await world.last().end();
    expect(of('sse:close')).toEqual([{ reason: 'server' }]);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(70);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-2 treats an end without retry: as an error', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().end();
    expect(of('sse:close')).toEqual([]);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
  });

  it('D-SSE-2 forgets the retry: of an earlier connection', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send('retry: 70\n\n');
    await world.last().end();
    await world.sim.advance(70);
    await world.last().open();
    await world.last().end();
    expect(of('sse:close')).toHaveLength(1);
    expect(of('sse:error')).toHaveLength(1);
  });
});

describe('the reconnect jitter', () => {
  it.each([
    [0.5, 0, 2000],
    [0.5, 0.5, 1500],
    [1, 0.75, 500],
    [0, 0.9, 2000],
  ])(
    'D-SSE-2 with retryJitter %d and a random number %d waits %d ms',
    async (retryJitter, random, waitMs) => {
      const { dl, of, world } = setup({ retryJitter }, { env: { random: () => random } });
      await begin(dl);
      await world.last().fail(new TypeError('refused'));
      expect(of('sse:error')).toMatchObject([{ retryInMs: waitMs }]);
      expect(dl.state().sse.retryInMs).toBe(waitMs);
      await world.sim.advance(waitMs - 1);
      expect(world.connections).toHaveLength(1);
      await world.sim.advance(1);
      expect(world.connections).toHaveLength(2);
    },
  );

  it('D-SSE-2 is up to half of the wait by default, and none if the server set the wait', async () => {
    const { of, sim } = createWorld({ init: { sse: { enabled: true } }, env: () => ({ random: () => 0.5 }) });
    sim.hub.stop();
    await sim.advance(0);
    sim.hub.start();
    sim.hub.refuse({ status: 503, headers: { 'retry-after': '7' } });
    await sim.advance(1500);
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([1500, 7000]);
  });
});

// The connection when the network, or the visibility of the page, changes.

import { describe, expect, it } from 'vitest';
import { becomeVisible, begin, comeOnline, envelope, greeting, position, setup } from './setup.ts';

describe('the network', () => {
  it('D-SSE-4 is tried on init even if the browser reports offline', async () => {
    const { dl, sse, world } = setup();
    world.sim.page.setOnline(false);
    await begin(dl);
    await world.last().open();
    expect(sse().connected).toBe(true);
  });

  it('D-SSE-4 is tried by connectSse even if the browser reports offline', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    world.sim.page.setOnline(false);
    await begin(dl);
    dl.connectSse();
    await world.rest();
    expect(world.connections).toHaveLength(1);
  });

  it('D-SSE-4 is retried every maxRetryMs while offline, and immediately when online', async () => {
    const { dl, of, world } = setup({ retryJitter: 0.5 });
    world.sim.page.setOnline(false);
    await begin(dl);
    for (let times = 0; times < 3; times++) {
      await world.last().fail(new TypeError('refused'));
      await world.sim.advance(30_000);
    }
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([30_000, 30_000, 30_000]);
    await world.last().fail(new TypeError('refused'));
    world.sim.page.setOnline(true);
    await world.rest();
    expect(world.connections).toHaveLength(5);
  });

  it('D-SSE-4 is tried immediately when it is back, before the wait is over', async () => {
    const { dl, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    comeOnline(world.sim);
    await world.rest();
    expect(world.connections).toHaveLength(2);
    await world.sim.advance(2000);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-4 postpones a wait that ends offline to maxRetryMs after the loss', async () => {
    const { dl, sse, world } = setup();
    await begin(dl);
    await world.last().fail(new TypeError('refused'));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(29_999);
    expect(world.connections).toHaveLength(1);
    expect(sse()).toMatchObject({ status: 'waiting', retryInMs: 30_000 });
    await world.sim.advance(1);
    expect(world.connections).toHaveLength(2);
  });

  it('D-SSE-4 keeps an open stream for one heartbeat interval without a byte', async () => {
    const { opened, of, sse, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(14_999);
    expect(sse().connected).toBe(true);
    await world.sim.advance(1);
    expect(of('sse:close')).toEqual([{ reason: 'offline' }]);
    expect(of('sse:error')).toEqual([]);
    expect(sse()).toMatchObject({ status: 'waiting', retryInMs: 30_000 });
    await world.sim.advance(30_000);
    expect(world.connections).toHaveLength(2);
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['41']);
  });

  it('D-SSE-4 keeps an open stream as long as bytes arrive', async () => {
    const { opened, of, sse, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setOnline(false);
    await world.rest();
    for (let beats = 0; beats < 10; beats++) {
      await world.sim.advance(14_000);
      await world.last().envelope(position(41));
    }
    expect(sse().connected).toBe(true);
    await world.sim.advance(37_500);
    expect(of('sse:error')).toMatchObject([{ reason: 'silent', retryInMs: 30_000 }]);
  });

  it('D-SSE-4 keeps an open stream when the browser is online again in time', async () => {
    const { opened, sse, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(10_000);
    world.sim.page.setOnline(true);
    await world.rest();
    await world.sim.advance(20_000);
    expect(sse().connected).toBe(true);
    expect(world.connections).toHaveLength(1);
  });

  it.each([
    [37_499, 1],
    [37_500, 2],
  ])('D-SSE-4 that is online again after %d ms of sleep has had %d connections', async (ms, count) => {
    const { opened, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.jump(ms); // Timers may stand still while the computer sleeps.
    world.sim.page.setOnline(false);
    world.sim.page.setOnline(true);
    await world.rest();
    expect(world.connections).toHaveLength(count);
  });

  it('D-SSE-4 keeps an open stream without a known interval', async () => {
    const { opened, sse, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    world.sim.page.setOnline(false);
    await world.rest();
    await world.sim.advance(3_600_000);
    expect(sse().connected).toBe(true);
  });
});

describe('the page', () => {
  it('D-SSE-5 closes the stream on pagehide and reconnects with recovery on pageshow', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    world.sim.page.hide();
    expect(of('sse:close')).toEqual([{ reason: 'pagehide' }]);
    expect(world.last().isAborted()).toBe(true);
    await world.sim.advance(600_000);
    expect(world.connections).toHaveLength(1);
    world.sim.page.restore();
    await world.rest();
    expect(world.connections).toHaveLength(2);
    expect(world.last().url.searchParams.getAll('last_seq')).toEqual(['41']);
  });

  it.each([
    [22_500, 1],
    [22_501, 2],
  ])('D-SSE-5 that becomes visible after %d ms without a byte has had %d connections', async (ms, count) => {
    const { opened, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.sim.page.setVisible(false);
    await world.rest();
    world.jump(ms);
    world.sim.page.setVisible(true);
    await world.rest();
    expect(world.connections).toHaveLength(count);
    expect(world.sim.log).toEqual([]);
  });

  it('D-SSE-3 has one connection even if a listener reconnects while it is replaced', async () => {
    const { opened, dl, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    dl.onLifecycle('sse:error', () => {
      dl.disconnectSse();
      dl.connectSse();
    });
    world.jump(30_000);
    becomeVisible(world.sim);
    await world.rest();
    expect(world.connections.map((connection) => connection.isAborted())).toEqual([true, false]);
  });

  it('D-SSE-5 keeps the connection when it is hidden', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    world.jump(30_000);
    world.sim.page.setVisible(false);
    await world.rest();
    expect(of('sse:error')).toEqual([]);
  });

  it('is not required by the stream', async () => {
    const { opened, of } = setup({}, { env: { page: null } });
    await opened();
    expect(of('sse:open')).toHaveLength(1);
  });
});

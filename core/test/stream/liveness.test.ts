// A connection that is open but silent.

import { describe, expect, it } from 'vitest';
import { begin, envelope, greeting, position, setup } from './setup.ts';

describe('liveness', () => {
  it('D-SSE-5 closes a connection after 2.5 announced intervals of silence', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.sim.advance(37_499);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toMatchObject([{ retryInMs: 2000 }]);
    expect(world.last().isAborted()).toBe(true);
  });

  it('D-SSE-6 uses the heartbeat interval of an envelope whose sequence number is invalid', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope({ ...envelope(-1), heartbeat_ms: 10_000 });
    await world.sim.advance(24_999);
    expect(of('sse:message-error')).toHaveLength(1);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 detects silence even if the clock was set back', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(1, { heartbeat_ms: 10_000 }));
    await world.sim.advance(10_000);
    world.jump(-3_600_000);
    await world.sim.advance(14_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 closes a connection without a byte after 60 s and suggests a buffering proxy', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.sim.advance(59_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toMatchObject([{ reason: 'silent', retryInMs: 2000 }]);
    expect(world.sim.log).toMatchObject([{ level: 'warn', message: expect.stringContaining('buffering') }]);
    expect(world.last().isAborted()).toBe(true);
  });

  it.each([
    ['15000', 37_500],
    ['30000', 75_000],
    ['10', 10_000],
    ['0', 60_000],
    ['soon', 60_000],
    ['Infinity', 60_000],
  ])(
    'D-SSE-5 with X-Service-Heartbeat-Ms: %s closes a silent connection after %d ms',
    async (ms, silentMs) => {
      const { dl, of, world } = setup();
      await begin(dl);
      await world.last().open({ 'content-type': 'text/event-stream', 'x-service-heartbeat-ms': ms });
      await world.sim.advance(silentMs - 1);
      expect(of('sse:error')).toEqual([]);
      await world.sim.advance(1);
      expect(of('sse:error')).toMatchObject([{ reason: 'silent' }]);
    },
  );

  it('D-SSE-5 uses the interval of the header if the greeting announces none', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    await world.last().open({ 'content-type': 'text/event-stream', 'x-service-heartbeat-ms': '15000' });
    await world.last().envelope({ type: 'hello', audience: 'global', last_seq: 41 });
    await world.sim.advance(37_499);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 doubles the wait for a server that never sends a byte, up to 15 min', async () => {
    const { dl, of, world } = setup();
    await begin(dl);
    for (const [times, seconds] of [60, 60, 60, 120, 240, 480, 900, 900].entries()) {
      await world.last().open();
      await world.sim.advance(seconds * 1000 - 1);
      expect(of('sse:error')).toHaveLength(times);
      await world.sim.advance(1);
      expect(of('sse:error')).toHaveLength(times + 1);
      await world.sim.advance(2000);
    }
    await world.last().open();
    await world.last().send(': hello\n\n');
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.sim.advance(60_000);
    expect(of('sse:error').at(-1)).toMatchObject({ reason: 'silent' });
  });

  it('D-SSE-5 restarts its wait after every byte', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.sim.advance(30_000);
    await world.last().send('x');
    await world.sim.advance(37_499);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 learns the interval from comment lines', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send(': beat\n\n');
    await world.sim.advance(6000);
    await world.last().send(': beat\n\n');
    await world.sim.advance(14_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 learns the interval from positions', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(position(41));
    await world.sim.advance(20_000);
    await world.last().envelope(position(41));
    await world.sim.advance(50_000);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 does not count directives as heartbeats', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.sim.advance(1000);
    await world.last().envelope(envelope(42));
    await world.sim.advance(3_600_000);
    expect(of('sse:error')).toEqual([]);
  });

  it('D-SSE-5 learns the interval of each audience separately', async () => {
    const { opened, of, world } = setup({ audience: ['a', 'b'] });
    await opened();
    for (let i = 0; i < 3; i++) {
      await world.last().envelope(position(41, 'a'));
      await world.sim.advance(1000);
      await world.last().envelope(position(41, 'b'));
      await world.sim.advance(29_000);
    }
    await world.sim.advance(45_999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 allows 10 s of silence at any interval', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41, { heartbeat_ms: 50 }));
    await world.sim.advance(9999);
    expect(of('sse:error')).toEqual([]);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 does not count a greeting as a heartbeat', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope({ type: 'hello', audience: 'global', last_seq: 41 });
    await world.sim.advance(5000);
    await world.last().envelope(position(41));
    await world.sim.advance(3_600_000);
    expect(of('sse:error')).toEqual([]);
  });

  it('D-SSE-5 is not checked while no interval is known', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(envelope(41));
    await world.last().send(': hi\n\n');
    await world.sim.advance(24 * 3_600_000);
    expect(of('sse:error')).toEqual([]);
    expect(world.sim.pendingTimers()).toBe(0);
  });

  it('D-SSE-5 uses the interval of the previous connection until the greeting arrives', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().envelope(envelope(42)); // The replay has begun.
    await world.sim.advance(37_499);
    expect(of('sse:error')).toHaveLength(1);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(2);
  });

  it('D-SSE-5 counts silence from the opening of the connection, even if the previous one lasted long', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().envelope(greeting(41));
    for (let beats = 0; beats < 10; beats += 1) {
      await world.sim.advance(15_000);
      await world.last().envelope(position(41));
    }
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.sim.advance(37_499);
    expect(of('sse:error')).toHaveLength(1);
    await world.sim.advance(1);
    expect(of('sse:error')).toHaveLength(2);
  });

  it('D-SSE-5 observes the interval of each connection separately', async () => {
    const { opened, of, world } = setup();
    await opened();
    await world.last().send(': beat\n\n');
    await world.sim.advance(6000);
    await world.last().send(': beat\n\n');
    await world.last().cut();
    await world.sim.advance(2000);
    await world.last().open();
    await world.last().send(': beat\n\n');
    await world.sim.advance(3_600_000);
    expect(of('sse:error')).toHaveLength(1);
  });

  it('D-SSE-5 accepts several heartbeats in one write', async () => {
    const { opened, of, world } = setup({ audience: ['a', 'b'] });
    await opened();
    const beats = ['a', 'b']
      .map((audience) => `data: ${JSON.stringify(position(41, audience))}\n\n`)
      .join('');
    for (let i = 0; i < 5; i++) {
      await world.last().send(beats);
      await world.sim.advance(15_000);
    }
    expect(of('sse:error')).toEqual([]);
  });
});

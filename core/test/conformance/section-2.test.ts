// Specification §2: references, configurations and options.

import { describe, expect, it } from 'vitest';
import type { InitOptions } from '@edict/core';
import { missOne, refreshItem, refreshList } from '../directives.ts';
import { createWorld, untyped } from '../world.ts';

describe('§2.8 options of the stream', () => {
  async function streamed(sse: InitOptions['sse'] = {}) {
    const world = createWorld({ init: { sse: { enabled: true, ...sse } } });
    await world.rest();
    const streams = () => world.sim.requests.filter(({ isStream }) => isStream);
    return { ...world, streams };
  }

  it('by default the stream is enabled and connects on init to /api/events, with the global audience and without cookies', async () => {
    const { dl, sim, streams } = await streamed();
    expect(streams()).toHaveLength(1);
    const { url, method, credentials } = streams()[0]!;
    expect(method).toBe('GET');
    expect(url.pathname).toBe('/api/events');
    expect(url.searchParams.get('client_id')).toBe(dl.clientId());
    expect(url.searchParams.getAll('audience')).toEqual(['global']);
    expect(credentials).toBe('omit');
    expect(dl.state().sse).toMatchObject({ enabled: true, connected: true, audience: 'global' });
    expect(sim.hub.connections()).toHaveLength(1);
  });

  it('init without any option uses the defaults', async () => {
    const { dl, rest, sim } = createWorld({ init: null });
    dl.init();
    await rest();
    expect(sim.hub.connections()).toHaveLength(1);
  });

  it('url is the path of the stream', async () => {
    const { streams, sim } = await streamed({ url: '/elsewhere' });
    expect(streams()).toHaveLength(0);
    expect(sim.requests[0]?.url.pathname).toBe('/elsewhere');
  });

  it('audience is the audience of the subscription', async () => {
    const { streams, sim } = await streamed({ audience: 'team-7' });
    expect(streams()[0]?.url.searchParams.getAll('audience')).toEqual(['team-7']);
    expect(sim.hub.connections()[0]?.audiences).toEqual(['team-7']);
  });

  it('clientIdParam and audienceParam set the names of the query parameters', async () => {
    const { dl, streams } = await streamed({ clientIdParam: 'who', audienceParam: 'room' });
    const query = streams()[0]!.url.searchParams;
    expect(query.get('who')).toBe(dl.clientId());
    expect(query.get('room')).toBe('global');
    expect(query.has('client_id')).toBe(false);
    expect(query.has('audience')).toBe(false);
  });

  it('initialRetryMs, backoffMultiplier and maxRetryMs set the retry delays', async () => {
    const { sim, of } = await streamed({
      ...{ initialRetryMs: 100, backoffMultiplier: 3, maxRetryMs: 1000, retryJitter: 0 },
    });
    sim.link.cut();
    await sim.advance(5000);
    expect(
      of('sse:error')
        .map(({ retryInMs }) => retryInMs)
        .slice(0, 5),
    ).toEqual([100, 300, 900, 1000, 1000]);
  });

  it('resyncOnGap is true by default, with a delay between resyncJitterMinMs 1500 and resyncJitterMaxMs 3500', async () => {
    const waits: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const { dl, sim, of } = createWorld({ seed });
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq: 42, directives: [] });
      dl.ingestEnvelope({ type: 'directives', audience: 'global', seq: 44, directives: [refreshList('x')] });
      const scheduled = of('sse:resync-scheduled');
      expect(scheduled).toHaveLength(1);
      waits.push(scheduled[0]!.waitMs);
      const start = sim.now();
      await sim.advance(3500);
      expect(of('sse:resync-dispatch')).toHaveLength(1);
      expect(start + waits.at(-1)!).toBeLessThanOrEqual(sim.now());
    }
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(1500);
      expect(wait).toBeLessThanOrEqual(3500);
    }
    expect(new Set(waits).size).toBeGreaterThan(1);
  });

  it('resyncJitterMinMs and resyncJitterMaxMs set the range', async () => {
    const { dl, sim, of } = createWorld({
      init: { sse: { resyncJitterMinMs: 70, resyncJitterMaxMs: 70 } },
    });
    missOne(dl);
    expect(of('sse:resync-scheduled')[0]?.waitMs).toBe(70);
    await sim.advance(69);
    expect(of('sse:resync-dispatch')).toHaveLength(0);
    await sim.advance(1);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
  });
});

describe('§2.8 bulk.delayMs', () => {
  function itemsHeld(init: InitOptions = {}) {
    const world = createWorld({ init });
    const calls: unknown[] = [];
    world.dl.createType('ticket', {
      fetch: (id) => ({ id }),
      bulkFetch: (ids) => (calls.push(ids), ids.map((id) => ({ id }))),
    });
    return { ...world, calls };
  }

  it('is 50 by default: directives within the window become one batch', async () => {
    const { dl, sim, rest, calls } = itemsHeld();
    expect(dl.state().bulk.delayMs).toBe(50);
    for (const id of [1, 2, 3]) dl.fetchItem('ticket', id);
    await rest();
    calls.length = 0;
    void dl.applyDirectives([refreshItem('ticket', 1)]);
    await sim.advance(49);
    void dl.applyDirectives([refreshItem('ticket', 2)]);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual([[1, 2]]);
  });

  it('sets the window', async () => {
    const { dl, sim, rest, calls } = itemsHeld({ bulk: { delayMs: 200 } });
    for (const id of [1, 2]) dl.fetchItem('ticket', id);
    await rest();
    calls.length = 0;
    void dl.applyDirectives([refreshItem('ticket', 1), refreshItem('ticket', 2)]);
    await sim.advance(199);
    expect(calls).toEqual([]);
    await sim.advance(1);
    expect(calls).toEqual([[1, 2]]);
  });

  it('rejects unknown options', () => {
    const { dl } = createWorld();
    expect(() => dl.init({ bulk: untyped({ delay: 5 }) })).toThrow(TypeError);
  });
});

import { dehydrate, hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const day = 24 * 60 * 60_000;

/** A data layer whose clock the test sets. */
function atTime(): { dl: ReturnType<typeof createDataLayer>; set: (ms: number) => void } {
  let now = start;
  const dl = createDataLayer({ env: { now: () => now } });
  dl.createType('ticket', { stalenessMs: 1000, fetch: (id) => Promise.resolve({ id }) });
  return { dl, set: (ms) => (now = ms) };
}

describe('the time of a data layer', () => {
  it.each([
    ['in the first second', start + 500.25],
    ['after a month, when the number of milliseconds is large', start + 31 * day],
    ['after a year', start + 365 * day],
    ['on a clock that was set back before the start', start - 3 * day],
  ])('D-MEM-1 D-FETCH-9 is correct %s', async (_when, moment) => {
    const { dl, set } = atTime();
    set(moment);
    const ticket = dl.fetchItem('ticket', 1);
    await dl.whenSettled();
    const iso = new Date(moment).toISOString();
    expect(ticket.meta).toMatchObject({ lastFetchedAny: iso, lastUsedAt: iso, isStale: false });
    expect(ticket.meta.levelStamps).toEqual({ default: iso });
    expect(dl.devtools().events.at(-1)?.at).toBe(moment);
    expect(dehydrate(dl).items[0]?.payloads[0]?.ageMs).toBe(0);

    set(moment + 999);
    expect(ticket.meta.isStale).toBe(false);
    set(moment + 1000);
    expect(ticket.meta.isStale).toBe(true);
    expect(dehydrate(dl).items[0]?.payloads[0]?.ageMs).toBe(1000);
    dl.dispose();
  });

  it('D-REACT-10 keeps the age of hydrated data that is older than the data layer', () => {
    const { dl } = atTime();
    const payloads = [{ levels: ['default'], data: { id: 1 }, ageMs: 90 * day }];
    hydrate(dl, { v: 1, items: [{ type: 'ticket', id: 1, payloads }], collections: [], cursors: [] });
    const { meta } = dl.getItemRef('ticket', 1);
    expect(meta).toMatchObject({ lastFetchedAny: new Date(start - 90 * day).toISOString(), isStale: true });
    dl.dispose();
  });
});

describe('a clock that is set back', () => {
  it.each([
    ['before the start', 3_600_000],
    ['by less than the age of the page', 30_000],
  ])('D-REG-4 %s extends neither the freshness of data nor the timeout of a request', async (_to, ms) => {
    const sim = createSimulation();
    let back = 0;
    const dl = createDataLayer({ env: { ...sim.env, now: () => sim.now() - back } });
    dl.init({ sse: { enabled: false } });
    let isHanging = false;
    dl.createType('ticket', {
      fetch: (id) => (isHanging ? new Promise(() => {}) : { id }),
      stalenessMs: 10_000,
      timeoutMs: 5000,
    });
    await sim.advance(60_000);
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    isHanging = true;
    const other = dl.fetchItem('ticket', 2);
    back = ms;
    await sim.advance(15_000);
    expect(ref.meta.isStale).toBe(true);
    expect(other.meta.error).toContain('5000 ms');
    dl.dispose();
  });
});

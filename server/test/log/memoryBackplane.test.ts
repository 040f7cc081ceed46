import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryBackplane } from '../../src/index.ts';
import type { BackplaneLink, LogView, ReplayLimits } from '../../src/log/backplane.ts';
import { platformEnv } from '../../src/env.ts';
import { backplaneContract, contractLimits } from './backplane.contract.ts';
import { createWorld, type World } from '../support/world.ts';

backplaneContract('the memory backplane', async () => {
  const backplane = memoryBackplane();
  const links: BackplaneLink[] = [];
  return {
    connect(replay) {
      const link = backplane.connect({ env: platformEnv(), replay: { ...contractLimits, ...replay } });
      links.push(link);
      return link;
    },
    async close() {
      await Promise.all(links.map((link) => link.close()));
    },
  };
});

function setup(replay: Partial<ReplayLimits> = {}): {
  world: World;
  link: BackplaneLink;
  look: (audience: string) => LogView;
} {
  const world = createWorld();
  const link = memoryBackplane().connect({
    env: world,
    replay: { ...contractLimits, maxAgeMs: 1000, ...replay },
  });
  function look(audience: string): LogView {
    const views: LogView[] = [];
    link.open(audience, { reset: (view) => void views.push(view), entries: () => {}, end: () => {} }).close();
    const [view] = views;
    if (view === undefined) throw new Error('The reader was told nothing.');
    return view;
  }
  return { world, link, look };
}

const payloads = ({ entries }: LogView): string[] => entries.map(({ payload }) => payload);

describe('hubs that share a memory backplane', () => {
  it('keep the most envelopes that any hub requires, even in audiences that existed before it', async () => {
    const world = createWorld();
    const backplane = memoryBackplane();
    const modest = backplane.connect({ env: world, replay: { ...contractLimits, maxEnvelopes: 2 } });
    await modest.append([{ audience: 'a', payload: '0' }]);
    const demanding = backplane.connect({ env: world, replay: { ...contractLimits, maxEnvelopes: 5 } });
    for (let n = 1; n <= 9; n += 1) await demanding.append([{ audience: 'a', payload: `${n}` }]);
    backplane.connect({ env: world, replay: { maxEnvelopes: 2, maxAgeMs: 1, maxBytes: 1 } });
    await world.advance(1000);
    let held: readonly string[] = [];
    demanding
      .open('a', { reset: (view) => (held = payloads(view)), entries: () => {}, end: () => {} })
      .close();
    expect(held).toEqual(['5', '6', '7', '8', '9']);
  });

  it('D-HUB-3 reach back to the start of the first hub', async () => {
    const world = createWorld();
    const start = world.now();
    const backplane = memoryBackplane();
    const node = { env: world, replay: contractLimits };
    backplane.connect(node);
    await world.advance(5000);
    const views: LogView[] = [];
    backplane
      .connect(node)
      .open('a', { reset: (view) => void views.push(view), entries: () => {}, end: () => {} });
    expect(views).toMatchObject([{ reachAt: start }]);
  });

  it('D-HUB-3 leave their audiences to the other hubs when they close, which then forget them', async () => {
    const world = createWorld();
    const backplane = memoryBackplane();
    const node = { env: world, replay: { ...contractLimits, maxAgeMs: 1000 } };
    const [first, second] = [backplane.connect(node), backplane.connect(node)];
    await backplane.connect(node).close();
    await first.append([{ audience: 'a', payload: '1' }]);
    first.open('b', { reset: () => {}, entries: () => expect.unreachable(), end: () => {} });
    await first.close();
    await second.append([{ audience: 'b', payload: '1' }]);
    await world.advance(60_000);
    expect(second.status().audiences).toBe(0);
    await second.append([{ audience: 'b', payload: '1' }]);
    await second.close();
    expect(world.timers()).toBe(0);
  });
});

describe('many audiences without readers', () => {
  it('are not searched for old ones by each use', async () => {
    const { link } = setup();
    const useAll = async (): Promise<void> => {
      for (let n = 0; n < 100; n += 1) await link.position(`user-${n}`);
    };
    await useAll();
    // To find its first key, an iterator of a map skips every key that was deleted before it.
    const searches = [vi.spyOn(Map.prototype, Symbol.iterator), vi.spyOn(Map.prototype, 'values')];
    onTestFinished(() => void vi.restoreAllMocks());
    await useAll();
    for (const search of searches) expect(search).not.toHaveBeenCalled();
  });

  it('D-HUB-3 are at most 100,000: the one that was used least recently is forgotten', async () => {
    const { link, look } = setup({ maxAgeMs: 1e9 });
    const [first] = await link.append([{ audience: 'first', payload: '1' }]);
    await link.append([{ audience: 'second', payload: '1' }]);
    await link.position('first');
    for (let n = 0; n < 99_999; n += 1) void link.position(`user-${n}`);
    expect(link.status().audiences).toBe(100_000);
    expect(payloads(look('first'))).toEqual(['1']);
    expect(look('second')).toMatchObject({ entries: [], emitted: true, reachAt: (first?.at ?? 0) + 1 });
  });
});

describe('the memory backplane over time', () => {
  it('D-HUB-3 forgets an audience after maxAgeMs, however far the clock is set back', async () => {
    const world = createWorld();
    let back = 0;
    const waits: number[] = [];
    const link = memoryBackplane().connect({
      env: {
        ...world,
        now: () => world.now() - back,
        setTimeout(run, ms) {
          waits.push(ms);
          return world.setTimeout(run, ms);
        },
      },
      replay: { ...contractLimits, maxAgeMs: 1000 },
    });
    await link.append([{ audience: 'a', payload: 'old' }]);
    back = 40 * 86_400_000;
    await world.advance(5000);
    expect(Math.max(...waits)).toBe(1000);
    expect(link.status().audiences).toBe(0);
  });

  it('D-HUB-3 forgets audiences that became idle before or after the clock was set back', async () => {
    const world = createWorld();
    let back = 0;
    const link = memoryBackplane().connect({
      env: { ...world, now: () => world.now() - back },
      replay: { ...contractLimits, maxAgeMs: 1000 },
    });
    for (const audience of ['a', 'b', 'c']) await link.append([{ audience, payload: '1' }]);
    back = 3_600_000;
    await world.advance(2100);
    expect(link.status().audiences).toBe(0);
    back = 7_200_000;
    for (let n = 0; n < 100; n += 1) {
      await link.append([{ audience: `b-${n}`, payload: '1' }]);
      await world.advance(100);
    }
    expect(link.status().audiences).toBeLessThan(30);
    await world.advance(10_000);
    expect(link.status().audiences).toBe(0);
  });

  it('D-HUB-3 keeps an envelope until it is older than maxAgeMs, and then reports from which time on the log is complete', async () => {
    const { world, link, look } = setup();
    const start = world.now();
    await link.append([{ audience: 'a', payload: 'old' }]);
    await world.advance(600);
    await link.append([{ audience: 'a', payload: 'new' }]);
    await world.advance(400);
    expect(payloads(look('a'))).toEqual(['old', 'new']);
    await world.advance(1);
    expect(payloads(look('a'))).toEqual(['new']);
    expect(look('a').reachAt).toBe(start + 1);
  });

  it('D-HUB-3 reaches back to the start of the hub in an audience that was never used', async () => {
    const { world, look } = setup();
    const start = world.now();
    await world.advance(5000);
    expect(look('a').reachAt).toBe(start);
  });

  it('D-HUB-3 keeps at most maxBytes', async () => {
    const { link, look } = setup({ maxBytes: 10 });
    for (const payload of ['aaaa', 'bbbb', 'cccc']) await link.append([{ audience: 'a', payload }]);
    expect(payloads(look('a'))).toEqual(['bbbb', 'cccc']);
    await link.append([{ audience: 'a', payload: 'dddddd' }]);
    expect(payloads(look('a'))).toEqual(['cccc', 'dddddd']);
  });

  it('D-HUB-3 forgets an audience maxAgeMs after its last envelope and its last reader', async () => {
    const { world, link } = setup();
    await link.append([{ audience: 'a', payload: '1' }]);
    const reader = link.open('a', { reset: () => {}, entries: () => {}, end: () => {} });
    await world.advance(5000);
    expect(link.status().audiences).toBe(1);
    reader.close();
    await world.advance(999);
    expect(link.status().audiences).toBe(1);
    await world.advance(1);
    expect(link.status().audiences).toBe(0);
    expect(world.timers()).toBe(0);
  });

  it('D-HUB-3 starts the idle time once if a reader is closed twice, and uses one timer for all audiences', async () => {
    const { world, link } = setup();
    const reader = link.open('a', { reset: () => {}, entries: () => {}, end: () => {} });
    await link.append([{ audience: 'b', payload: '1' }]);
    reader.close();
    await link.append([{ audience: 'c', payload: '1' }]);
    expect(world.timers()).toBe(1);
    await world.advance(500);
    reader.close();
    await world.advance(500);
    expect(link.status().audiences).toBe(0);
    await link.append([{ audience: 'a', payload: '2' }]);
    expect(world.timers()).toBe(1);
    await link.close();
    expect(world.timers()).toBe(0);
  });

  it('D-HUB-3 continues a forgotten audience above the numbers of its clients after the clock was set back', async () => {
    const world = createWorld();
    let back = 0;
    const env = { ...world, now: () => world.now() - back };
    const link = memoryBackplane().connect({ env, replay: { ...contractLimits, maxAgeMs: 1000 } });
    const appended = await link.append(['1', '2', '3'].map((payload) => ({ audience: 'a', payload })));
    await link.append([{ audience: 'b', payload: '1' }]);
    await world.advance(1000);
    expect(link.status().audiences).toBe(0);
    back = 60_000;
    expect(await link.position('a')).toBeGreaterThan(appended.at(-1)?.seq ?? Infinity);
  });

  it('does not claim to know the entries of a forgotten audience, and restarts its counter from the clock', async () => {
    const { world, link, look } = setup();
    await world.advance(10);
    const [appended] = await link.append([{ audience: 'a', payload: '1' }]);
    await link.position('unused'); // It is forgotten later, but has no entry.
    await world.advance(2000);
    const view = look('a');
    expect(view.position).toBe(world.now() * 1000);
    expect(view.position).toBeGreaterThan(appended?.seq ?? Infinity);
    expect(view.reachAt).toBe((appended?.at ?? 0) + 1);
    expect(view.emitted).toBe(true);
  });

  it('gives entries timestamps that never decrease when the clock is set back', async () => {
    const world = createWorld();
    let back = 0;
    const env = { ...world, now: () => world.now() - back };
    const link = memoryBackplane().connect({ env, replay: contractLimits });
    const [first] = await link.append([{ audience: 'a', payload: '1' }]);
    back = 60_000;
    const [second] = await link.append([{ audience: 'a', payload: '2' }]);
    expect(second).toEqual({ seq: (first?.seq ?? 0) + 1, at: first?.at });
  });
});

import {
  createDataLayer,
  type DataLayer,
  type InitOptions,
  type ItemReference,
  type SseInfo,
} from '@edict/core';
import {
  createSimulation,
  type SimulatedBrowser,
  type SimulatedTab,
  type Simulation,
} from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
// The core loads it when it is needed, which would take real time.
import '../../../src/stream/share/sharedStream.ts';

/** A tab with a data layer that shows one item. */
interface Shown {
  tab: SimulatedTab;
  dl: DataLayer;
  item: ItemReference;
  /** The names of its lifecycle events. */
  events: string[];
  role: () => string | null;
  status: () => string;
}

interface World {
  sim: Simulation;
  browser: SimulatedBrowser;
  open: (init?: InitOptions['sse']) => Shown;
  /** Changes the item on the server, and emits a directive. */
  change: (options?: { source?: string; audience?: string }) => void;
  /** The current version on the server. */
  version: () => number;
  streams: () => number;
}

function setup(): World {
  const sim = createSimulation();
  const browser = sim.createBrowser();
  let version = 1;
  sim.route('GET /item', () => ({ id: 1, version }));
  return {
    sim,
    browser,
    version: () => version,
    streams: () => sim.hub.connections().length,
    change(options) {
      version += 1;
      sim.hub.emit([{ op: 'refresh_item', name: 'item', id: 1 }], options);
    },
    open(sse = {}) {
      const tab = browser.createTab();
      const dl = tab.createDataLayer({ sse: { share: true, ...sse } });
      const events: string[] = [];
      dl.onLifecycle('*', ({ event }) => events.push(event));
      dl.createType('item', {
        fetch: async () => (await tab.env.fetch('/item')).json(),
        stalenessMs: 3_600_000,
      });
      const item = dl.fetchItem('item', 1);
      dl.onRefChange(item, () => undefined);
      const read = (): SseInfo => dl.state().sse;
      return { tab, dl, item, events, role: () => read().role, status: () => read().status };
    },
  };
}

const roles = (tabs: readonly Shown[]): string[] => tabs.map(({ role }) => String(role()));

function expectTruth(tabs: readonly Shown[], { version }: World): void {
  expect(tabs.map(({ item }) => item.data)).toEqual(tabs.map(() => ({ id: 1, version: version() })));
  for (const { item } of tabs) expect(item.meta.isStale).toBe(false);
}

async function openTabs(world: World, count: number): Promise<[Shown, ...Shown[]]> {
  const tabs = Array.from({ length: count }, () => world.open());
  await world.sim.advance(5000);
  return tabs as [Shown, ...Shown[]]; // At least one.
}

describe('tabs that share a stream', () => {
  it('have one connection, one leader, and followers that are live', async () => {
    const world = setup();
    const tabs = await openTabs(world, 4);
    expect(world.streams()).toBe(1);
    expect(roles(tabs)).toEqual(['leader', 'follower', 'follower', 'follower']);
    expect(tabs.map(({ status }) => status())).toEqual(['open', 'open', 'open', 'open']);
    world.change();
    await world.sim.settled();
    expectTruth(tabs, world);
  });

  it.for(['dispose', 'disconnect', 'pagehide', 'crash', 'freeze', 'stall'])(
    'follow another leader after the %s of their leader',
    async (how) => {
      const world = setup();
      const [first, ...others] = await openTabs(world, 4);
      if (how === 'dispose') first.dl.dispose();
      if (how === 'disconnect') first.dl.disconnectSse();
      if (how === 'pagehide') first.tab.page.hide();
      if (how === 'crash') first.tab.crash();
      if (how === 'freeze') first.tab.freeze();
      if (how === 'stall') first.tab.freeze({ isSudden: true });
      world.change();
      await world.sim.advance(how === 'stall' ? 60_000 : 2000);
      expect(roles(others).toSorted()).toEqual(['follower', 'follower', 'leader']);
      expectTruth(others, world);
      world.change();
      await world.sim.settled();
      expectTruth(others, world);
      if (how === 'freeze') {
        first.tab.resume();
        await world.sim.advance(5000);
        expect(first.role()).toBe('follower');
        expect(world.streams()).toBe(1);
        expectTruth([first, ...others], world);
      }
    },
  );

  it('follow another leader soon after a stall, even if the new leader passes on changes continuously', async () => {
    const world = setup();
    const [first, ...others] = await openTabs(world, 4);
    first.tab.freeze({ isSudden: true });
    await world.sim.advance(34_000); // Until the silence of the leader is noticed.
    for (let seconds = 0; seconds < 20; seconds += 1) {
      world.change();
      await world.sim.advance(1000);
    }
    expect(roles(others).toSorted()).toEqual(['follower', 'follower', 'leader']);
    await world.sim.settled();
    expectTruth(others, world);
  });

  it('have one new leader when several tabs start to wait for a frozen leader at the same time', async () => {
    const world = setup();
    const [first, ...others] = await openTabs(world, 4);
    world.sim.hub.end({ retryMs: 0 });
    await world.sim.advance(0);
    first.tab.freeze({ isSudden: true });
    await world.sim.advance(30_000);
    expect(roles(others).toSorted()).toEqual(['follower', 'follower', 'leader']);
    expectTruth(others, world);
  });

  it('D-SSE-5 notice that the leader is frozen, also after disconnectSse and connectSse', async () => {
    const { sim, open, change, version } = setup();
    const leader = open();
    await sim.advance(20_000);
    const follower = open();
    await sim.advance(20_000);
    follower.dl.disconnectSse();
    follower.dl.connectSse();
    await sim.advance(16_000); // One heartbeat, so this connection shows no interval.
    expect(follower.role()).toBe('follower');
    leader.tab.freeze({ isSudden: true });
    change();
    await sim.advance(60_000);
    expect(follower.item.data).toMatchObject({ version: version() });
  });

  it('let a leader that did not respond in time follow when it runs again', async () => {
    const world = setup();
    const [first, second] = await openTabs(world, 2);
    first.tab.freeze({ isSudden: true });
    await world.sim.advance(60_000);
    expect(second?.role()).toBe('leader');
    world.change();
    first.tab.resume();
    await world.sim.advance(10_000);
    expect([first.status(), first.role(), world.streams()]).toEqual(['open', 'follower', 1]);
    expectTruth([first, second as Shown], world);
  });

  it('resync when a heartbeat reveals that the leader missed the last message', async () => {
    const world = setup();
    const tabs = await openTabs(world, 3);
    tabs[0].tab.link.drop();
    world.change();
    await world.sim.advance(30_000);
    for (const { events } of tabs) expect(events).toContain('sse:gap');
    expectTruth(tabs, world);
  });

  it('resync when a heartbeat reveals that a message between tabs was lost', async () => {
    const world = setup();
    const tabs = await openTabs(world, 2);
    world.browser.drop();
    world.change();
    await world.sim.advance(30_000);
    expectTruth(tabs, world);
    expect(tabs.map(({ events }) => events.includes('sse:gap'))).toEqual([false, true]);
  });

  it('receive directives that were emitted while the leader changed, without a resync', async () => {
    const world = setup();
    const [first, ...others] = await openTabs(world, 4);
    others[0]?.tab.link.delay(100); // The next leader connects slowly.
    first.dl.dispose();
    await world.sim.advance(50);
    world.change();
    await world.sim.advance(1000);
    expectTruth(others, world);
    for (const { events } of others) expect(events).not.toContain('sse:gap');
    expect(others.map(({ status }) => status())).toEqual(['open', 'open', 'open']);
    // Only the next leader sent a request to the hub.
    expect(world.sim.requests.filter(({ isStream }) => isStream)).toHaveLength(5);
  });

  it('replay directives since its first request to a late tab, without a resync', async () => {
    const world = setup();
    const [leader] = await openTabs(world, 1);
    await world.sim.advance(60_000);
    leader.tab.link.delay(200); // The directive arrives after the new tab has asked.
    world.browser.delay(100);
    const late = world.open();
    world.change();
    await world.sim.advance(5000);
    expect(late.role()).toBe('follower');
    expectTruth([leader, late], world);
    expect(late.events).not.toContain('sse:gap');
  });

  it('request a late tab’s data once, if nothing was emitted', async () => {
    const world = setup();
    await openTabs(world, 1);
    const before = world.sim.requests.length;
    const late = world.open();
    await world.sim.advance(10_000);
    expect(late.role()).toBe('follower');
    // One for the data, and one for what was emitted meanwhile.
    expect(world.sim.requests.slice(before).map(({ isStream }) => isStream)).toEqual([false, true]);
  });

  it('ignore their own echoes, each by its own client id', async () => {
    const world = setup();
    const tabs = await openTabs(world, 3);
    const before = world.sim.requests.length;
    world.change({ source: tabs[1]?.dl.clientId() ?? '' });
    await world.sim.advance(5000);
    expect(world.sim.requests.length - before).toBe(2);
    expect(tabs[1]?.events).toContain('directive:skipped');
  });

  it('reconnect after the backoff of a lost connection, but not all at the same time', async () => {
    const world = setup();
    const tabs = await openTabs(world, 4);
    world.sim.hub.restart({ numbers: 'kept' });
    await world.sim.advance(500);
    expect(tabs.map(({ status }) => status())).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
    world.change();
    await world.sim.advance(10_000);
    expect(world.streams()).toBe(1);
    expect(roles(tabs).toSorted()).toEqual(['follower', 'follower', 'follower', 'leader']);
    expectTruth(tabs, world);
  });

  it('are each refused by the hub', async () => {
    const world = setup();
    world.sim.hub.refuse({ status: 403 });
    const tabs = await openTabs(world, 3);
    await world.sim.advance(20_000);
    expect(tabs.map(({ status }) => status())).toEqual(['off', 'off', 'off']);
    world.sim.hub.accept();
    for (const { dl } of tabs) dl.connectSse();
    await world.sim.advance(5000);
    expect(tabs.map(({ status }) => status())).toEqual(['open', 'open', 'open']);
    expect(world.streams()).toBe(1);
  });

  it('keep no timer and no connection after dispose()', async () => {
    const world = setup();
    const tabs = await openTabs(world, 3);
    for (const { dl } of tabs) dl.dispose();
    await world.sim.advance(1000);
    expect(world.sim.pendingTimers()).toBe(0);
    expect(world.streams()).toBe(0);
  });
});

describe('a tab has a stream of its own', () => {
  it.for<[difference: string, init: Parameters<World['open']>[0]]>([
    ['another audience', { audience: 'team' }],
    ['another key', { share: { key: 'user-2' } }],
    ['other credentials', { withCredentials: true }],
    ['other headers', { headers: { Authorization: 'Bearer 2' } }],
    ['no sharing', { share: false }],
  ])('with %s', async ([, init]) => {
    const world = setup();
    const tabs = [world.open(), world.open(init)];
    await world.sim.advance(3000);
    expect(tabs.map(({ status }) => status())).toEqual(['open', 'open']);
    expect(world.streams()).toBe(2);
  });

  it('if headers is a function and no key shows which user it belongs to', async () => {
    const world = setup();
    const headers = (): Record<string, string> => ({ Authorization: 'Bearer 1' });
    for (let nth = 0; nth < 2; nth += 1) world.open({ headers });
    await world.sim.advance(3000);
    expect(world.streams()).toBe(2);
    const shared = [
      world.open({ headers, share: { key: 'user-1' } }),
      world.open({ headers, share: { key: 'user-1' } }),
    ];
    await world.sim.advance(3000);
    expect(world.streams()).toBe(3);
    expect(roles(shared)).toEqual(['leader', 'follower']);
  });

  it.for(['has no tabs', 'is no browser', 'refuses locks', 'refuses channels'])(
    'if the platform %s',
    async (how) => {
      const { sim, streams } = setup();
      const client = sim.createClient({ isBrowser: how !== 'is no browser' });
      const refusing = {
        lock: (_: string, _steal: boolean, _granted: () => void, onLost: () => void) => {
          const timer = client.env.setTimeout(onLost, 0);
          return () => client.env.clearTimeout(timer);
        },
        channel: () => {
          if (how === 'refuses channels') throw new Error('refused');
          return { onmessage: null, postMessage: () => undefined, close: () => undefined };
        },
      };
      const env = { ...client.env, tabs: how.startsWith('refuses') ? refusing : null };
      const dl = createDataLayer({ env });
      dl.init({ sse: { share: true, baseUrl: 'https://app.test' } });
      await sim.advance(10_000);
      expect([dl.state().sse.status, dl.state().sse.role, streams()]).toEqual(['open', null, 1]);
      client.link.cut();
      await sim.advance(1000);
      client.link.restore();
      await sim.advance(60_000); // The second connection waits for a leader first.
      expect([dl.state().sse.status, dl.state().sse.role, streams()]).toEqual(['open', null, 1]);
      dl.dispose();
    },
  );
});

describe('pauseHidden', () => {
  it.for([true, false])(
    'has no stream while every tab is hidden, and catches up (share: %s)',
    async (share) => {
      const world = setup();
      const tabs = [world.open({ share, pauseHidden: true }), world.open({ share, pauseHidden: true })];
      await world.sim.advance(3000);
      tabs[0]?.tab.page.setVisible(false);
      await world.sim.advance(1000);
      expect(world.streams()).toBe(1);
      expect(tabs.map(({ status }) => status())).toEqual(['waiting', 'open']);
      tabs[1]?.tab.page.setVisible(false);
      await world.sim.advance(1000);
      expect(world.streams()).toBe(0);
      world.change();
      await world.sim.advance(60_000);
      expect(world.streams()).toBe(0);
      for (const { tab } of tabs) tab.page.setVisible(true);
      await world.sim.advance(5000);
      expectTruth(tabs, world);
      expect(world.streams()).toBe(share ? 1 : 2);
    },
  );

  it('does not connect a page that is opened in the background until it is visible', async () => {
    const world = setup();
    const tab = world.browser.createTab();
    tab.page.setVisible(false);
    const dl = tab.createDataLayer({ sse: { pauseHidden: true } });
    await world.sim.advance(10_000);
    expect([world.streams(), dl.state().sse.status]).toEqual([0, 'waiting']);
    tab.page.setVisible(true);
    await world.sim.advance(100);
    expect([world.streams(), dl.state().sse.status]).toEqual([1, 'open']);
  });
});

// `sse.share` in a real browser: eight tabs over HTTP/1.1, where a browser has six connections to a host.

import { expect as chromiumExpect, test as base, type BrowserContext, type Page } from '@playwright/test';
import { chromiumOptions } from '../../scripts/chromium.ts';
import { startDesk } from './deskServer.ts';
import { openPlainBrowser, type PlainBrowser, type PlainTab } from './support/plainTabs.ts';

interface CounterServer {
  url: string;
  count: () => Promise<number>;
  /** Changes the counter like another user. */
  increment: () => Promise<void>;
  /** The number of streams at the hub. */
  streams: () => Promise<number>;
}

interface Tab {
  count: () => number | undefined;
  state: () => { status: string; role: string | null };
  read: () => Promise<number>;
  increment: () => Promise<number>;
}
declare const tab: Tab; // A global of the page.

/** A leader that stops silently is detected after 10 s without a message and 2 s without a response. */
const expect = chromiumExpect.configure({ timeout: 40_000 });

const test = base.extend<{ tabs: Page[]; plainBrowser: PlainBrowser }, { server: CounterServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- the framework wants a pattern here
    async ({}, use) => {
      const { url, stop } = await startDesk({}, 'e2e/support/counterServer.ts');
      const get = async (path: string): Promise<unknown> => await (await fetch(url + path)).json();
      await use({
        url,
        count: async () => ((await get('/counter')) as { count: number }).count,
        increment: async () => void (await fetch(`${url}/counter`, { method: 'POST' })),
        streams: async () => (await get('/streams')) as number,
      });
      await stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  // oxlint-disable-next-line no-empty-pattern -- the framework wants a pattern here
  plainBrowser: async ({}, use) => {
    const browser = await openPlainBrowser();
    await use(browser);
    await browser.close();
  },
  tabs: async ({ server, context }, use) => {
    const tabs: Page[] = [];
    for (let nth = 0; nth < 3; nth += 1) tabs.push(await openTab(context, server));
    await use(tabs);
  },
});

async function openTab(context: BrowserContext, { url }: CounterServer, path = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url + path);
  return page;
}

test.describe.configure({ timeout: 180_000 });

const states = async (tabs: readonly Page[]): Promise<string[]> =>
  await Promise.all(
    tabs.map(async (page) =>
      page
        .evaluate(() => `${tab.state().status} ${tab.state().role}`)
        .catch((error: unknown) => String(error)),
    ),
  );

/** Expects that all tabs are live with one stream at the hub and follow one leader. */
async function expectShared(tabs: readonly Page[], { streams }: CounterServer): Promise<void> {
  const expected = ['open leader', ...tabs.slice(1).map(() => 'open follower')];
  await expect
    .poll(async () => (await states(tabs)).toSorted().toReversed())
    .toEqual(expected.toSorted().toReversed());
  await expect.poll(streams).toBe(1);
}

/** Expects that a change reaches every tab, and that every tab can read and write. */
async function expectLive(tabs: readonly Page[], server: CounterServer): Promise<void> {
  await server.increment();
  await expectTruth(tabs, server);
  for (const page of tabs) {
    expect(await page.evaluate(async () => await tab.read())).toBe(await server.count());
    expect(await page.evaluate(async () => await tab.increment())).toBe(200);
  }
  await expectTruth(tabs, server);
}

async function expectTruth(tabs: readonly Page[], server: CounterServer): Promise<void> {
  const counts = async (): Promise<unknown[]> =>
    await Promise.all(tabs.map(async (page) => page.evaluate(() => tab.count())));
  const count = await server.count();
  await expect.poll(counts).toEqual(tabs.map(() => count));
}

async function leaderOf(tabs: readonly Page[]): Promise<{ leader: Page; others: Page[] }> {
  const at = (await states(tabs)).indexOf('open leader');
  const leader = tabs[at];
  if (leader === undefined) throw new Error('no tab leads');
  return { leader, others: tabs.filter((page) => page !== leader) };
}

test('eight tabs are live over HTTP/1.1 with one stream, and another tab leads when the leader closes or crashes', async ({
  tabs,
  server,
  context,
}) => {
  while (tabs.length < 8) tabs.push(await openTab(context, server));
  await expectShared(tabs, server);
  await expectLive(tabs, server);

  const before = await leaderOf(tabs);
  await before.leader.close();
  await server.increment();
  await expectShared(before.others, server);
  await expectTruth(before.others, server);

  const { leader, others } = await leaderOf(before.others);
  const crashed = leader.waitForEvent('crash');
  const session = await context.newCDPSession(leader);
  session.send('Page.crash').catch(() => undefined); // This call never responds.
  await crashed;
  await server.increment();
  await expectShared(others, server);
  await expectLive(others, server);
});

/** The state of a tab, or the error of a tab that is navigating. */
const stateOf = async (one: PlainTab): Promise<unknown> =>
  await one.evaluate('globalThis.tab ? `${tab.state().status} ${tab.state().role}` : null').catch(String);

test('another tab leads while the leader is frozen, and the old leader follows afterwards', async ({
  server,
  plainBrowser,
}) => {
  const first = await plainBrowser.open(server.url);
  await expect.poll(async () => await stateOf(first)).toBe('open leader');
  const second = await plainBrowser.open(server.url);
  await expect.poll(async () => await stateOf(second)).toBe('open follower');
  await second.show();
  await first.setFrozen(true);
  await expect.poll(async () => await first.evaluate('document.visibilityState')).toBe('hidden');
  await server.increment();
  await expect.poll(async () => await stateOf(second)).toBe('open leader');
  await expect.poll(async () => await second.evaluate('tab.count()')).toBe(await server.count());
  await first.setFrozen(false);
  await expect.poll(async () => await stateOf(first)).toBe('open follower');
  await expect.poll(async () => await first.evaluate('tab.count()')).toBe(await server.count());
});

test('another tab leads while the leader does not respond', async ({ tabs, server }) => {
  await expectShared(tabs, server);
  const { leader, others } = await leaderOf(tabs);
  await leader.evaluate((ms) => {
    setTimeout(() => {
      const until = Date.now() + ms;
      while (Date.now() < until);
    }, 0);
  }, 60_000);
  await server.increment();
  await expectTruth(others, server);
  await expect
    .poll(async () => (await states(others)).filter((state) => state === 'open leader'))
    .toHaveLength(1);
});

test('a tab that returns from the back/forward cache shows current data', async ({
  server,
  plainBrowser,
}) => {
  const first = await plainBrowser.open(server.url);
  await expect.poll(async () => await stateOf(first)).toBe('open leader');
  const second = await plainBrowser.open(server.url);
  await expect.poll(async () => await stateOf(second)).toBe('open follower');
  await first.evaluate('globalThis.isTheSamePage = true');
  await first.evaluate(`void setTimeout(() => (location.href = '${server.url}/counter'))`);
  await expect.poll(async () => await first.evaluate('typeof tab').catch(String)).toBe('undefined');
  await server.increment();
  await expect.poll(async () => await stateOf(second)).toBe('open leader');
  await first.evaluate('void setTimeout(() => history.back())');
  await expect.poll(async () => await stateOf(first)).toBe('open follower');
  // The headless shell of Chromium has no such cache and loads the page again.
  const hasCache = chromiumOptions.executablePath?.endsWith('headless-shell') !== true;
  expect(await first.evaluate('globalThis.isTheSamePage')).toBe(hasCache ? true : undefined);
  await expect.poll(async () => await first.evaluate('tab.count()')).toBe(await server.count());
});

test('a tab with other options and a private window have separate streams', async ({
  tabs,
  server,
  context,
  browser,
}) => {
  await expectShared(tabs, server);
  const other = await openTab(context, server, '/?withCredentials');
  const isolated = await browser.newContext();
  const hidden = await openTab(isolated, server);
  const all = [...tabs, other, hidden];
  await expect
    .poll(async () => (await states(all)).filter((state) => state === 'open leader'))
    .toHaveLength(3);
  await expect.poll(server.streams).toBe(3);
  await server.increment();
  await expectTruth(all, server);
  await isolated.close();
});

test('tabs that do not share log a warning in development when their streams use all connections', async ({
  server,
  context,
}) => {
  const warnings: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'warning') warnings.push(message.text());
  });
  for (let nth = 1; nth <= 6; nth += 1) {
    expect(warnings).toEqual([]);
    const page = await openTab(context, server, '/alone');
    await expect.poll(async () => page.evaluate(() => tab.state().status)).toBe('open');
  }
  await expect.poll(() => warnings.join()).toContain('6 tabs have a stream');
});

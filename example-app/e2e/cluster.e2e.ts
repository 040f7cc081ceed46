// Several processes serve one desk. They share a PostgreSQL for the data and the outbox, and a Redis for the streams.

import { test as base, type BrowserContext, type Response } from '@playwright/test';
import { missingForCluster, startCluster, type Cluster } from './clusterServer.ts';
import { change, expect, isLive, open, row, sitDown, tabCount, type Seat, type Who } from './fixtures.ts';

/** A seat with details about its stream. */
interface StreamSeat extends Seat {
  /** The process that serves the stream. */
  servedBy: () => string;
  clientId: () => string;
}

interface Fixtures {
  cluster: Cluster;
  /** Opens a window at one process, or at the common address. */
  sitAt: (url: string, who: Who, path: string) => Promise<StreamSeat>;
}

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- the framework wants a pattern here
  cluster: async ({}, use) => {
    const cluster = await startCluster();
    await use(cluster);
    await cluster.stop();
  },
  sitAt: async ({ browser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (url, who, path) => {
      const context = await browser.newContext({ baseURL: url });
      contexts.push(context);
      let [servedBy, clientId] = ['', ''];
      context.on('response', (response: Response) => {
        const { pathname, searchParams } = new URL(response.url());
        if (pathname !== '/api/events' || !response.ok()) return;
        clientId = searchParams.get('client_id') ?? '';
        servedBy = response.headers()['x-served-by'] ?? '';
      });
      return { ...(await sitDown(context, who, path)), servedBy: () => servedBy, clientId: () => clientId };
    });
    await Promise.all(contexts.map(async (context) => await context.close()));
  },
});

const isMissing = missingForCluster.length > 0;
const warning = `The cluster is NOT tested here. Missing: ${missingForCluster.join(', ')}.`;
// The list of results shows that a test was skipped, but not why.
if (isMissing) console.warn(warning);

test.describe('A cluster of two processes', () => {
  test.skip(isMissing, warning);
  test.setTimeout(120_000);

  test('D-HUB-7 a change through one process reaches the clients of both', async ({ cluster, sitAt }) => {
    const [first, second] = cluster.processes.map(({ url }) => url);
    const a = await sitAt(first ?? '', 'mara', '/tickets');
    const b = await sitAt(second ?? '', 'tomas', '/tickets');
    expect([a.servedBy(), b.servedBy()]).toEqual(['1', '2']);
    const id = await open(a.api);
    await expect(row(b.page, id)).toBeVisible();

    await change(a.api, id, { status: 'pending' });
    await expect(row(b.page, id).locator('.badge')).toHaveText('Pending');
    await expect(row(a.page, id).locator('.badge')).toHaveText('Pending');
    await change(b.api, id, { status: 'solved' });
    await expect(row(a.page, id).locator('.badge')).toHaveText('Solved');

    // A direct change of the database reaches the clients of both processes.
    const next = await open(a.api);
    await expect(row(b.page, next)).toBeVisible();
    expect((await a.api.post('/api/weather/psql')).status()).toBe(200);
    await expect(row(a.page, next).locator('.badge')).toHaveText('Pending');
    await expect(row(b.page, next).locator('.badge')).toHaveText('Pending');
    expect([...a.faults(), ...b.faults()]).toEqual([]);
  });

  test('D-HUB-7 the clients of a killed process reconnect to the other one and resume where they left off', async ({
    cluster,
    sitAt,
  }) => {
    const b = await sitAt(cluster.url, 'tomas', '/tickets?status=closed');
    const lost = b.servedBy();
    const left = cluster.processes.find(({ place }) => place !== lost);
    const a = await sitAt(left?.url ?? '', 'mara', '/');
    const openBefore = await tabCount(b.page, 'open').textContent();
    const id = await open(a.api);
    // The response of `open` does not wait for the relay. A directive that B had not received before the kill would be replayed too.
    await expect(tabCount(b.page, 'open')).not.toHaveText(openBefore ?? '');
    const before = await tabCount(b.page, 'solved').textContent();

    await cluster.kill(lost);
    b.forget();
    await change(a.api, id, { status: 'solved' });
    await expect.poll(b.servedBy).toBe(left?.place);
    await expect(tabCount(b.page, 'solved')).not.toHaveText(before ?? '');
    await isLive(b.page);
    // The messages were replayed. A resync would have requested the list and the bell too.
    expect(b.asked()).toEqual(['GET /api/counts']);
  });

  test('a network fault applies to a stream at another process and stays with the stream when it moves', async ({
    cluster,
    sitAt,
  }) => {
    const b = await sitAt(cluster.url, 'tomas', '/tickets');
    const own = cluster.processes.find(({ place }) => place === b.servedBy());
    const other = cluster.processes.find(({ place }) => place !== b.servedBy());
    const a = await sitAt(other?.url ?? '', 'mara', '/');
    const lost = await open(a.api);
    const next = await open(a.api);
    await expect(row(b.page, next)).toBeVisible();

    /** Sets both tickets to a status. If the first message is lost, the second one has a gap, and the page requests the bell again. */
    const expectLoss = async (status: string, text: string): Promise<void> => {
      b.forget();
      await change(a.api, lost, { status });
      await change(a.api, next, { status });
      await expect(row(b.page, next).locator('.badge')).toHaveText(text);
      await expect.poll(b.asked).toContainEqual(expect.stringContaining('/api/notifications'));
      await expect(row(b.page, lost).locator('.badge')).toHaveText(text);
    };
    // A request of the menu goes to any process.
    const loseTheNextMessage = async (url: string | undefined): Promise<void> => {
      const answer = await b.api.post(`${url}/api/weather`, { data: { clientId: b.clientId(), drop: 1 } });
      expect(answer.status(), await answer.text()).toBe(200);
    };
    await loseTheNextMessage(other?.url);
    await expectLoss('pending', 'Pending');

    await loseTheNextMessage(own?.url);
    await cluster.kill(own?.place ?? '');
    await expect.poll(b.servedBy).toBe(other?.place);
    await isLive(b.page);
    await expectLoss('solved', 'Solved');
  });
});

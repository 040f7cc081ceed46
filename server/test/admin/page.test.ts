// Shows the admin page in a real browser, without data and with the longest names that a hub accepts.

import AxeBuilder from '@axe-core/playwright';
import { expect, it } from 'vitest';
import { hubForTest, serveHttp, subscribe } from '../support/servers.ts';
import { launch } from '../support/examples.ts';

const phone = { width: 390, height: 800 };
const desk = { width: 1400, height: 900 };
const longest = 'a'.repeat(128);

/** Serves a hub and its page. The hub has streams, envelopes, a refusal and a logged error if `isBusy`. */
async function servePage(isBusy: boolean): Promise<string> {
  const hub = hubForTest({
    admin: () => true,
    authorize(_, { audience }) {
      if (audience === 'fault') throw new Error('no session');
      return { user: longest };
    },
  });
  const { url } = await serveHttp((req, res) =>
    req.url?.startsWith('/admin') === true ? hub.adminHandler(req, res) : hub.nodeHandler(req, res),
  );
  if (isBusy) {
    await expect(subscribe(url, '?audience=fault')).rejects.toThrow('503');
    const stream = await subscribe(url, `?client_id=${longest}&audience=${longest}`);
    await hub.emit([{ op: 'refresh_item', name: 'ticket', id: longest }], { audience: longest });
    await stream.atLeast(2);
  }
  return `${url}/admin`;
}

it.each([
  ['a busy hub', true],
  ['an idle hub', false],
])('has no accessibility errors and fits every screen: %s', async (_, isBusy) => {
  const url = await servePage(isBusy);
  const context = await (await launch()).newContext();
  const page = await context.newPage();
  for (const [colorScheme, viewport] of [
    ['light', desk],
    ['dark', phone],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.goto(url);
    // There are no frames, so axe needs no second page.
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(viewport.width);
  }
});

it('reloads itself only while the user has switched that on', async () => {
  const page = await (await launch()).newPage();
  await page.goto(await servePage(false));
  expect(await page.locator('meta[http-equiv=refresh]').count()).toBe(0);
  await page.getByRole('link', { name: 'Reload every 5 s' }).click();
  expect(await page.locator('meta[http-equiv=refresh]').count()).toBe(1);
  await page.getByRole('link', { name: 'Stop reloading' }).click();
  expect(await page.locator('meta[http-equiv=refresh]').count()).toBe(0);
});

// The page itself: keys, addresses, accessibility, its first paint.

import type { Locator } from '@playwright/test';
import { change, expect, goOffline, isLive, open, property, test, ticketOf } from './fixtures.ts';
import { hold } from './support/hold.ts';
import { violations } from './support/violations.ts';

/** Around the whole of it, above what is in it. */
const hasRing = async (locator: Locator): Promise<boolean> =>
  await locator.evaluate((one) => getComputedStyle(one, '::after').outlineStyle === 'solid');

test('axe finds nothing on any page', async ({ sit }) => {
  test.setTimeout(240_000);
  const { page, api } = await sit('mara', '/');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const violationsInBoth = async (what: string): Promise<void> => {
    expect(await violations(page), what).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    // The schemes differ in nothing but their colors.
    expect(await violations(page, { rules: ['color-contrast'] }), `${what}, dark`).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  };
  await violationsInBoth('dashboard');
  await page.goto('/tickets?status=open');
  await isLive(page);
  await page.locator('.row input').first().check();
  await violationsInBoth('list');
  await page.goto(`/tickets/${await open(api, { assigneeId: 1 })}`);
  await isLive(page);
  await page.getByPlaceholder('Write a comment').fill('Some words');
  await violationsInBoth('detail');
  const gone = await open(api);
  await page.locator(`[data-row="${gone}"]`).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A ticket for a test');
  await api.delete(`/api/tickets/${gone}`);
  await expect(page.locator('[data-gone-notice]')).toBeVisible();
  expect(await violations(page), 'gone').toEqual([]);
  await page.reload();
  await expect(page.getByText('Ticket not found')).toBeVisible();
  expect(await violations(page), 'no such ticket').toEqual([]);
  await page.goBack();
  await page.getByRole('button', { name: 'Edit' }).click();
  expect(await violations(page), 'editing').toEqual([]);
  await page.getByRole('button', { name: 'New ticket' }).click();
  expect(await violations(page), 'new ticket').toEqual([]);
  await page.keyboard.press('Escape');
  for (const popover of ['weather', 'bell', 'account']) {
    await page.locator(`[data-popover="${popover}"]`).click();
    expect(await violations(page), popover).toEqual([]);
    await page.keyboard.press('Escape');
  }
  await page.goto('/nowhere');
  expect(await violations(page), 'no such page').toEqual([]);
  await page.goto('/tickets?q=nothing+like+this');
  await expect(page.getByText('No matches')).toBeVisible();
  expect(await violations(page), 'empty').toEqual([]);
  await goOffline({ page, context: page.context(), api });
  await expect(page.locator('[data-stream-banner]')).toBeVisible();
  expect(await violations(page), 'offline').toEqual([]);
  await page.context().setOffline(false);
  await page.goto('/sign-in');
  expect(await violations(page), 'sign-in').toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/tickets');
  await isLive(page);
  expect(await violations(page), 'narrow').toEqual([]);
});

test('a ticket is found, opened, answered and solved with the keyboard alone', async ({ sit }) => {
  const { page, api } = await sit('mara', '/tickets');
  const id = await open(api, { subject: 'Keys only please' });
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('Keys only');
  await expect(page.locator('.row')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-row]').first()).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByText('1 selected')).toBeVisible();
  await page.keyboard.press('x');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Keys only please' })).toBeVisible();
  await expect(page.getByLabel('Write a comment')).toBeVisible(); // The heading is there before the rest.
  await page.keyboard.press('r');
  await page.keyboard.type('Answered without a mouse.');
  await page.keyboard.press('Control+Enter');
  await expect(page.locator('.message-text', { hasText: 'Answered without a mouse.' })).toBeVisible();
  await property(page, 'Status').focus();
  await page.keyboard.press('s');
  await expect.poll(async () => (await ticketOf(api, id)).status).toBe('solved');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/tickets\?q=Keys/);
});

test('filters, order and page are in the address, and the page before stays while the next loads', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  await page.getByRole('link', { name: /^Solved/ }).click();
  await page.locator('.toolbar').getByLabel('Priority').selectOption('high');
  await page.locator('.toolbar').getByLabel('Order').selectOption('oldest');
  await expect(page).toHaveURL('/tickets?status=solved&priority=high&sort=oldest');
  await page.goBack();
  await expect(page).toHaveURL('/tickets?status=solved&priority=high');
  await page.goto('/tickets?status=solved&sort=oldest');
  await isLive(page);

  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/tickets?*page=2*', async (route) => {
    await held;
    await route.continue();
  });
  const first = await page.locator('[data-row]').first().innerText();
  await page.getByRole('link', { name: 'Next page' }).click();
  await expect(page.locator('.rows[data-previous]')).toBeVisible();
  await expect(page.locator('[data-row]').first()).toHaveText(first);
  release();
  await expect(page.locator('.rows[data-previous]')).toHaveCount(0);
  await expect(page.locator('.pager-where')).toContainText('51–');
});

test('what goes away with the focus gives it back', async ({ sit }) => {
  const { page, api } = await sit('mara', '/tickets');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await press('Edit');
  await expect(page.getByLabel('Subject')).toBeFocused();
  await press('Save');
  await expect(page.getByRole('button', { name: 'Edit' })).toBeFocused();
  await press('Delete');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Delete' })).toBeFocused();

  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('x');
  await press('Clear the selection');
  await expect(page.locator('#page')).toBeFocused();
  await page.locator('[data-popover="weather"]').click();
  await page.locator('.weather-item', { hasText: 'Cut the stream' }).click();
  await page.keyboard.press('Escape');
  await press('Connect now');
  await expect(page.locator('#page')).toBeFocused();

  const { count } = (await (await api.get('/api/tickets')).json()) as { count: number };
  await page.goto(`/tickets?size=500&page=${Math.ceil(count / 500) - 1}`);
  await isLive(page);
  await page.getByRole('link', { name: 'Next page' }).press('Enter');
  await expect(page.getByRole('link', { name: 'Previous page' })).toBeFocused();

  // Its row is not in the list that it leads back to.
  await page.goto(`/tickets/${id}?status=closed`);
  await isLive(page);
  await page.getByRole('link', { name: 'Close the ticket' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/tickets?status=closed');
  await expect(page.locator('#page')).toBeFocused();
});

test('a row that goes away with the focus gives it to the one that takes its place', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const ids: number[] = [];
  for (let place = 0; place < 5; place += 1) ids.push(await open(api, { subject: 'One of five in a row' }));
  const link = (place: number) => page.locator(`[data-row="${ids[place]}"]`);
  const solve = async (place: number): Promise<void> => {
    await change(api, ids[place] ?? 0, { status: 'solved' });
    await expect(link(place)).toHaveCount(0);
  };
  await page.goto('/tickets?q=five+in+a+row&status=open&sort=oldest');
  await isLive(page);
  await link(1).press('Enter');
  await expect(page.locator('.timeline')).toBeVisible();
  await page.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(page.locator('.notice')).toContainText(`Ticket #${ids[1]} was deleted.`);
  await expect(link(1)).toHaveCount(0);
  await expect(link(2)).toBeFocused();
  expect(await hasRing(link(2))).toBe(true);

  // Also when somebody else takes it off the list; of the last one the one before has it, of the only one the page.
  await solve(0);
  await expect(link(2)).toBeFocused();
  await solve(2);
  await expect(link(3)).toBeFocused();
  await link(4).focus();
  await solve(4);
  await expect(link(3)).toBeFocused();
  await solve(3);
  await expect(page.locator('#page')).toBeFocused();
});

test('a page beyond the last says so and leads to the first', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets?page=5000');
  await expect(page.getByText('Page 5,000 not found')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Previous page' })).toHaveAttribute('href', /\?page=\d\d$/);
  await page.getByRole('link', { name: 'To the first page' }).click();
  await expect(page).toHaveURL('/tickets');
  await expect(page.locator('.pager-where')).toContainText('1–50 of');
});

test('what the side bar counts is what its link lists, and its entry is lit there alone', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  const side = page.getByRole('navigation', { name: 'Views' });
  for (const name of ['All tickets', 'All open', 'Assigned to me', 'Unassigned', 'Billing']) {
    const entry = side.getByRole('link', { name: new RegExp(`^${name}`) });
    await entry.click();
    await isLive(page);
    await expect(page.locator('.rows[data-previous]')).toHaveCount(0);
    await expect(page.locator('[data-total]'), name).toHaveText(
      await entry.locator('.side-count').innerText(),
    );
    await expect(page.locator('.tab[aria-current] .tab-count')).toHaveText(
      await entry.locator('.side-count').innerText(),
    );
    await expect(side.locator('[aria-current]')).toHaveText(await entry.innerText(), { useInnerText: true });
  }
  await page.goto('/tickets');
  await expect(side.locator('[aria-current]')).toContainText('All tickets');
  // Not what is open, so none of the views of open tickets.
  await page.goto('/tickets?assignee=me&status=pending');
  await expect(side.locator('[aria-current]')).toContainText('All tickets');
});

test('the tab says which page it is, and a ticket that is closed gives the focus back to its row', async ({
  sit,
}) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api, { subject: 'The one in the tab' });
  await expect(page).toHaveTitle('Dashboard · Edict Desk');
  await page.goto('/tickets');
  await expect(page).toHaveTitle('Tickets · Edict Desk');
  await isLive(page);
  const link = page.locator(`[data-row="${id}"]`);
  for (const close of ['Escape', 'button'] as const) {
    await link.focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveTitle(`#${id} The one in the tab · Edict Desk`);
    await page.locator('textarea').focus();
    if (close === 'button') await page.getByRole('link', { name: 'Close the ticket' }).click();
    else {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    }
    await expect(page).toHaveTitle('Tickets · Edict Desk');
    await expect(link).toBeFocused();
  }
});

test('an error of the server is shown with a way to try again', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  let isBroken = true;
  await page.route('**/api/tickets?*', async (route) => {
    if (isBroken) {
      await route.fulfill({
        status: 500,
        json: { error: { code: 'internal', message: 'The database is asleep.' } },
      });
    } else await route.continue();
  });
  await page.getByRole('link', { name: /^Unassigned/ }).click();
  await expect(page.getByText('The database is asleep.')).toBeVisible();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator('.row').first()).toBeVisible();
});

test('an error of a later fetch is shown beside what was there before', async ({ sit, speakAs }) => {
  const a = await speakAs('mara');
  const id = await open(a.api);
  const { page } = await sit('tomas', `/tickets/${id}`);
  let isBroken = true;
  await page.route(`**/api/tickets/${id}`, async (route) => {
    if (isBroken)
      await route.fulfill({
        status: 500,
        json: { error: { code: 'internal', message: 'The database is asleep.' } },
      });
    else await route.continue();
  });
  await change(a.api, id, { subject: 'Another subject' });
  const detail = page.locator('.detail');
  await expect(detail.getByRole('alert')).toContainText('The database is asleep.');
  await expect(detail.locator('.timeline')).toBeVisible();
  isBroken = false;
  await expect(detail.getByRole('heading', { level: 1 })).toHaveText('Another subject');
  await expect(detail.getByRole('alert')).toHaveCount(0);
});

test('loading moves nothing: the skeleton has the place of what comes', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  await page.evaluate(() => {
    Object.assign(globalThis, { shift: 0 });
    new PerformanceObserver((list) => {
      // True: this is what entries of this type have.
      for (const { value, hadRecentInput } of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[]) {
        // What a click moves is wanted; what an answer moves afterwards is not.
        if (!hadRecentInput)
          Object.assign(globalThis, { shift: Number(Reflect.get(globalThis, 'shift')) + value });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.getByRole('link', { name: /^Unassigned/ }).click();
  await isLive(page);
  await page.locator('[data-row]').first().click();
  await expect(page.locator('.timeline')).toBeVisible();
  expect(await page.evaluate(() => Number(Reflect.get(globalThis, 'shift')))).toBeLessThan(0.1);
});

test('what the list has of a ticket is shown while the rest is on its way, and asked for by nobody', async ({
  sit,
}) => {
  const seat = await sit('mara', '/');
  const { page } = seat;
  const id = await open(seat.api, { subject: 'Known from the list' });
  await page.goto('/tickets/7'); // It is on no first page.
  await isLive(page);
  await page.getByRole('link', { name: 'Close the ticket' }).click();
  await page.reload();
  await isLive(page);
  const go = await hold(page, /\/api\/tickets\/\d+$/, 'GET');
  seat.forget();
  await page.locator(`[data-row="${id}"]`).click();
  const bones = page.locator('.detail [aria-busy]');
  await expect(bones.getByRole('heading', { level: 1 })).toHaveText('Known from the list');
  await expect(bones.locator('.badge')).toHaveText('Open');
  await page.goBack();
  await page.goBack();
  await expect(bones).toBeVisible();
  go();
  await expect(page.locator('.timeline')).toBeVisible();
  expect(seat.asked()).toEqual([`GET /api/tickets/${id}`, 'GET /api/tickets/7']);
});

test('keys that choose a character do nothing else', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const keyboard = await page.context().newCDPSession(page);
  const compose = async (field: Locator, key: string): Promise<void> => {
    await field.focus();
    await keyboard.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await page.keyboard.press(key);
    await expect(field).toBeFocused();
  };
  for (const key of ['Enter', 'ArrowDown', 'Escape']) {
    await compose(page.getByRole('searchbox'), key);
    await page.getByRole('searchbox').clear();
  }
  const comment = page.getByPlaceholder('Write a comment');
  await compose(comment, 'Control+Enter');
  await expect(comment).toHaveValue('に');
  expect((await ticketOf(api, id)).comments).toEqual([]);
});

test('a button that waits keeps the focus, also when it has failed', async ({ sit, speakAs }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api, { assigneeId: 1 });
  const jonas = await speakAs('jonas');
  await change(jonas.api, id, { status: 'pending' });
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const press = async (button: Locator): Promise<void> => {
    await button.focus();
    await page.keyboard.press('Enter');
  };
  await page.getByPlaceholder('Write a comment').fill('Sent by the button');
  const comment = page.getByRole('button', { name: 'Comment', exact: true });
  await press(comment);
  await expect(page.locator('.message-text', { hasText: 'Sent by the button' })).toBeVisible();
  await expect(comment).toBeDisabled();
  await expect(comment).toBeFocused();

  const bell = page.getByRole('dialog', { name: /^Notifications/ });
  await page.locator('[data-popover="bell"]').click();
  const read = bell.getByRole('button', { name: 'Mark all as read' });
  await press(read);
  await expect(read).toBeDisabled();
  await expect(read).toBeFocused();
  await page.keyboard.press('Escape');

  await page.route(/\/api\/tickets/, async (route) => {
    if (route.request().method() === 'GET') await route.continue();
    else await route.abort();
  });
  await page.getByRole('button', { name: 'Edit' }).click();
  await press(page.getByRole('button', { name: 'Save' }));
  await expect(page.locator('.edit .form-error')).toContainText('cannot be reached');
  await expect(page.getByRole('button', { name: 'Save' })).toBeFocused();
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.locator('.row .row-check').first().click();
  const closed = page.locator('.bulk').getByRole('button', { name: 'Close' });
  await press(closed);
  await expect(page.locator('.notice')).toContainText('cannot be reached');
  await expect(closed).toBeFocused();
});

test('a way that takes away or hides what had the focus leads it along', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  await page.locator('.figure').first().press('Enter');
  await expect(page.locator('#page')).toBeFocused();
  await isLive(page);
  // Beside the list nothing is hidden.
  const link = page.locator('[data-row]').first();
  await link.press('Enter');
  await expect(page.locator('.timeline')).toBeVisible();
  await expect(link).toBeFocused();
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 360, height: 740 });
  await link.press('Enter');
  await expect(page.getByRole('article')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(link).toBeFocused();
});

test('with forced colours one sees where the focus is, what is open and what is unread', async ({
  sit,
  speakAs,
}) => {
  const a = await speakAs('jonas');
  const id = await open(a.api, { assigneeId: 1 });
  const { page } = await sit('mara', `/tickets/${id}`);
  await page.emulateMedia({ forcedColors: 'active' });
  const looks = async (locator: Locator, side: 'outline' | 'borderLeft'): Promise<string> =>
    await locator.evaluate((one, at) => {
      const style = getComputedStyle(one);
      return at === 'outline' ? `${style.outlineStyle} ${style.outlineWidth}` : style.borderLeftWidth;
    }, side);
  for (const field of [
    page.getByRole('searchbox'),
    property(page, 'Status'),
    page.getByLabel('Write a comment'),
  ]) {
    await field.focus();
    expect(await looks(field, 'outline')).toBe('solid 2px');
  }
  expect(await looks(page.locator('.row[data-open]'), 'borderLeft')).toBe('4px');
  await page.locator('[data-popover="bell"]').click();
  const entry = page.locator('.bell-entry').first();
  await expect(entry.getByRole('link', { name: /^Unread: Jonas Okafor assigned you/ })).toBeVisible();
  expect(await looks(entry, 'borderLeft')).toBe('4px');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(entry.getByRole('link', { name: /^Jonas Okafor assigned you/ })).toBeVisible();
});

test('what failed is said until somebody takes note of it', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api);
  await page.clock.install();
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  await page.context().setOffline(true);
  await property(page, 'Status').selectOption('solved');
  const message = page.locator('.notice', { hasText: `#${id} was not changed. The desk cannot be reached.` });
  await expect(message).toBeVisible();
  await page.clock.runFor(60_000);
  await expect(message).toBeVisible();
  await message.getByRole('button', { name: 'Dismiss' }).click();
  await expect(message).toHaveCount(0);
  await page.context().setOffline(false);
});

test('a page that cannot be shown says so, and one goes on elsewhere or reloads it', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api, { subject: 'Of another version' });
  const ticket = await ticketOf(api, id);
  await page.route(`**/api/tickets/${id}`, (route) => route.fulfill({ json: { ...ticket, comments: null } }));
  await page.getByRole('link', { name: /^All open/ }).click();
  await page.locator(`[data-row="${id}"]`).click();
  const message = page.getByRole('alert').filter({ hasText: 'This ticket cannot be shown' });
  await expect(message).toBeVisible();
  await message.getByRole('button', { name: 'Try again' }).press('Enter');
  await expect(page.locator('#page')).toBeFocused();
  await expect(message).toBeVisible();

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await page.goBack();
  await message.getByRole('button', { name: 'Reload the page' }).click();
  await expect(page.getByRole('heading', { name: 'Of another version' })).toBeVisible();
});

test('times are told by the clock of the server, however wrong that of the computer is', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  for (const hours of [-5, 5]) {
    await page.clock.setSystemTime(Date.now() + hours * 3_600_000);
    await page.goto('/tickets');
    const id = await open(api);
    await expect(page.locator(`.row[data-ticket="${id}"] time`)).toHaveText('now');
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in the devtools in the ${colorScheme} scheme`, async ({ sit }) => {
    test.setTimeout(120_000);
    const { page } = await sit('mara', '/tickets?status=open');
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'What the data layer does' }).click();
    const panel = page.getByRole('region', { name: 'Edict devtools' });
    const look = async (what: string): Promise<void> =>
      expect(await violations(page, { within: 'edict-devtools' }), what).toEqual([]);
    await panel.getByRole('button', { name: 'Inject' }).click();
    await panel.getByLabel('Directives').fill('{ "op": "refresh_collection", "name": "tickets" }');
    await panel.getByRole('button', { name: 'Apply' }).click();
    await look('inject');
    await panel.getByRole('option', { name: /refresh_collection tickets/ }).click();
    await expect(panel.getByRole('list', { name: 'Effects of this directive' })).toBeVisible();
    await look('trace');
    await panel.getByRole('tab', { name: 'Cache' }).click();
    await panel
      .getByRole('option', { name: /ticket \d+/ })
      .first()
      .click();
    await look('entry');
    await page.setViewportSize({ width: 390, height: 844 });
    await panel.getByRole('tab', { name: 'Connection' }).click();
    await look('connection');
  });
}

test('devtools that cannot be loaded leave the desk as it is, and opening them after a reload moves the focus', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  const devtools = page.getByRole('button', { name: 'What the data layer does' });
  await page.context().setOffline(true);
  await devtools.click();
  await expect(page.locator('.notice')).toContainText('The devtools could not be loaded.');
  await expect(devtools).toHaveAttribute('aria-pressed', 'false');
  await expect(page.locator('.row').first()).toBeVisible();
  await page.context().setOffline(false);
  await page.reload();
  await devtools.click();
  const panel = page.getByRole('region', { name: 'Edict devtools' });
  await expect(panel.getByRole('tab', { name: 'Timeline' })).toBeFocused();
  // Only the user who opens them wants the focus there.
  await page.reload();
  await expect(panel).toBeVisible();
  await expect(page.locator('edict-devtools')).not.toBeFocused();
});

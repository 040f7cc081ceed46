// The page itself: keys, addresses, accessibility, and loading.

import type { Locator } from '@playwright/test';
import { change, expect, goOffline, isLive, open, people, property, test, ticketOf } from './fixtures.ts';
import { hold } from './support/hold.ts';
import { violations } from './support/violations.ts';

/** Whether the focus ring is drawn around the whole element, above its content. */
const hasRing = async (locator: Locator): Promise<boolean> =>
  await locator.evaluate((one) => getComputedStyle(one, '::after').outlineStyle === 'solid');

test('axe finds nothing on any page', async ({ sit }) => {
  test.setTimeout(240_000);
  const { page, api } = await sit('mara', '/');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const violationsInBoth = async (what: string): Promise<void> => {
    expect(await violations(page), what).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    // The schemes differ only in their colors.
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
  await expect(page.getByLabel('Subject')).toBeVisible();
  expect(await violations(page), 'editing').toEqual([]);
  await page.getByRole('button', { name: 'New ticket' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await violations(page), 'new ticket').toEqual([]);
  await page.keyboard.press('Escape');
  for (const popover of ['weather', 'bell', 'account']) {
    await page.locator(`[data-popover="${popover}"]`).click();
    await expect(page.locator(`#popover-${popover}`)).toBeVisible();
    expect(await violations(page), popover).toEqual([]);
    await page.keyboard.press('Escape');
  }
  await page.goto('/nowhere');
  expect(await violations(page), 'no such page').toEqual([]);
  await page.goto('/tickets?q=nothing+like+this');
  await isLive(page);
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

test('a user finds and opens a ticket, comments on it, and solves it with the keyboard alone', async ({
  sit,
}) => {
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
  await expect(page.getByLabel('Write a comment')).toBeVisible(); // The heading is shown before the rest.
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: `Ticket ${id}` })).toBeFocused();
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

test('filters, order, and page are in the address, and the previous page stays while the next one loads', async ({
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

  const release = await hold(page, '**/api/tickets?*page=2*', 'GET');
  const first = await page.locator('[data-row]').first().innerText();
  await page.getByRole('link', { name: 'Next page' }).click();
  await expect(page.locator('.rows[data-previous]')).toBeVisible();
  await expect(page.locator('[data-row]').first()).toHaveText(first);
  release();
  await expect(page.locator('.rows[data-previous]')).toHaveCount(0);
  await expect(page.locator('.pager-where')).toContainText('51–');
});

test('an element that disappears with the focus returns it', async ({ sit }) => {
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

  // The list behind the ticket does not contain its row.
  await page.goto(`/tickets/${id}?status=closed`);
  await isLive(page);
  await page.getByRole('link', { name: 'Close the ticket' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/tickets?status=closed');
  await expect(page.locator('#page')).toBeFocused();
});

test('a row that disappears with the focus passes it to the row that takes its place', async ({ sit }) => {
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

  // The same applies when another user removes it. After the last row, the row before gets the focus. After the only row, the page does.
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

test('a page beyond the last shows a message with a link to the first', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets?page=5000');
  await expect(page.getByText('Page 5,000 not found')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Previous page' })).toHaveAttribute('href', /\?page=\d\d$/);
  await page.getByRole('link', { name: 'To the first page' }).click();
  await expect(page).toHaveURL('/tickets');
  await expect(page.locator('.pager-where')).toContainText('1–50 of');
});

test('each count in the side bar matches its list, and only the entry of that list is highlighted', async ({
  sit,
}) => {
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
  // The list is not of open tickets, so none of their views is highlighted.
  await page.goto('/tickets?assignee=me&status=pending');
  await expect(side.locator('[aria-current]')).toContainText('All tickets');
});

test('the tab title names the page, and closing a ticket returns the focus to its row', async ({ sit }) => {
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

test('an error of the server is shown with a button to try again', async ({ sit }) => {
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

test('an error of a refetch is shown beside the cached data', async ({ sit, speakAs }) => {
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

test('notifications that cannot be loaded cause one message', async ({ sit, speakAs }) => {
  const jonas = await speakAs('jonas');
  const { page } = await sit('mara', '/');
  await page.route('**/api/notifications?*', (route) => route.fulfill({ status: 500, json: {} }));
  await open(jonas.api, { assigneeId: people.mara });
  await page.locator('[data-popover="bell"]').click();
  await expect(page.locator('#popover-bell').getByRole('alert')).toHaveCount(1);
});

test('loading causes no layout shift, because the skeleton reserves the space', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  await page.evaluate(() => {
    Object.assign(globalThis, { shift: 0 });
    new PerformanceObserver((list) => {
      // Entries of this type have these fields.
      for (const { value, hadRecentInput } of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[]) {
        // A shift caused by a click is expected. A shift caused by a later response is not.
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

test('the data of the list is shown while the rest of the ticket loads, and is not requested again', async ({
  sit,
}) => {
  const seat = await sit('mara', '/');
  const { page } = seat;
  const id = await open(seat.api, { subject: 'Known from the list' });
  await change(seat.api, id, { status: 'closed' });
  const outside = await open(seat.api); // It is open, so the list of closed tickets does not contain it.
  await page.goto(`/tickets/${outside}?status=closed`);
  await isLive(page);
  await page.getByRole('link', { name: 'Close the ticket' }).click();
  await page.reload();
  await isLive(page);
  const go = await hold(page, /\/api\/tickets\/\d+$/, 'GET');
  seat.forget();
  await page.locator(`[data-row="${id}"]`).click();
  const bones = page.locator('.detail [aria-busy]');
  await expect(bones.getByRole('heading', { level: 1 })).toHaveText('Known from the list');
  await expect(bones.locator('.badge')).toHaveText('Closed');
  await page.goBack();
  await page.goBack();
  await expect(bones.getByRole('heading', { level: 1 })).toContainText(`Loading ticket #${outside}`);
  expect(await violations(page, { within: '.detail' })).toEqual([]);
  go();
  await expect(page.locator('.timeline')).toBeVisible();
  expect(seat.asked()).toEqual([`GET /api/tickets/${id}`, `GET /api/tickets/${outside}`]);
});

test('keys that select a character in an input method do nothing else', async ({ sit }) => {
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

test('a busy button keeps the focus, even after its request failed', async ({ sit, speakAs }) => {
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

test('a navigation that removes or hides the focused element moves the focus to the new content', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/');
  await page.locator('.figure').first().press('Enter');
  await expect(page.locator('#page')).toBeFocused();
  await isLive(page);
  // A ticket beside the list hides nothing.
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

test('forced colors show the focus, the open row, and unread notifications', async ({ sit, speakAs }) => {
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

test('a message about a failed change stays until the user dismisses it', async ({ sit }) => {
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

test('a ticket that cannot be loaded has a heading and a message', async ({ sit }) => {
  const { page } = await sit('mara', '/nothing');
  // The lists too: a row of the ticket would bring its subject.
  await page.route(/\/api\/tickets/, (route) => route.fulfill({ status: 403, json: {} }));
  await page.evaluate(() => {
    history.pushState(null, '', '/tickets/7');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await expect(page.locator('.detail').getByRole('alert')).toContainText('Try again');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ticket #7');
});

test('a ticket that cannot be rendered shows a message, and the user can leave or reload the page', async ({
  sit,
}) => {
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

test('times follow the clock of the server, however wrong the clock of the computer is', async ({ sit }) => {
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
    await page.getByRole('button', { name: 'Devtools', exact: true }).click();
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

test('the desk still works when the devtools cannot be loaded, and opening them moves the focus', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  const devtools = page.getByRole('button', { name: 'Devtools', exact: true });
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
  // Devtools that were already open do not take the focus.
  await page.reload();
  await expect(panel).toBeVisible();
  await expect(page.locator('edict-devtools')).not.toBeFocused();
});

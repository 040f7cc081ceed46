// The promises of the demo, each in one browser window with two real clients.

import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { startDesk } from './deskServer.ts';
import { expect, test as base } from './fixtures.ts';
import { hold } from './support/hold.ts';
import { violations } from './support/violations.ts';

/** The demo has its own tickets, so the desk of these tests is empty and starts faster. */
const test = base.extend<object, { desk: Awaited<ReturnType<typeof startDesk>> }>({
  desk: [
    // oxlint-disable-next-line no-empty-pattern -- the framework wants a pattern here
    async ({}, use) => {
      const desk = await startDesk({ SEED_TICKETS: '0' });
      await use(desk);
      await desk.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

// Reduced motion turns off the step that the page runs by itself, because that step changes a ticket.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

const screen = (page: Page, name: string): Locator => page.locator(`[data-screen="${name}"]`);
const ticket = (page: Page, name: string, id: number): Locator =>
  screen(page, name).locator(`[data-ticket="${id}"]`);
/** The messages on Mara's side with this outcome. */
const marked = (page: Page, fate: string): Locator =>
  page.locator(`.log-half[data-side="Mara"][data-fate="${fate}"]`);
const fault = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: "Disturb Mara's wire" }).getByRole('button', { name });

/** Records every outcome that a message has on Mara's side, because some last for a short time only. */
async function recordFates(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    const record = (): void => {
      for (const half of document.querySelectorAll<HTMLElement>('.log-half[data-side="Mara"]'))
        seen.add(half.dataset['fate'] ?? '');
    };
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  return async () => await page.evaluate(() => [...(Reflect.get(globalThis, 'seen') as Set<string>)]);
}

const newest = 4996;

/** The demo with both screens loaded, and without changes by colleagues. */
async function openDemo(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/demo`);
  for (const name of ['Priya', 'Mara']) {
    await expect(screen(page, name).locator('[data-ticket]')).toHaveCount(6);
    await expect(screen(page, name).getByText('Live', { exact: true })).toBeVisible();
  }
  await pauseColleagues(page);
}

async function pauseColleagues(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pause colleagues' }).click();
  await expect(page.getByRole('button', { name: 'Resume colleagues' })).toBeVisible();
}

/** Priya solves the ticket, or reopens it if it is solved. */
async function change(page: Page, id: number): Promise<string> {
  await ticket(page, 'Priya', id).getByRole('button').click();
  const status = ticket(page, 'Priya', id).locator('[data-part="status"]');
  await expect(ticket(page, 'Priya', id)).toContainText('by Priya');
  return (await status.textContent()) ?? '';
}

test('the start page without a session is the demo, which links to the desk and back', async ({
  page,
  desk,
}) => {
  await page.goto(desk.url);
  await expect(page).toHaveURL(`${desk.url}/demo`);
  await page.getByRole('link', { name: 'Open the desk' }).click();
  await page.getByRole('link', { name: 'without signing in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Live data on your own API.');
});

test('the focus stays in the header while the room opens', async ({ page, desk }) => {
  const go = await hold(page, '**/api/demo/rooms', 'POST');
  await page.goto(`${desk.url}/demo`);
  const link = page.getByRole('link', { name: 'Open the desk' });
  await link.focus();
  go();
  await expect(screen(page, 'Mara').locator('[data-ticket]')).toHaveCount(6);
  await expect(link).toBeFocused();
});

test('the first connection is not shown as a reconnection', async ({ page, desk }) => {
  const go = await hold(page, '**/api/demo/events*', 'GET');
  await page.goto(`${desk.url}/demo`);
  for (const name of ['Priya', 'Mara'])
    await expect(screen(page, name).getByText('Connecting …', { exact: true })).toBeVisible();
  go();
  await expect(page.getByText('Live', { exact: true })).toHaveCount(2);
});

test('a change by one person appears on the screen of the other, and the delay is measured', async ({
  page,
  desk,
}) => {
  await openDemo(page, desk.url);
  const status = await change(page, newest);
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  await expect(page.locator('.said')).toHaveText(
    new RegExp(`^Priya (solved|reopened) #${newest}; Mara saw it [\\d.]+\\sm?s later\\.$`),
  );
});

test('a delayed wire delivers a change late', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  const fates = await recordFates(page);
  await fault(page, 'Delay').click();
  const status = await change(page, newest);
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  // The wire delays messages by two seconds.
  await expect(page.locator('.said')).toHaveText(/Mara saw it ([2-9]|\d\d)\.\d\ss later\.$/);
  expect(await fates()).toContain('late');
  await expect(marked(page, 'late')).toHaveCount(0);
});

test('a dropped message leaves a gap, which the client detects and fills', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  const fates = await recordFates(page);
  await fault(page, 'Drop one').click();
  const status = await change(page, newest);
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  await expect(marked(page, 'refetched')).toHaveCount(1);
  expect(await fates()).toContain('lost');
});

test('a cut wire leaves gaps, which a replay fills after the reconnect', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await fault(page, 'Cut').click();
  await expect(screen(page, 'Mara').getByText('Reconnecting')).toBeVisible();
  for (const id of [newest, newest - 1, newest - 2]) await change(page, id);
  await expect(marked(page, 'missed')).toHaveCount(3);
  await expect(page.locator('.said')).toHaveText('Mara missed 3 changes so far.');
  await expect(screen(page, 'Mara')).not.toContainText('by Priya');
  await ticket(page, 'Mara', newest).getByRole('button').click();
  await expect(ticket(page, 'Mara', newest).getByRole('alert')).toContainText('The wire is cut.');
  await fault(page, 'Reconnect').click();
  await expect(marked(page, 'replayed')).toHaveCount(3);
  await expect(page.locator('.said')).toHaveText('Mara missed 3 changes, and has caught up. 0 lost.');
  await expect(screen(page, 'Mara').getByRole('alert')).toHaveCount(0);
  await expect(screen(page, 'Mara').getByText('by Priya')).toHaveCount(3);
});

test('the state of a screen is not cut off on a phone', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await fault(page, 'Cut').click();
  await expect(screen(page, 'Mara').getByText('Reconnecting')).toBeVisible();
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 740 });
    const head = screen(page, 'Mara').locator('.screen-head');
    expect(await head.evaluate((one) => one.scrollWidth - one.clientWidth), `${width} pixels`).toBe(0);
  }
});

test('a change that the server cannot receive shows why', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await page.route('**/api/demo/rooms/*/tickets/*', (route) => route.abort());
  await ticket(page, 'Priya', newest).getByRole('button').click();
  await expect(ticket(page, 'Priya', newest).getByRole('alert')).toHaveText(
    'Not sent: The server cannot be reached.',
  );
});

test('a screen whose wire is cut before it has loaded loads after the reconnect', async ({ page, desk }) => {
  const go = await hold(page, /\/api\/demo\/.*\/tickets$/, 'GET');
  await page.goto(`${desk.url}/demo`);
  await expect(screen(page, 'Mara')).toContainText('Loading');
  await pauseColleagues(page); // A change of the list would load it.
  await fault(page, 'Cut').click();
  await expect(screen(page, 'Mara').getByRole('alert')).toContainText('The wire is cut.');
  go();
  await fault(page, 'Reconnect').click();
  await expect(screen(page, 'Mara').locator('[data-ticket]')).toHaveCount(6);
  await expect(screen(page, 'Mara').getByRole('alert')).toHaveCount(0);
});

test('the tour measures five promises', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  const measured = [
    /^Priya (solved|reopened) #\d+; Mara saw it [\d.]+\sm?s later\.$/,
    /^3 of 3 changes arrived, up to [\d.]+\ss late\. 0 lost\.$/,
    /^#\d+ was lost\. Mara noticed after [\d.]+\sm?s, and had it after [\d.]+\sm?s\.$/,
    /^12 changes missed, 12 replayed, 0 lost\. It took \d+ requests? and [\d.]+\sm?s\.$/,
    /^After the same cut: 0 rows wrong with Edict, 4 rows wrong without\.$/,
  ];
  for (const [at, sentence] of measured.entries()) {
    const step = page.locator(`[data-step="${at + 1}"]`);
    await step.getByRole('button').click();
    await expect(step.locator('[data-measured]')).toHaveText(sentence, { timeout: 20_000 });
  }
  await expect(page.locator('[data-proof="gaps"]')).toHaveText('17 of 17');
});

test('the page measures its first promise by itself, unless the visitor prefers reduced motion', async ({
  page,
  desk,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto(`${desk.url}/demo`);
  const sentence = (step: number): Locator => page.locator(`[data-step="${step}"] .step-sentence`);
  await expect(sentence(1)).toHaveText(/^Priya (solved|reopened) #\d+; Mara saw it [\d.]+\sm?s later\.$/);
  await expect(sentence(2)).toHaveText(/^Measures how many of 3 changes arrive/);
});

test('the page shows the code of a tested example and the command of the README', async ({ page, desk }) => {
  const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const sources = ['server.ts', 'src/data.ts', 'src/Row.tsx'].map((file) =>
    read(`examples/vite-express/${file}`),
  );
  await page.goto(`${desk.url}/demo`);
  await expect(page.locator('#code-title')).toBeVisible();
  const shown = (await page.locator('.code-line').allTextContents()).map((line) => line.trimEnd());
  expect(shown.length).toBeGreaterThan(20);
  const known = new Set([...sources.flatMap((source) => source.split('\n')), '  // … the markup']);
  expect(shown.filter((line) => !known.has(line))).toEqual([]);
  const marks = page.locator('.code-line[data-edict]');
  await expect(page.locator('#code-title')).toHaveText(
    `All that your team writes: ${await marks.count()} lines`,
  );
  await expect(marks.filter({ hasText: 'res.locals.directives.emit' })).toHaveCount(1);

  const command = (await page.locator('.install-box code').innerText()).replace('$', '').trim();
  for (const document of ['README.md', 'docs/start/quick-start.md'])
    expect(read(document)).toContain(command);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the command' }).click();
  await expect(page.getByText('Copied')).toBeAttached();
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(command);
});

test('the command is copied where the browser has no clipboard, as over HTTP', async ({ page, desk }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.goto(`${desk.url}/demo`);
  const copies = page.evaluate(
    async () =>
      await new Promise((resolve) =>
        document.addEventListener('copy', () => resolve(String(getSelection())), { once: true }),
      ),
  );
  await page.getByRole('button', { name: 'Copy the command' }).click();
  expect(await copies).toBe('npm install @edict/core @edict/react @edict/server');
  await expect(page.getByText('Copied')).toBeAttached();
});

test('the links to the documentation, and the links on those pages, lead to existing pages', async ({
  page,
  desk,
}) => {
  await page.goto(`${desk.url}/demo`);
  await page.getByRole('link', { name: 'Quick start' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Quick start');
  await page.getByRole('link', { name: 'All pages' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Edict');
  const links = await page
    .locator('main a[href]')
    .evaluateAll((all) => all.map((one) => (one instanceof HTMLAnchorElement ? one.href : '')));
  const own = new Set(
    links.filter((link) => link.startsWith(desk.url)).map((link) => link.split('#')[0] ?? ''),
  );
  expect(own.size).toBeGreaterThan(30);
  for (const link of own) expect((await page.request.get(link)).status(), link).toBe(200);
  expect((await page.request.get(`${desk.url}/docs/none.md`)).status()).toBe(404);
  expect((await page.request.get(`${desk.url}/docs/..%2fREADME.md`)).status()).toBe(404);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${desk.url}/docs/start/quick-start.md`);
    expect(await violations(page), colorScheme).toEqual([]);
  }
});

test('without Edict, rows stay stale after a lost message and are marked', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  await page.getByRole('switch', { name: 'Without Edict' }).click();
  await expect(screen(page, 'hand-wired').locator('[data-ticket]')).toHaveCount(6);
  await fault(page, 'Drop one').click();
  const status = await change(page, newest);
  await expect(ticket(page, 'Mara', newest).locator('[data-part="status"]')).toHaveText(status);
  const wrong = ticket(page, 'hand-wired', newest);
  await expect(wrong).toContainText(`The server has: ${status}`);
  await expect(page.locator('[data-score="edict"]')).toHaveText('0 rows wrong');
  await expect(page.locator('[data-score="hand-wired"]')).toHaveText('1 row wrong');
  await expect(page.locator('[data-proof="equal"]')).toHaveText('Equal');
});

test('the comparison reads the screen and finds a row that shows a different value', async ({
  page,
  desk,
}) => {
  await openDemo(page, desk.url);
  await expect(page.locator('[data-proof="equal"]')).toHaveText('Equal');
  await ticket(page, 'Mara', newest)
    .locator('[data-part="assignee"]')
    .evaluate((element) => (element.textContent = 'Nobody'));
  await expect(page.locator('[data-proof="equal"]')).toHaveText('Mara behind');
  await expect(screen(page, 'Mara').getByText('1 row behind')).toBeVisible();
});

test('colleagues keep changing tickets, and two visitors have separate desks', async ({
  page,
  context,
  desk,
}) => {
  const other = await context.newPage();
  await openDemo(other, desk.url);
  // Colleagues may have changed a ticket before the pause. A later change has arrived, so theirs have arrived too.
  await change(other, newest);
  await expect(ticket(other, 'Mara', newest)).toContainText('by Priya');
  const before = await other.locator('.log-row').count();
  await page.goto(`${desk.url}/demo`);
  await expect(page.locator('.log-row')).not.toHaveCount(0);
  await expect(other.locator('.log-row')).toHaveCount(before);
});

test('the facts of every ticket fit into its row on a wide screen', async ({ page, desk }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  // The longest words that a row can have.
  const longest = { status: 'pending', assignee: null, changedBy: 'Tomás' };
  await page.route(/\/api\/demo\/.*\/tickets$/, async (route) => {
    const response = await route.fetch();
    const tickets = (await response.json()) as object[];
    await route.fulfill({ response, json: tickets.map((one) => ({ ...one, ...longest })) });
  });
  await page.goto(`${desk.url}/demo`);
  const facts = screen(page, 'Priya').locator('.ticket-facts').first();
  await expect(facts).toContainText('Tomás');
  expect(await facts.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
});

test('the name and the controls at the top are one row at every width', async ({ page, desk }) => {
  await openDemo(page, desk.url);
  for (const width of [320, 360, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    const [name, controls] = await page
      .locator('.demo-brand, [aria-label="Further pages"]')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect())); // Of one layout.
    expect(controls?.top, `${width} pixels`).toBeLessThan(name?.bottom ?? 0);
  }
});

test('the page has no accessibility violations, including the dark scheme and a phone', async ({
  page,
  desk,
}) => {
  test.setTimeout(120_000);
  await page.emulateMedia({ colorScheme: 'light' });
  await openDemo(page, desk.url);
  await page.getByRole('switch', { name: 'Without Edict' }).click();
  await expect(screen(page, 'hand-wired').locator('[data-ticket]')).toHaveCount(6);
  await fault(page, 'Cut').click();
  await change(page, newest);
  await expect(ticket(page, 'hand-wired', newest)).toContainText('The server has');
  await expect(page.locator('.compared pre')).toBeVisible();
  for (const size of [
    { width: 1400, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await violations(page)).toEqual([]);
    const beside = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(beside, `pixels beside a window of ${size.width}`).toBe(0);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, { rules: ['color-contrast'] }), 'dark').toEqual([]);
  }
});

test('a wire is chosen and cut with the keyboard, and nothing moves if the user prefers reduced motion', async ({
  page,
  desk,
}) => {
  await openDemo(page, desk.url);
  await page.getByRole('button', { name: "Priya's wire" }).focus();
  await page.keyboard.press('Enter');
  await page
    .getByRole('group', { name: "Disturb Priya's wire" })
    .getByRole('button', { name: 'Cut' })
    .focus();
  await page.keyboard.press('Space');
  await expect(screen(page, 'Priya').getByText('Reconnecting')).toBeVisible();
  // The mark of a change disappears after a short time, so the page records its style when it appears.
  await page.evaluate(() => {
    addEventListener('animationstart', ({ target }) => {
      if (target instanceof HTMLElement && target.matches('.ticket-flash'))
        Object.assign(globalThis, { flash: getComputedStyle(target).opacity });
    });
  });
  await ticket(page, 'Mara', newest).getByRole('button').press('Enter');
  await expect.poll(async () => await page.evaluate(() => Reflect.get(globalThis, 'flash'))).toBe('1');
  await expect(page.locator('.log-half[data-side="Priya"][data-fate="missed"]')).toHaveCount(1);
});

// Errors when a desk cannot start, and an empty desk.

import { startDesk } from './deskServer.ts';
import { expect, sitDown, test } from './fixtures.ts';

test('a port that is in use throws an error that suggests another port', async ({ desk }) => {
  const { port } = new URL(desk.url);
  await expect(startDesk({ PORT: port })).rejects.toThrow(
    `Choose another port, for example: PORT=${Number(port) + 1} npm start`,
  );
});

test('a database that cannot be reached throws an error that names the variable', async () => {
  await expect(startDesk({ DATABASE_URL: 'postgres://127.0.0.1:1/desk' })).rejects.toThrow(
    /The data of DATABASE_URL cannot be opened: .*ECONNREFUSED/,
  );
});

for (const [name, value] of [
  ['PORT', '7e9'],
  ['SEED_TICKETS', 'many'],
  ['SESSION_MS', '-1'],
] as const) {
  test(`a ${name} that is not a valid number throws an error that names it and shows an example`, async () => {
    await expect(startDesk({ [name]: value })).rejects.toThrow(
      new RegExp(`${name} is ${value}. It has to be a whole number .*, for example: ${name}=\\d+ npm start`),
    );
  });
}

test('a HOST that is not an address of this machine throws an error that names it', async () => {
  await expect(startDesk({ HOST: '192.0.2.1' })).rejects.toThrow(/HOST is 192\.0\.2\.1; .*HOST=127\.0\.0\.1/);
});

test('a desk without tickets opens', async ({ browser }) => {
  const desk = await startDesk({ SEED_TICKETS: '0' });
  const context = await browser.newContext({ baseURL: desk.url });
  try {
    const { page } = await sitDown(context, 'mara', '/tickets');
    await expect(page.getByText('There are no tickets in this view.')).toBeVisible();
  } finally {
    await context.close();
    await desk.stop();
  }
});

test('an address without a page returns 404 and shows a message', async ({ sit }) => {
  const { page } = await sit('mara', '/');
  expect((await page.goto('/tickets/7'))?.status()).toBe(200);
  expect((await page.goto('/tickets/2147483647'))?.status()).toBe(200);
  await expect(page.getByRole('heading', { name: 'Ticket not found' })).toBeVisible();
  for (const path of ['/ticket/7', '/tickets/2147483648', '/tickets/007']) {
    expect((await page.goto(path))?.status(), path).toBe(404);
    await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  }
});

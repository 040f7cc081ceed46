// Other programs change the database directly, so no handler emits a directive.

import { expect, isLive, open, property, row, test } from './fixtures.ts';

test('a change by plain SQL appears on every screen with one request per list', async ({ sit }) => {
  const a = await sit('mara', '/');
  // The SQL changes the five open tickets that everyone sees and that were changed last.
  const id = await open(a.api, { subject: 'Changed beside the application' });
  const changed = [id];
  while (changed.length < 5) changed.push(await open(a.api));
  const inList = await sit('tomas', '/tickets?status=open');
  const inDetail = await sit('elif', `/tickets/${id}`);
  const figure = a.page.locator('[data-figure="pending"] .figure-number');
  const before = Number((await figure.innerText()).replaceAll(',', ''));
  inList.forget();

  await a.page.locator('[data-popover="weather"]').click();
  await a.page.getByRole('button', { name: /with psql/ }).click();
  await expect(figure).toHaveText((before + 5).toLocaleString('en'));
  for (const one of changed) await expect(row(inList.page, one)).toHaveCount(0);
  await expect(property(inDetail.page, 'Status')).toHaveValue('pending');
  await expect(row(inDetail.page, id).locator('.badge')).toHaveText('Pending');
  await isLive(inList.page);
  const paths = inList.asked().map((one) => one.replace(/\?.*/, ''));
  expect(paths.filter((one) => !one.endsWith('/summaries')).sort()).toEqual([
    'GET /api/counts',
    'GET /api/tickets',
  ]);
});

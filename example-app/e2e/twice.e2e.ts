// Writes whose response was lost and that are sent again.

import type { Locator } from '@playwright/test';
import { expect, fillNewTicket, isLive, list, open, test, ticketOf, type Seat } from './fixtures.ts';
import { loseAnswers } from './support/hold.ts';

/** Opens a new ticket whose comments are saved, but their responses are lost. */
async function writeWithoutAnswers({ page, api }: Seat): Promise<{ id: number; draft: Locator }> {
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  await loseAnswers(page, '**/comments', 'POST');
  return { id, draft: page.getByPlaceholder('Write a comment') };
}

const bodies = async ({ api }: Seat, id: number): Promise<string[]> =>
  (await ticketOf(api, id)).comments.map(({ body }) => body);

test('a comment whose response was lost is saved once, however often it is sent', async ({ sit }) => {
  const mara = await sit('mara', '/');
  const { page } = mara;
  const { id, draft } = await writeWithoutAnswers(mara);
  const send = page.getByRole('button', { name: 'Comment', exact: true });
  await draft.fill('Only once');
  await send.click();
  await expect(page.locator('.composer-note')).toContainText('cannot be reached');
  await expect(page.locator('.message-text', { hasText: 'Only once' })).toBeVisible();
  await page.unroute('**/comments');
  await page.reload();
  await isLive(page);
  await expect(draft).toHaveValue('Only once');
  await send.click();
  await expect(draft).toHaveValue('');
  expect(await bodies(mara, id)).toEqual(['Only once']);

  // The same text sent again after a success is another comment.
  await draft.fill('Only once');
  await send.click();
  await expect(draft).toHaveValue('');
  expect(await bodies(mara, id)).toEqual(['Only once', 'Only once']);
});

test('a new ticket whose response was lost is created once', async ({ sit }) => {
  const mara = await sit('mara', '/tickets');
  const { page, api } = mara;
  await loseAnswers(page, '**/api/tickets', 'POST');
  await fillNewTicket(page, 'Opened only once');
  const submit = page.getByRole('button', { name: 'Create ticket' });
  await submit.click();
  await expect(page.getByRole('dialog')).toContainText('cannot be reached');
  await page.unroute('**/api/tickets');
  await submit.click();
  await expect(page.getByRole('heading', { name: 'Opened only once' })).toBeVisible();
  expect(await list(api, 'q=Opened+only+once')).toHaveLength(1);
});

test('an idempotency key belongs to one user and applies to a successful request, not to a rejected one', async ({
  sit,
}) => {
  const [mara, jonas] = [await sit('mara', '/'), await sit('jonas', '/')];
  const id = await open(mara.api);
  const comment = async ({ api }: Seat, body: string, key: string) =>
    await api.post(`/api/tickets/${id}/comments`, { data: { body }, headers: { 'idempotency-key': key } });
  expect((await comment(mara, ' ', 'one')).status()).toBe(422);
  const [first, ...others] = await Promise.all(
    [1, 2, 3].map(async () => (await (await comment(mara, 'From Mara', 'one')).json()) as unknown),
  );
  expect(others).toEqual([first, first]);
  expect((await comment(jonas, 'From Jonas', 'one')).status()).toBe(201);
  expect(await bodies(mara, id)).toEqual(['From Mara', 'From Jonas']);
  const tooLong = await comment(mara, 'Not this', 'x'.repeat(129));
  expect([tooLong.status(), await tooLong.json()]).toEqual([
    422,
    { error: { code: 'invalid', message: expect.any(String), fields: expect.anything() } },
  ]);
});

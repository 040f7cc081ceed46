// Unsent texts are kept while others change the ticket.

import type { APIRequestContext } from '@playwright/test';
import {
  change,
  expect,
  fillNewTicket,
  isLive,
  open,
  property,
  test as base,
  ticketOf,
  type Seat,
} from './fixtures.ts';
import { hold } from './support/hold.ts';

interface AtTicket extends Seat {
  id: number;
  /** The API as Mara, who opened the ticket. */
  mara: APIRequestContext;
}

const test = base.extend<{ sitAtTicket: (input?: Record<string, unknown>) => Promise<AtTicket> }>({
  /** Jonas, with a ticket of Mara open. */
  sitAtTicket: async ({ sit, speakAs }, use) => {
    await use(async (input) => {
      const { api: mara } = await speakAs('mara');
      const id = await open(mara, input);
      return { ...(await sit('jonas', `/tickets/${id}`)), id, mara };
    });
  },
});

test('an unsent comment stays while others change the ticket, and a notice shows their changes', async ({
  sitAtTicket,
}) => {
  const { page, id, mara } = await sitAtTicket();
  const draft = page.getByPlaceholder('Write a comment');
  await draft.pressSequentially('I am looking into');
  await expect(page.locator('[data-meanwhile]')).toHaveCount(0);

  await change(mara, id, { status: 'pending' });
  await mara.post(`/api/tickets/${id}/comments`, { data: { body: 'I have it already.' } });
  await expect(page.locator('[data-meanwhile]')).toContainText('2 changes by Mara Lindqvist');
  await expect(draft).toHaveValue('I am looking into');
  await draft.pressSequentially(' it');
  await expect(draft).toHaveValue('I am looking into it');

  await page.reload();
  await isLive(page);
  await expect(draft).toHaveValue('I am looking into it');
  await expect(page.locator('[data-meanwhile]')).toContainText('2 changes by Mara Lindqvist');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(page.locator('.message-text', { hasText: 'I am looking into it' })).toBeVisible();
  await expect(draft).toHaveValue('');
});

test('an edit of a text that another user changed shows both versions and loses neither', async ({
  sitAtTicket,
}) => {
  const { page, id, mara } = await sitAtTicket({ subject: 'First wording' });
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Wording of Jonas');

  await change(mara, id, { priority: 'high' });
  await expect(page.locator('[data-meanwhile]')).toContainText('1 change by Mara Lindqvist');
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();

  await change(mara, id, { subject: 'Wording of Mara' });
  await expect(page.locator('[data-overtaken]')).toContainText('Another user changed the subject.');
  await expect(page.locator('[data-overtaken] dd')).toHaveText(['Wording of Mara']);
  await expect(page.getByLabel('Subject')).toHaveValue('Wording of Jonas');
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Wording of Jonas' })).toBeVisible();
  expect((await ticketOf(mara, id)).subject).toBe('Wording of Jonas');
});

test('an edit survives a forced reload and shows the changes that happened while the page was closed', async ({
  sitAtTicket,
}) => {
  const { page, id, mara, faults } = await sitAtTicket({ subject: 'First wording' });
  const subject = page.getByLabel('Subject');
  await page.getByRole('button', { name: 'Edit' }).click();
  await subject.fill('Wording of Jonas');
  const reloaded = page.waitForEvent('load');
  await mara.post('/api/weather/reload', { data: { hard: true } });
  await reloaded;
  await expect(subject).toHaveValue('Wording of Jonas');
  await expect(page.locator('[data-meanwhile]')).toHaveCount(0);
  expect(faults()).toEqual([]);

  await page.goto('about:blank');
  await change(mara, id, { priority: 'high', subject: 'Wording of Mara' });
  await page.goto(`/tickets/${id}`);
  await expect(subject).toHaveValue('Wording of Jonas');
  await expect(page.locator('[data-overtaken]')).toContainText('Wording of Mara');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await expect(page.locator('[data-meanwhile]')).toContainText('2 changes by Mara Lindqvist');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Wording of Jonas' })).toBeVisible();

  // A saved or canceled edit is no longer a draft.
  await page.getByRole('button', { name: 'Edit' }).click();
  await subject.fill('Better not');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await isLive(page);
  await expect(page.getByRole('heading', { name: 'Wording of Jonas' })).toBeVisible();
  await expect(subject).toHaveCount(0);
});

test('an unsent new ticket is restored after a reload', async ({ sit }) => {
  const { page } = await sit('jonas', '/tickets');
  const dialog = page.getByRole('dialog', { name: 'New ticket' });
  await page.keyboard.press('n');
  await dialog.getByLabel('Subject').fill('Half a thought');
  await page.reload();
  await isLive(page);
  await expect(dialog.getByLabel('Subject')).toHaveValue('Half a thought');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.reload();
  await isLive(page);
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press('n');
  await expect(dialog.getByLabel('Subject')).toHaveValue('Half a thought');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press('n');
  await expect(dialog.getByLabel('Subject')).toHaveValue('');
});

test('a new ticket that the server refuses as private shows the reason', async ({ sit }) => {
  const { page } = await sit('jonas', '/tickets');
  await fillNewTicket(page, 'Between us');
  // Jonas has left the team since the page was loaded.
  const fields = { visibility: 'You are not in that team.' };
  await page.route('**/api/tickets', (route) =>
    route.fulfill({ status: 422, json: { error: { code: 'not_your_team', message: 'No.', fields } } }),
  );
  await page.getByLabel('Private to the team').check();
  await page.getByRole('button', { name: 'Create ticket' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('You are not in that team.');
});

test('a refused form moves the focus from its button to the first wrong field', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  await fillNewTicket(page, 'A subject', ' ');
  await page.getByLabel('Email address').fill('customer@shop');
  await page.getByRole('button', { name: 'Create ticket' }).press('Enter');
  await expect(page.getByLabel('Description')).toBeFocused();
  await expect(page.getByLabel('Description')).toHaveAccessibleDescription('The description is missing.');
  await page.getByLabel('Description').fill('A description.');
  await page.getByLabel('Customer').press('Enter');
  await expect(page.getByLabel('Description')).not.toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Customer')).toBeFocused();
});

test('text that is typed while a comment is in flight becomes the next draft', async ({ sitAtTicket }) => {
  const { page } = await sitAtTicket();
  const letGo = await hold(page, '**/comments', 'POST');
  const draft = page.getByPlaceholder('Write a comment');
  await draft.pressSequentially('The first thing.');
  await page.keyboard.press('Control+Enter');
  await draft.pressSequentially(' And another');
  letGo();
  await expect(page.locator('.message-text', { hasText: 'The first thing.' })).toBeVisible();
  await expect(draft).toHaveValue('And another');
});

test('an ended session shows a dialog and keeps the draft', async ({ sitAtTicket }) => {
  const { page, id, api } = await sitAtTicket();
  await page.getByPlaceholder('Write a comment').fill('Not lost');
  await api.delete('/api/session');
  await property(page, 'Status').selectOption('pending');
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /Jonas Okafor/ }).click();
  await page.waitForURL(`/tickets/${id}`);
  await expect(page.getByPlaceholder('Write a comment')).toHaveValue('Not lost');
  expect((await ticketOf(api, id)).status).toBe('open');
});

test('changes by others are one line beside a draft, with a diff of each field on request', async ({
  sitAtTicket,
}) => {
  const { page, id, mara } = await sitAtTicket();
  await page.getByPlaceholder('Write a comment').fill('Still writing');
  await mara.post(`/api/tickets/${id}/comments`, { data: { body: 'Mine' } });
  await change(mara, id, { status: 'pending', priority: 'high' });
  await change(mara, id, { status: 'solved' });
  const news = page.locator('[data-meanwhile]');
  await expect(news).toContainText('4 changes by Mara Lindqvist');
  await expect(news.locator('dl')).toHaveCount(0);
  await news.getByRole('button', { name: 'View' }).click();
  await expect(news.locator('dl > div')).toHaveText([
    'StatusOpen → Solved',
    'PriorityNormal → High',
    'Comments1 new',
  ]);
  // Editing the texts does not add a second notice.
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Better words');
  await expect(news).toHaveCount(1);
  await news.getByRole('button', { name: 'Got it' }).click();
  await expect(page.getByPlaceholder('Write a comment')).toBeFocused();
});

test('a user who left a ticket is notified which text of which ticket was not sent', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const [id, other] = [await open(api), await open(api)];
  const leaveAndFail = async (url: string, method: string, send: () => Promise<void>): Promise<void> => {
    await page.goto(`/tickets/${id}`);
    await isLive(page);
    const go = await hold(page, url, method);
    await send();
    await page.locator(`[data-row="${other}"]`).click();
    await page.context().setOffline(true);
    go();
  };
  const messages = page.locator('.notices');
  await leaveAndFail('**/comments', 'POST', async () => {
    await page.getByPlaceholder('Write a comment').fill('An answer');
    await page.keyboard.press('Control+Enter');
  });
  await expect(messages).toContainText(`Your comment on #${id} was not sent. The desk cannot be reached.`);
  await page.context().setOffline(false);
  await leaveAndFail(`**/api/tickets/${id}`, 'PATCH', async () => {
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Subject').fill('Better words');
    await page.getByRole('button', { name: 'Save' }).click();
  });
  await expect(messages).toContainText(`Your changes of the texts of #${id} were not saved. The desk`);
  await page.context().setOffline(false);
  await page.goto(`/tickets/${id}`);
  await expect(page.getByPlaceholder('Write a comment')).toHaveValue('An answer');
  await expect(page.getByLabel('Subject')).toHaveValue('Better words');
});

test('the drafts of a deleted ticket are kept until their author discards them', async ({ sitAtTicket }) => {
  const { page, id, mara } = await sitAtTicket();
  const other = await open(mara);
  await page.getByPlaceholder('Write a comment').fill('A long answer');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Better words');
  await mara.delete(`/api/tickets/${id}`);
  const left = page.getByRole('region', { name: 'Your drafts' });
  await expect(page.locator('[data-gone-notice]')).toBeVisible();
  await expect(left.getByLabel('Your comment')).toHaveValue('A long answer');
  await expect(page.getByPlaceholder('Write a comment')).toHaveCount(0);

  await page.locator(`[data-row="${other}"]`).click();
  await page.goBack();
  await expect(left.getByLabel('Your comment')).toHaveValue('A long answer');
  await page.reload();
  await isLive(page);
  await expect(left.getByLabel('Your comment')).toHaveValue('A long answer');
  await expect(left.getByLabel('Your subject')).toHaveValue('Better words');
  await expect(left.getByLabel('Your description')).toHaveCount(0);
  await left.getByRole('button', { name: 'Discard' }).click();
  await expect(left).toHaveCount(0);
  await expect(page.locator('#page')).toBeFocused();
  await page.reload();
  await isLive(page);
  await expect(left).toHaveCount(0);
});

test('a text that is too long is rejected with a message and not cut off', async ({ sitAtTicket }) => {
  const { page } = await sitAtTicket();
  await page.getByRole('button', { name: 'Edit' }).click();
  const body = page.getByLabel('Description');
  await body.clear();
  await page.keyboard.insertText('x'.repeat(9000));
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The description is too long: at most 8,000 characters.')).toBeVisible();
  expect(await body.inputValue()).toHaveLength(9000);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.keyboard.press('n');
  const form = page.getByRole('dialog');
  await form.getByLabel('Subject').focus();
  await page.keyboard.insertText('y'.repeat(200));
  await form.getByLabel('Description').fill('Short');
  await form.getByLabel('Customer').fill('Test Customer');
  await form.getByLabel('Email address').fill('customer@shop.example');
  await form.getByRole('button', { name: 'Create ticket' }).click();
  await expect(form.getByText('The subject is too long: at most 160 characters.')).toBeVisible();
  expect(await form.getByLabel('Subject').inputValue()).toHaveLength(200);
});

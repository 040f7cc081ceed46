// What somebody is typing is theirs.

import { change, expect, fillNewTicket, isLive, open, property, test, ticketOf } from './fixtures.ts';
import { hold, loseAnswers } from './support/hold.ts';

test('a comment in the making stays while others change the ticket, and a notice says what they did', async ({
  sit,
}) => {
  const a = await sit('mara', '/');
  const id = await open(a.api);
  const b = await sit('jonas', `/tickets/${id}`);
  const draft = b.page.getByPlaceholder('Write a comment');
  await draft.pressSequentially('I am looking into');
  await expect(b.page.locator('[data-meanwhile]')).toHaveCount(0);

  await change(a.api, id, { status: 'pending' });
  await a.api.post(`/api/tickets/${id}/comments`, { data: { body: 'I have it already.' } });
  await expect(b.page.locator('[data-meanwhile]')).toContainText('Mara Lindqvist set the status to Pending.');
  await expect(b.page.locator('[data-meanwhile]')).toContainText('Mara Lindqvist wrote a comment.');
  await expect(draft).toHaveValue('I am looking into');
  await draft.pressSequentially(' it');
  await expect(draft).toHaveValue('I am looking into it');

  await b.page.reload();
  await isLive(b.page);
  await expect(draft).toHaveValue('I am looking into it');
  await expect(b.page.locator('[data-meanwhile]')).toContainText('Mara Lindqvist wrote a comment.');
  await b.page.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(b.page.locator('.message-text', { hasText: 'I am looking into it' })).toBeVisible();
  await expect(draft).toHaveValue('');
});

test('an edit of overtaken texts offers both, and never loses one', async ({ sit }) => {
  const a = await sit('mara', '/');
  const id = await open(a.api, { subject: 'First wording' });
  const b = await sit('jonas', `/tickets/${id}`);
  await b.page.getByRole('button', { name: 'Edit' }).click();
  await b.page.getByLabel('Subject').fill('Wording of Jonas');

  await change(a.api, id, { priority: 'high' });
  await expect(b.page.locator('[data-meanwhile]')).toContainText('priority');
  await expect(b.page.getByRole('button', { name: 'Save' })).toBeEnabled();

  await change(a.api, id, { subject: 'Wording of Mara' });
  await expect(b.page.locator('[data-overtaken]')).toContainText('Wording of Mara');
  await expect(b.page.getByLabel('Subject')).toHaveValue('Wording of Jonas');
  await expect(b.page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await b.page.getByRole('button', { name: 'Keep mine' }).click();
  await b.page.getByRole('button', { name: 'Save' }).click();
  await expect(b.page.getByRole('heading', { name: 'Wording of Jonas' })).toBeVisible();
  expect((await ticketOf(a.api, id)).subject).toBe('Wording of Jonas');
});

test('an own edit that is being saved is not taken for that of somebody else', async ({ sit }) => {
  const { page, api } = await sit('jonas', '/');
  await page.goto(`/tickets/${await open(api)}`);
  await isLive(page);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Better words');
  // The list answers last: what was saved is on the screen long before the form is left.
  let letGo = (): void => {};
  const held = new Promise<void>((done) => (letGo = done));
  await page.route('**/api/tickets?*', async (request) => {
    await held;
    await request.continue();
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.row-subject', { hasText: 'Better words' })).toBeVisible();
  await expect(page.locator('[data-overtaken]')).toHaveCount(0);
  letGo();
  await expect(page.getByRole('heading', { name: 'Better words' })).toBeVisible();
});

test('an edit survives a forced reload, and still knows what happened while the page was away', async ({
  sit,
}) => {
  const a = await sit('mara', '/');
  const id = await open(a.api, { subject: 'First wording' });
  const b = await sit('jonas', `/tickets/${id}`);
  const subject = b.page.getByLabel('Subject');
  await b.page.getByRole('button', { name: 'Edit' }).click();
  await subject.fill('Wording of Jonas');
  const reloaded = b.page.waitForEvent('load');
  await a.api.post('/api/weather/reload', { data: { hard: true } });
  await reloaded;
  await expect(subject).toHaveValue('Wording of Jonas');
  await expect(b.page.locator('[data-meanwhile]')).toHaveCount(0);
  expect(b.faults()).toEqual([]);

  await b.page.goto('about:blank');
  await change(a.api, id, { priority: 'high', subject: 'Wording of Mara' });
  await b.page.goto(`/tickets/${id}`);
  await expect(subject).toHaveValue('Wording of Jonas');
  await expect(b.page.locator('[data-meanwhile]')).toContainText('Mara Lindqvist set the priority to High.');
  await expect(b.page.locator('[data-overtaken]')).toContainText('Wording of Mara');
  await b.page.getByRole('button', { name: 'Keep mine' }).click();
  await b.page.getByRole('button', { name: 'Save' }).click();
  await expect(b.page.getByRole('heading', { name: 'Wording of Jonas' })).toBeVisible();

  // What was saved or given up is no draft any more.
  await b.page.getByRole('button', { name: 'Edit' }).click();
  await subject.fill('Better not');
  await b.page.getByRole('button', { name: 'Cancel' }).click();
  await b.page.reload();
  await isLive(b.page);
  await expect(b.page.getByRole('heading', { name: 'Wording of Jonas' })).toBeVisible();
  await expect(subject).toHaveCount(0);
});

test('a new ticket that was being written is there again after a reload', async ({ sit }) => {
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
  await page.keyboard.press('n');
  await expect(dialog.getByLabel('Subject')).toHaveValue('');
});

test('an edit from an old version is refused by the server and shown with what is there now', async ({
  sit,
}) => {
  const a = await sit('mara', '/');
  const id = await open(a.api, { subject: 'Version one' });
  const b = await sit('jonas', `/tickets/${id}`);
  await b.page.locator('[data-popover="weather"]').click();
  await b.page.locator('.weather-item', { hasText: 'Cut the stream' }).click();
  await b.page.keyboard.press('Escape');
  await b.page.getByRole('button', { name: 'Edit' }).click();
  await b.page.getByLabel('Subject').fill('Version of Jonas');
  await change(a.api, id, { subject: 'Version of Mara' });
  await b.page.getByRole('button', { name: 'Save' }).click();
  await expect(b.page.getByText('Somebody changed this ticket while you were editing it.')).toBeVisible();
  await expect(b.page.locator('[data-overtaken]')).toContainText('Version of Mara');
  await expect(b.page.getByLabel('Subject')).toHaveValue('Version of Jonas');
  await b.page.getByRole('button', { name: 'Take theirs' }).click();
  await expect(b.page.getByLabel('Subject')).toHaveValue('Version of Mara');
  expect((await ticketOf(a.api, id)).subject).toBe('Version of Mara');
});

test('what is typed while a comment is on its way is the next draft', async ({ sit }) => {
  const b = await sit('jonas', '/');
  const id = await open(b.api);
  await b.page.goto(`/tickets/${id}`);
  await isLive(b.page);
  let letGo = (): void => {};
  const held = new Promise<void>((done) => (letGo = done));
  await b.page.route('**/comments', async (request) => {
    await held;
    await request.continue();
  });
  const draft = b.page.getByPlaceholder('Write a comment');
  await draft.pressSequentially('The first thing.');
  await b.page.keyboard.press('Control+Enter');
  await draft.pressSequentially(' And another');
  letGo();
  await expect(b.page.locator('.message-text', { hasText: 'The first thing.' })).toBeVisible();
  await expect(draft).toHaveValue('And another');
});

test('a new ticket stays open when text in it is selected with the mouse beyond its edge', async ({
  sit,
}) => {
  const b = await sit('jonas', '/');
  await b.page.keyboard.press('n');
  const subject = b.page.getByLabel('Subject');
  await subject.fill('A long subject');
  const box = await subject.boundingBox();
  if (box === null) throw new Error('The field is not on the screen.');
  await b.page.mouse.move(box.x + 40, box.y + box.height / 2);
  await b.page.mouse.down();
  await b.page.mouse.move(20, box.y + box.height / 2, { steps: 4 });
  await b.page.mouse.up();
  await expect(subject).toHaveValue('A long subject');
  await b.page.mouse.click(20, 400);
  await expect(subject).toHaveCount(0);
});

test('a comment that could not be sent stays in the field', async ({ sit }) => {
  const b = await sit('jonas', '/');
  const id = await open(b.api);
  await b.page.goto(`/tickets/${id}`);
  await isLive(b.page);
  await b.page.getByPlaceholder('Write a comment').fill('Important words');
  await b.context.setOffline(true);
  await b.page.getByRole('button', { name: 'Comment', exact: true }).click();
  await expect(b.page.locator('.composer').getByRole('alert')).toContainText('cannot be reached');
  await expect(b.page.getByPlaceholder('Write a comment')).toHaveValue('Important words');
  await b.page.getByPlaceholder('Write a comment').fill('x'.repeat(8001));
  await expect(b.page.locator('.composer-note')).toHaveText('1 character too long.');
  await b.context.setOffline(false);
});

test('a page that only listens says that the session has ended, too', async ({ sit }) => {
  const a = await sit('mara', '/');
  const b = await sit('jonas', '/tickets');
  await b.api.delete('/api/session');
  await a.api.post('/api/weather/restart-hub');
  await expect(b.page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
});

test('an ended session says so and keeps the draft', async ({ sit }) => {
  const b = await sit('jonas', '/');
  const id = await open(b.api);
  await b.page.goto(`/tickets/${id}`);
  await isLive(b.page);
  await b.page.getByPlaceholder('Write a comment').fill('Not lost');
  await b.api.delete('/api/session');
  await property(b.page, 'Status').selectOption('pending');
  await expect(b.page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  await b.page.getByRole('button', { name: 'Sign in' }).click();
  await b.page.getByRole('button', { name: /Jonas Okafor/ }).click();
  await b.page.waitForURL(`/tickets/${id}`);
  await expect(b.page.getByPlaceholder('Write a comment')).toHaveValue('Not lost');
  expect((await ticketOf(b.api, id)).status).toBe('open');
});

test('what is typed while an edit is being saved is kept', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api);
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  const go = await hold(page, `**/api/tickets/${id}`, 'PATCH');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('First.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Description').pressSequentially(' More.');
  go();
  await expect.poll(async () => (await ticketOf(api, id)).body).toBe('First.');
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
  await expect(page.getByLabel('Description')).toHaveValue('First. More.');
  await expect(page.locator('[data-overtaken]')).toHaveCount(0);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await ticketOf(api, id)).body).toBe('First. More.');
  await expect(page.locator('[data-edit]')).toBeVisible();
});

test('a new ticket that was closed while it was opened takes nothing of the next one with it', async ({
  sit,
}) => {
  const { page } = await sit('mara', '/tickets');
  const go = await hold(page, '**/api/tickets', 'POST');
  await fillNewTicket(page, 'One', 'One');
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.getByLabel('Description').fill('Quite another');
  go();
  await expect(page.getByText(/was opened/)).toBeVisible();
  await expect(page.getByLabel('Description')).toHaveValue('Quite another');
  await expect(page).toHaveURL('/tickets');
});

test('several comments of one person are one sentence beside a draft', async ({ sit }) => {
  const a = await sit('mara', '/');
  const id = await open(a.api);
  const { page } = await sit('jonas', `/tickets/${id}`);
  await page.getByPlaceholder('Write a comment').fill('Still writing');
  const news = page.locator('[data-meanwhile] li');
  for (const [at, said] of ['a comment', '2 comments', '3 comments'].entries()) {
    await a.api.post(`/api/tickets/${id}/comments`, { data: { body: `Number ${at}` } });
    await expect(news).toHaveText([`Mara Lindqvist wrote ${said}.`]);
  }
  await change(a.api, id, { status: 'pending' });
  await change(a.api, id, { status: 'open' });
  await change(a.api, id, { status: 'pending' });
  await expect(news).toHaveText([
    'Mara Lindqvist set the status to Pending.',
    'Mara Lindqvist set the status to Open.',
    'Mara Lindqvist set the status to Pending.',
    'Mara Lindqvist wrote 3 comments.',
  ]);
});

test('an own edit whose answer got lost is not taken for that of somebody else', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  const id = await open(api, { subject: 'Before' });
  await page.goto(`/tickets/${id}`);
  await isLive(page);
  await loseAnswers(page, `**/api/tickets/${id}`, 'PATCH');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('After ');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.locator('.form-error')).toContainText('cannot be reached');
  await expect(page.locator('.row-subject', { hasText: 'After' })).toBeVisible();
  await expect(page.locator('[data-overtaken]')).toHaveCount(0);
  await page.getByLabel('Subject').fill('After all');
  await expect(page.locator('[data-overtaken]')).toHaveCount(0);

  await change(api, id, { subject: 'Quite another' });
  await expect(page.locator('[data-overtaken]')).toContainText('Quite another');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.unroute(`**/api/tickets/${id}`);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'After all' })).toBeVisible();
});

test('whoever went on is told what could not be sent, and of which ticket', async ({ sit }) => {
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

test('a new ticket that was closed while it was opened is not lost without a word', async ({ sit }) => {
  const { page } = await sit('mara', '/tickets');
  const go = await hold(page, '**/api/tickets', 'POST');
  await fillNewTicket(page, 'One', 'One');
  await page.getByRole('button', { name: 'Open ticket' }).click();
  await page.keyboard.press('Escape');
  await page.context().setOffline(true);
  go();
  await expect(page.locator('.notices')).toContainText('Your new ticket was not opened. The desk cannot');
  await page.context().setOffline(false);
  await page.keyboard.press('n');
  await expect(page.getByLabel('Subject')).toHaveValue('One');
});

test('what was being written in a ticket that is gone is there as long as its writer wants', async ({
  sit,
}) => {
  const a = await sit('mara', '/');
  const [id, other] = [await open(a.api), await open(a.api)];
  const { page } = await sit('jonas', `/tickets/${id}`);
  await page.getByPlaceholder('Write a comment').fill('A long answer');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Better words');
  await a.api.delete(`/api/tickets/${id}`);
  await expect(page.locator('[data-gone-notice]')).toContainText('What you were writing is still below.');

  await page.locator(`[data-row="${other}"]`).click();
  await page.goBack();
  await expect(page.getByPlaceholder('Write a comment')).toHaveValue('A long answer');
  const left = page.getByRole('region', { name: 'What you were writing' });
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

test('a text that is too long is refused with words, and not cut off', async ({ sit }) => {
  const { page, api } = await sit('mara', '/');
  await page.goto(`/tickets/${await open(api)}`);
  await isLive(page);
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
  await form.getByLabel('Mail address').fill('customer@shop.example');
  await form.getByRole('button', { name: 'Open ticket' }).click();
  await expect(form.getByText('The subject is too long: at most 160 characters.')).toBeVisible();
  expect(await form.getByLabel('Subject').inputValue()).toHaveLength(200);
});

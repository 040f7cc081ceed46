// Private tickets of teams, and forged requests that try to read them.

import { change, expect, list, open, property, row, test } from './fixtures.ts';

test('a private ticket is visible only to its team', async ({ sit }) => {
  const dele = await sit('dele', '/tickets');
  const jonas = await sit('jonas', '/tickets');
  const id = await open(dele.api, { subject: 'Between us', teamId: 4, visibility: 'team' });
  await expect(row(dele.page, id)).toBeVisible();
  expect(await list(jonas.api, 'q=Between+us')).toEqual([]);
  // A later public ticket has arrived, so the private one would have arrived too.
  await expect(row(jonas.page, await open(dele.api))).toBeVisible();
  await expect(row(jonas.page, id)).toHaveCount(0);

  await jonas.page.goto(`/tickets/${id}`);
  await expect(jonas.page.getByText('Ticket not found')).toBeVisible();
  for (const answer of [
    await jonas.api.get(`/api/tickets/${id}`),
    await jonas.api.patch(`/api/tickets/${id}`, { data: { status: 'solved' } }),
    await jonas.api.post(`/api/tickets/${id}/comments`, { data: { body: 'hello' } }),
    await jonas.api.delete(`/api/tickets/${id}`),
  ]) {
    expect(answer.status()).toBe(404);
    expect(await answer.json()).toEqual({ error: { code: 'not_found', message: expect.any(String) } });
  }
  const bulk = await jonas.api.post('/api/tickets/bulk-status', { data: { ids: [id], status: 'solved' } });
  expect(await bulk.json()).toEqual({ before: {}, directives: [] });
});

test('a forbidden audience is rejected, even beside allowed ones', async ({ speakAs }) => {
  const jonas = await speakAs('jonas');
  for (const [audience, refused] of [
    ['team-4', 'team-4'],
    ['user-1', 'user-1'],
    ['global&audience=team-4', 'team-4'],
    ['everything', 'everything'],
  ]) {
    const answer = await jonas.api.get(`/api/events?client_id=forged&audience=${audience}`);
    expect(answer.status()).toBe(403);
    expect(await answer.json()).toEqual({
      error: { code: 'audience_refused', audience: refused, message: expect.any(String) },
    });
  }
  await jonas.api.delete('/api/session');
  expect((await jonas.api.get('/api/events?client_id=forged&audience=global')).status()).toBe(403);
});

test('a stream ends when its session ends', async ({ sit }) => {
  const { page, api } = await sit('jonas', '/');
  const stream = await page.evaluateHandle(async () => {
    const { body } = await fetch('/api/events?client_id=listener&audience=global&audience=user-2');
    const reader = body?.getReader();
    await reader?.read();
    return { reader };
  });
  await api.delete('/api/session');
  await stream.evaluate(async ({ reader }) => {
    while (reader !== undefined && !(await reader.read()).done);
  });
});

test('the streams of other users contain nothing of a private change', async ({ sit, speakAs }) => {
  const dele = await speakAs('dele');
  const jonas = await sit('jonas', '/');
  const secret = await open(dele.api, { teamId: 4, visibility: 'team' });
  const common = await open(dele.api);
  const heard = jonas.page.evaluate(async (until) => {
    const answer = await fetch(
      '/api/events?client_id=listener&audience=global&audience=team-1&audience=user-2',
    );
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (reader !== undefined && !text.includes(`"id":${until}`)) text += (await reader.read()).value ?? '';
    return text;
  }, common);
  await expect
    .poll(async () => await jonas.page.evaluate(() => performance.getEntriesByType('resource').length))
    .toBeGreaterThan(0);
  // The public change is sent last. When it is received, the private one would have been received before.
  let isHeard = false;
  void heard.then(() => (isHeard = true));
  await expect
    .poll(async () => {
      await change(dele.api, secret, { priority: 'high' });
      await change(dele.api, secret, { priority: 'low' });
      await change(dele.api, common, { priority: 'high' });
      await change(dele.api, common, { priority: 'low' });
      return isHeard;
    })
    .toBe(true);
  expect(await heard).not.toContain(`"id":${secret}`);
  expect(await heard).not.toContain('team-4');
});

test('a ticket that becomes private disappears from the lists of others, and their drafts are kept', async ({
  sit,
  speakAs,
}) => {
  const mara = await speakAs('mara');
  const id = await open(mara.api, { subject: 'Public for now', teamId: 4 });
  const inList = await sit('jonas', '/tickets');
  const { page } = await sit('tomas', `/tickets/${id}`);
  await expect(row(inList.page, id)).toBeVisible();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Wording of Tomas');
  await page.getByPlaceholder('Write a comment').fill('I have seen this before');

  await change(mara.api, id, { visibility: 'team' });
  await expect(row(inList.page, id)).toHaveCount(0);
  await expect(page.locator('[data-gone-notice]')).toBeVisible();
  const left = page.getByRole('region', { name: 'Your drafts' });
  await expect(left.getByLabel('Your subject')).toHaveValue('Wording of Tomas');
  await expect(left.getByLabel('Your comment')).toHaveValue('I have seen this before');
  await expect(property(page, 'Status')).toBeDisabled();
  // Users in other teams do not receive later changes.
  await change(mara.api, id, { subject: 'Between us' });
  await page.reload();
  await expect(page.getByText('Ticket not found')).toBeVisible();
  await expect(page.getByText('Between us')).toHaveCount(0);
});

test('a forged client id does not hide a change from its owner', async ({ sit, speakAs }) => {
  const mara = await sit('mara', '/tickets');
  const id = await open(mara.api);
  await expect(row(mara.page, id)).toBeVisible();
  const [request] = await Promise.all([
    mara.page.waitForRequest((one) => one.url().includes('/api/events')),
    mara.page.reload(),
  ]);
  const clientId = new URL(request.url()).searchParams.get('client_id') ?? '';
  expect(clientId).not.toBe('');
  await expect(row(mara.page, id).locator('.badge')).toHaveText('Open');
  await expect(mara.page.locator('[data-live="true"]')).toBeVisible();

  const jonas = await speakAs('jonas');
  const answer = await jonas.api.patch(`/api/tickets/${id}`, {
    data: { status: 'pending' },
    headers: { 'X-Service-Client-ID': clientId },
  });
  expect(answer.status()).toBe(200);
  await expect(row(mara.page, id).locator('.badge')).toHaveText('Pending');
  const stream = await jonas.api.get(`/api/events?client_id=${clientId}&audience=global`);
  expect(stream.status()).toBe(403);
});

test('a private ticket can only be assigned to members of its team, and created by them', async ({
  speakAs,
}) => {
  const dele = await speakAs('dele');
  const id = await open(dele.api, { teamId: 4, visibility: 'team' });
  const refused = await dele.api.patch(`/api/tickets/${id}`, { data: { assigneeId: 2 } });
  expect(refused.status()).toBe(422);
  expect(await refused.json()).toMatchObject({ error: { code: 'assignee_cannot_see' } });
  const jonas = await speakAs('jonas');
  const elsewhere = await jonas.api.post('/api/tickets', {
    data: {
      subject: 'x',
      body: 'x',
      priority: 'low',
      teamId: 4,
      assigneeId: null,
      visibility: 'team',
      requesterName: 'x',
      requesterEmail: 'x@shop.example',
    },
  });
  expect(elsewhere.status()).toBe(422);
});

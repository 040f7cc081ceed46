// What teams keep to themselves, and requests by hand that want to know it anyway.

import { change, expect, isLive, list, open, property, row, test } from './fixtures.ts';

test('a private ticket is shown to its team and to nobody else', async ({ sit }) => {
  const dele = await sit('dele', '/tickets');
  const jonas = await sit('jonas', '/tickets');
  const id = await open(dele.api, { subject: 'Between us', teamId: 4, visibility: 'team' });
  await expect(row(dele.page, id)).toBeVisible();
  expect(await list(jonas.api, 'q=Between+us')).toEqual([]);
  await expect(row(jonas.page, id)).toHaveCount(0);

  await jonas.page.goto(`/tickets/${id}`);
  await expect(jonas.page.getByText('There is no such ticket')).toBeVisible();
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
  expect(await bulk.json()).toEqual({ changed: 0, directives: [] });
});

test('an audience of others is refused, also beside allowed ones', async ({ sit }) => {
  const jonas = await sit('jonas', '/');
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

test('nothing of a private change travels on the stream of others', async ({ sit }) => {
  const dele = await sit('dele', '/');
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
  // The public change comes last; when it is heard, the private one has passed by.
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

test('a ticket that becomes private vanishes from the lists of others, and takes no word of theirs with it', async ({
  sit,
}) => {
  const mara = await sit('mara', '/');
  const id = await open(mara.api, { subject: 'Public for now', teamId: 4 });
  const inList = await sit('jonas', '/tickets');
  const { page } = await sit('tomas', `/tickets/${id}`);
  await expect(row(inList.page, id)).toBeVisible();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Subject').fill('Wording of Tomas');
  await page.getByPlaceholder('Write a comment').fill('I have seen this before');

  await mara.page.goto(`/tickets/${id}`);
  await property(mara.page, 'Visible to').selectOption('team');
  await expect(row(inList.page, id)).toHaveCount(0);
  await expect(page.locator('[data-gone-notice]')).toBeVisible();
  await expect(page.getByLabel('Subject')).toHaveValue('Wording of Tomas');
  await expect(page.getByPlaceholder('Write a comment')).toHaveValue('I have seen this before');
  await expect(property(page, 'Status')).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Comment', exact: true })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  // Nobody in another team is told what happens to it now.
  await change(mara.api, id, { subject: 'Between us' });
  await page.reload();
  await expect(page.getByText('There is no such ticket')).toBeVisible();
  await expect(page.getByText('Between us')).toHaveCount(0);
});

test('a ticket that becomes public opens for whoever waits at its address', async ({ sit }) => {
  const dele = await sit('dele', '/');
  const id = await open(dele.api, { subject: 'For all to see', teamId: 4, visibility: 'team' });
  const { page } = await sit('jonas', `/tickets/${id}`);
  await expect(page.getByText('There is no such ticket')).toBeVisible();

  await change(dele.api, id, { visibility: 'everyone' });
  await expect(page.getByRole('heading', { name: 'For all to see' })).toBeVisible();
  await expect(property(page, 'Status')).toBeEnabled();
  await expect(page.locator('[data-gone-notice]')).toHaveCount(0);
});

test('a forged client id hides nothing from its owner', async ({ sit }) => {
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

  const jonas = await sit('jonas', '/');
  const answer = await jonas.api.patch(`/api/tickets/${id}`, {
    data: { status: 'pending' },
    headers: { 'X-Service-Client-ID': clientId },
  });
  expect(answer.status()).toBe(200);
  await expect(row(mara.page, id).locator('.badge')).toHaveText('Pending');
  const stream = await jonas.api.get(`/api/events?client_id=${clientId}&audience=global`);
  expect(stream.status()).toBe(403);
});

test('a private ticket can only be given to members of its team', async ({ sit }) => {
  const dele = await sit('dele', '/');
  const id = await open(dele.api, { teamId: 4, visibility: 'team' });
  const refused = await dele.api.patch(`/api/tickets/${id}`, { data: { assigneeId: 2 } });
  expect(refused.status()).toBe(422);
  expect(await refused.json()).toMatchObject({ error: { code: 'assignee_cannot_see' } });
  const jonas = await sit('jonas', '/');
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

test('who is in no team of a ticket is told so before trying to hide it in one', async ({ sit }) => {
  const dele = await sit('dele', '/');
  const [own, others] = [await open(dele.api, { teamId: 4 }), await open(dele.api, { teamId: 1 })];
  const option = (label: string, text: string) =>
    property(dele.page, label).locator('option', { hasText: text });
  await dele.page.goto(`/tickets/${others}`);
  await isLive(dele.page);
  await expect(option('Visible to', 'Its team only')).toHaveText('Its team only (you are not in it)');
  await expect(option('Visible to', 'Its team only')).toBeDisabled();
  await expect(option('Team', 'Platform')).toBeEnabled();
  await dele.page.goto(`/tickets/${own}`);
  await isLive(dele.page);
  await property(dele.page, 'Visible to').selectOption('Its team only');
  await expect(option('Team', 'Platform')).toHaveText('Platform (you are not in it)');
  await expect(option('Team', 'Platform')).toBeDisabled();
});

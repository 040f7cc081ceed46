// The API responds to wrong, missing, and hostile input with the right status and a JSON error, and changes nothing.

import { expect, open, test, ticketOf } from './fixtures.ts';

const whole = {
  subject: 'x',
  body: 'x',
  priority: 'low',
  teamId: 1,
  assigneeId: null,
  visibility: 'everyone',
  requesterName: 'x',
  requesterEmail: 'x@shop.example',
};

const cases: readonly [
  what: string,
  method: string,
  path: string,
  data: unknown,
  status: number,
  code: string,
][] = [
  ['an unknown ticket', 'GET', '/api/tickets/99999999', undefined, 404, 'not_found'],
  ['an id that is not a number', 'GET', '/api/tickets/abc', undefined, 422, 'invalid'],
  ['an id in hexadecimal', 'GET', '/api/tickets/0x10', undefined, 422, 'invalid'],
  ['a page that is not a number', 'GET', '/api/tickets?page=two', undefined, 422, 'invalid'],
  ['a page before the first', 'GET', '/api/tickets?page=0', undefined, 422, 'invalid'],
  ['an id that is too large', 'GET', '/api/tickets/99999999999999999999', undefined, 422, 'invalid'],
  ['an unknown status in a filter', 'GET', '/api/tickets?status=lost', undefined, 422, 'invalid'],
  ['a page size that is not offered', 'GET', '/api/tickets?size=7', undefined, 422, 'invalid'],
  ['too long a search', 'GET', `/api/tickets?q=${'x'.repeat(200)}`, undefined, 422, 'invalid'],
  [
    'too many summaries',
    'GET',
    `/api/tickets/summaries?ids=${Array.from({ length: 501 }, (_, i) => i + 1).join()}`,
    undefined,
    422,
    'invalid',
  ],
  ['an unknown route', 'GET', '/api/nothing', undefined, 404, 'no_such_route'],
  ['a body that is not an object', 'PATCH', '/api/tickets/1', [1], 422, 'invalid'],
  ['an unknown field', 'PATCH', '/api/tickets/1', { id: 7 }, 422, 'invalid'],
  ['an unknown status', 'PATCH', '/api/tickets/1', { status: 'lost' }, 422, 'invalid'],
  ['an empty subject', 'PATCH', '/api/tickets/1', { subject: '  ' }, 422, 'invalid'],
  ['too long a subject', 'PATCH', '/api/tickets/1', { subject: 'x'.repeat(161) }, 422, 'invalid'],
  ['too long a comment', 'POST', '/api/tickets/1/comments', { body: 'x'.repeat(8001) }, 422, 'invalid'],
  [
    'an old version',
    'PATCH',
    '/api/tickets/1',
    { subject: 'x', expectedVersion: 999 },
    409,
    'changed_meanwhile',
  ],
  ['an unknown assignee', 'PATCH', '/api/tickets/1', { assigneeId: 999 }, 422, 'unknown_person'],
  ['an unknown team', 'PATCH', '/api/tickets/1', { teamId: 999 }, 422, 'unknown_team'],
  [
    'an invalid email address',
    'POST',
    '/api/tickets',
    { ...whole, requesterEmail: 'nobody' },
    422,
    'invalid',
  ],
  ['no ticket at all', 'POST', '/api/tickets/bulk-status', { ids: [], status: 'open' }, 422, 'invalid'],
  [
    'too many tickets',
    'POST',
    '/api/tickets/bulk-status',
    { ids: Array.from({ length: 501 }, (_, i) => i + 1), status: 'open' },
    422,
    'invalid',
  ],
  [
    'weather for a stream without a client id',
    'POST',
    '/api/weather',
    { clientId: '', drop: 1 },
    422,
    'invalid',
  ],
  ['weather for an invalid client id', 'POST', '/api/weather', { clientId: '\0', drop: 1 }, 422, 'invalid'],
];

test('wrong input gets a response with the right status and a JSON error', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const found = [];
  for (const [what, method, path, data] of cases) {
    const answer = await api.fetch(path, { method, ...(data === undefined ? {} : { data }) });
    const body = (await answer.json()) as { error?: { code: string; message: string } };
    found.push([what, answer.status(), body.error?.code, typeof body.error?.message]);
  }
  expect(found).toEqual(cases.map(([what, , , , status, code]) => [what, status, code, 'string']));
});

test('a search ignores characters that no text contains', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const [broken, plain] = await Promise.all(
    ['refund%00%07', 'refund'].map(async (q) => api.get(`/api/tickets?q=${q}`)),
  );
  expect([broken?.status(), await broken?.json()]).toEqual([200, await plain?.json()]);
});

test('a field with two errors reports the first, as the whole request does', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const answer = await api.post('/api/tickets', {
    data: { ...whole, requesterEmail: `${'x'.repeat(250)}@shop` },
  });
  const message = 'This is not an email address.';
  expect(await answer.json()).toEqual({
    error: { code: 'invalid', message, fields: { requesterEmail: message } },
  });
});

test('a search for a number finds the ticket, and no id is too long for it', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const count = async (q: string): Promise<number> =>
    (await (await api.get('/api/tickets', { params: { q } })).json()).count;
  expect(await count('#7')).toBeGreaterThan(0);
  expect(await count('#2147483647')).toBe(0);
  expect(await count('#99999999999')).toBe(0);
});

test('bodies that are not JSON or are far too large are rejected before a handler reads them', async ({
  speakAs,
}) => {
  const { api } = await speakAs('mara');
  const form = await api.post('/api/tickets', { form: { subject: 'x' } });
  expect([form.status(), await form.json()]).toEqual([
    415,
    { error: { code: 'not_json', message: expect.any(String) } },
  ]);
  const broken = await api.post('/api/tickets', {
    headers: { 'content-type': 'application/json' },
    data: Buffer.from('{"a":'),
  });
  expect([broken.status(), await broken.json()]).toEqual([
    400,
    { error: { code: 'bad_json', message: expect.any(String) } },
  ]);
  const large = await api.post('/api/tickets', { data: { ...whole, body: 'x'.repeat(300_000) } });
  expect([large.status(), await large.json()]).toEqual([
    413,
    { error: { code: 'too_large', message: expect.any(String) } },
  ]);
});

test('without a session every request is rejected except signing in', async ({ playwright, desk }) => {
  const api = await playwright.request.newContext({ baseURL: desk.url });
  for (const path of ['/api/tickets', '/api/tickets/1', '/api/counts', '/api/notifications']) {
    const answer = await api.get(path);
    expect([answer.status(), await answer.json()]).toEqual([
      401,
      { error: { code: 'signed_out', message: expect.any(String) } },
    ]);
  }
  expect((await api.post('/api/session', { data: { personId: 999 } })).status()).toBe(422);
  const forged = await api.get('/api/counts', { headers: { cookie: 'desk_session=forged' } });
  expect(forged.status()).toBe(401);
  await api.dispose();
});

test('texts are returned as they were written and are never rendered as markup', async ({ sit }) => {
  const { api, page } = await sit('mara', '/');
  const subject = `<img src=x onerror="window.isHacked=1"> & "quotes" 'n' </script> ünï 🚲`;
  const id = await open(api, { subject, body: `${subject}\u0000\u0007\nsecond line` });
  const ticket = await ticketOf(api, id);
  expect(ticket.subject).toBe(subject);
  expect(ticket.body).toBe(`${subject}\nsecond line`);
  await page.goto(`/tickets/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(subject);
  expect(await page.evaluate(() => 'isHacked' in globalThis)).toBe(false);
});

test('two concurrent changes are both kept', async ({ speakAs }) => {
  const a = await speakAs('mara');
  const b = await speakAs('jonas');
  const id = await open(a.api);
  await Promise.all([
    a.api.patch(`/api/tickets/${id}`, { data: { status: 'pending' } }),
    b.api.patch(`/api/tickets/${id}`, { data: { priority: 'urgent' } }),
  ]);
  const ticket = await ticketOf(a.api, id);
  expect([ticket.status, ticket.priority, ticket.version]).toEqual(['pending', 'urgent', 3]);
});

test('a subject without visible characters is rejected', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const id = await open(api);
  for (const subject of ['\u200b', '\u00ad\u2060', '\u007f\u0085']) {
    expect((await api.patch(`/api/tickets/${id}`, { data: { subject } })).status()).toBe(422);
  }
  for (const subject of ['🚲', '?', '你好']) {
    expect((await api.patch(`/api/tickets/${id}`, { data: { subject } })).status()).toBe(200);
  }
});

test('pages of other origins change nothing, even on the same site', async ({ sit }) => {
  const { api, page, context } = await sit('mara', '/');
  const id = await open(api);
  const { host } = new URL(page.url());
  const refusal = { error: { code: 'other_site', message: expect.any(String) } };
  for (const headers of [
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'null' },
  ]) {
    for (const [method, path] of [
      ['POST', '/api/notifications/read'],
      ['POST', '/api/weather/restart-hub'],
      ['DELETE', `/api/tickets/${id}`],
      ['DELETE', '/api/session'],
    ] as const) {
      const answer = await api.fetch(path, { method, headers });
      expect([path, answer.status(), await answer.json()]).toEqual([path, 403, refusal]);
    }
    expect((await api.get('/api/counts', { headers })).status()).toBe(200);
  }
  for (const headers of [{}, { origin: `http://${host}` }, { 'sec-fetch-site': 'same-origin' }])
    expect((await api.post('/api/notifications/read', { headers })).status()).toBe(200);

  // Another port is another origin on the same site, so the browser sends the cookie.
  const other = await context.newPage();
  await other.route('http://127.0.0.1:1/', async (route) => {
    const form = `<form method="post" action="http://${host}/api/weather/restart-hub"><button>Win</button></form>`;
    await route.fulfill({ contentType: 'text/html', body: form });
  });
  await other.goto('http://127.0.0.1:1/');
  const answer = other.waitForResponse('**/restart-hub');
  await other.getByRole('button').click();
  expect((await answer).status()).toBe(403);
});

test('a session behind a proxy that ends TLS is never sent without TLS', async ({ speakAs }) => {
  const { api } = await speakAs('mara');
  const headers = { 'x-forwarded-proto': 'https' };
  const answer = await api.post('/api/session', { data: { personId: 1 }, headers });
  expect(answer.headers()['set-cookie']).toMatch(/; Secure/);
});

test('no other site can show the desk in a frame, and the browser sniffs no content types', async ({
  speakAs,
}) => {
  const { api } = await speakAs('mara');
  for (const path of ['/', '/tickets/7', '/api/counts', '/icon.svg']) {
    const headers = (await api.get(path)).headers();
    expect([path, headers['x-frame-options'], headers['x-content-type-options']]).toEqual([
      path,
      'SAMEORIGIN',
      'nosniff',
    ]);
  }
});

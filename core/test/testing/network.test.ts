import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';

describe('the simulated server', () => {
  it('responds with JSON and passes params, body, and client id to the route', async () => {
    const sim = createSimulation();
    sim.route('PATCH /tickets/:id', ({ params, body, clientId }) => ({ params, body, clientId }));
    const init = { method: 'PATCH', body: '{"a":1}', headers: { 'X-Service-Client-ID': 'me' } };
    const response = await sim.env.fetch('/tickets/a%20b', init);
    expect(await response.json()).toEqual({ params: { id: 'a b' }, body: { a: 1 }, clientId: 'me' });
    // The fetch of the platform accepts null too.
    expect((await sim.env.fetch('/nowhere', null as never)).status).toBe(404);
    expect(sim.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'PATCH /tickets/a%20b',
      'GET /nowhere',
    ]);
  });

  it('passes a form or a file to its route, which reads it from the request', async () => {
    const sim = createSimulation();
    sim.route('POST /files', async ({ request, body }) => {
      const file = (await request.formData()).get('file');
      return { body, text: file instanceof Blob ? await file.text() : file };
    });
    sim.route('PUT /notes', async ({ request, body }) => ({ body, text: await request.text() }));
    const form = new FormData();
    form.set('file', new Blob(['bytes']), 'a.txt');
    const uploaded = await sim.env.fetch('/files', { method: 'POST', body: form });
    expect(await uploaded.json()).toEqual({ body: null, text: 'bytes' });
    const noted = await sim.env.fetch('/notes', { method: 'PUT', body: 'so it is' });
    expect(await noted.json()).toEqual({ body: null, text: 'so it is' });
    const headers = { 'content-type': 'application/json' };
    expect((await sim.env.fetch('/notes', { method: 'PUT', body: '{', headers })).status).toBe(500);
  });

  it('responds with 500 if a route throws', async () => {
    const sim = createSimulation();
    sim.route('GET /bad', () => {
      throw new Error('no');
    });
    expect((await sim.env.fetch('/bad')).status).toBe(500);
  });

  it('rejects an aborted request with the reason of its signal', async () => {
    const sim = createSimulation();
    sim.route('GET /slow', () => sim.sleep(100));
    const giveUp = new AbortController();
    const asked = sim.env.fetch('/slow', { signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

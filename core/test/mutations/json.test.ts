import { describe, expect, it } from 'vitest';
import { HttpError } from '@edict/core';
import type { JsonInit } from '@edict/core';
import { type Stage, createStage, untyped } from '../world.ts';

/** Calls `json` with a server that returns this response. Resolves to the result or the error, and to what was sent. */
async function run(
  response: Response,
  init?: JsonInit,
): Promise<{ result: unknown; sent: Request; stage: Stage }> {
  let sent = new Request('https://app.test');
  const stage: Stage = createStage({
    env: () => ({
      fetch(input, own) {
        sent = new Request(new URL(String(input as string), 'https://app.test'), own);
        return Promise.resolve(response);
      },
    }),
  });
  const result = await stage.dl.json('/api/tickets', init).catch((error: unknown) => error);
  return { result, sent, stage };
}

describe('DL.json', () => {
  it('sends init.json as the body of a POST with its content type', async () => {
    const { sent } = await run(Response.json({}), { json: { title: 'Printer' } });
    expect(sent.method).toBe('POST');
    expect(sent.headers.get('content-type')).toBe('application/json');
    expect(sent.headers.get('x-service-directive-request')).toBe('send me directives');
    expect(await sent.json()).toEqual({ title: 'Printer' });
  });

  it.each([null, 0, false, '', []])('sends %j', async (json) => {
    expect(await (await run(Response.json({}), { json })).sent.json()).toEqual(json);
  });

  it('keeps the method and headers of the init', async () => {
    const headers = { 'x-mine': '1', 'CONTENT-TYPE': 'application/merge-patch+json' };
    const { sent } = await run(Response.json({}), { method: 'PATCH', headers, json: {} });
    expect([sent.method, sent.headers.get('x-mine')]).toEqual(['PATCH', '1']);
    expect(sent.headers.get('content-type')).toBe('application/merge-patch+json');
  });

  it('sends a POST if the method of the init is undefined', async () => {
    const init: object = { method: undefined, json: {} };
    const { sent } = await run(Response.json({}), init);
    expect(sent.method).toBe('POST');
  });

  it('rejects an object as body, which fetch would send as "[object Object]"', async () => {
    const { result } = await run(Response.json({}), untyped({ method: 'POST', body: { title: 'Printer' } }));
    expect(String(result)).toBe(
      'TypeError: [edict] json: body must be text, a form, or bytes (pass an object as json), but it is an object.',
    );
  });

  it.each([undefined, null])('sends a GET without a body if init.json is missing: %j', async (init) => {
    const { sent } = await run(Response.json({}), untyped(init));
    expect([sent.method, sent.body, sent.headers.get('content-type')]).toEqual(['GET', null, null]);
  });

  it.each<[string, Response, unknown]>([
    ['an object', Response.json({ id: 7 }), { id: 7 }],
    ['null', Response.json(null), null],
    ['undefined for an empty body', new Response(''), undefined],
    ['undefined for white space', new Response('\n'), undefined],
    ['undefined for 204', new Response(null, { status: 204 }), undefined],
  ])('returns %s', async (_title, response, expected) => {
    expect((await run(response)).result).toEqual(expected);
  });

  it('applies the directives of a mutation', async () => {
    const directives = [{ op: 'refresh_item', name: 'ticket', id: 7 }];
    const { stage } = await run(Response.json({ directives }), { json: {} });
    expect(stage.of('directive:processed')).toHaveLength(1);
  });

  it('rejects a 2xx body that is not JSON', async () => {
    const { result } = await run(new Response('<html>'));
    expect(result).toBeInstanceOf(SyntaxError);
    expect((result as Error).message).toMatch(/^\[edict\] json: .*200.* is not JSON\. .+\.$/);
  });

  it.each<[string, Response, string, unknown]>([
    [
      'error.message',
      Response.json({ error: { message: 'a' }, message: 'b' }, { status: 422 }),
      'a',
      undefined,
    ],
    ['message', Response.json({ message: 'b', error: 'c' }, { status: 422 }), 'b', undefined],
    ['error', Response.json({ error: 'c' }, { status: 422 }), 'c', { error: 'c' }],
    [
      'error, if message is empty',
      Response.json({ message: '', error: 'c' }, { status: 422 }),
      'c',
      undefined,
    ],
    ['the status', Response.json({}, { status: 422, statusText: 'Unprocessable' }), '422 Unprocessable', {}],
    ['the status of an array', Response.json([1], { status: 422 }), '422', [1]],
    ['the status of a text body', new Response('<html>', { status: 422 }), '422', '<html>'],
    ['the status of an empty body', new Response(null, { status: 422 }), '422', undefined],
    ['the status of a redirect that was not followed', new Response(null, { status: 302 }), '302', undefined],
  ])('rejects with an HttpError whose message is %s', async (_title, response, message, body) => {
    const { result } = await run(response);
    expect(result).toBeInstanceOf(HttpError);
    expect(result).toMatchObject({ name: 'HttpError', status: response.status, message, response });
    if (body !== undefined) expect((result as HttpError).body).toEqual(body);
  });
});

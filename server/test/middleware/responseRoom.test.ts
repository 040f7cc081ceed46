import { describe, expect, it } from 'vitest';
import type { Directive } from '@edict/core/protocol';
import { hubForTest } from '../support/servers.ts';
import { exposeHeaders, frameworks, serveRoute, type Answer, type Serve } from './frameworks.ts';
import { asks, ticket } from './requests.ts';

const header = 'x-service-directives';

/** A mutation that collects one directive. */
const serveAnswer = (serve: Serve, answer: Answer, directive: Directive = ticket(1)) =>
  serveRoute(serve, (collector) => {
    collector.emit([directive]);
    return answer;
  });

describe.each(frameworks)('a response of %s', (_, serve) => {
  it('D-HUB-12 has the completed directives in its JSON object, after they were emitted', async () => {
    const { hub, send } = await serveRoute(serve, (collector) => {
      collector.emit([ticket(1)]);
      collector.emit([ticket(2, { idempotency_key: 'mine' })], { audience: ['a', 'b'] });
      return { json: { ok: true, directives: [{ op: 'own' }] } };
    });
    const response = await send();
    const body = (await response.json()) as { directives: Record<string, unknown>[] };
    expect(response.headers.get(header)).toBeNull();
    expect(body).toMatchObject({
      ok: true,
      directives: [
        { op: 'own' },
        { id: 1, audience: 'global', source: 'me' },
        { id: 2, audience: 'a', source: 'me', idempotency_key: 'mine' },
        { id: 2, audience: 'b', source: 'me', idempotency_key: 'mine' },
      ],
    });
    expect(body.directives[1]?.['seq']).toBe((await hub.cursor()).seq);
    expect(hub.metrics().emits).toBe(2);
  });

  it('has the directives in the JSON form of a database document, not in its fields', async () => {
    class Document {
      readonly internals = 'secret';
      toJSON(): object {
        return { id: 1, subject: 'Printer' };
      }
    }
    const { send } = await serveAnswer(serve, { json: new Document() });
    expect(await (await send()).json()).toEqual({
      id: 1,
      subject: 'Printer',
      directives: [expect.objectContaining({ id: 1, source: 'me' })],
    });
  });

  it.each<[string, Answer, string]>([
    ['text', { text: 'tïcket' }, 'tïcket'],
    ['a JSON list', { json: [1, 2] }, '[1,2]'],
    ['a JSON number', { json: 7 }, '7'],
    ['an object whose JSON form is a string', { json: { toJSON: () => 'some text' } }, '"some text"'],
    ['no body', { status: 204 }, ''],
  ])('with %s has the directives in a header', async (_name, answer, text) => {
    const { send } = await serveAnswer(serve, answer, ticket(1, { name: 'tïcket' }));
    const response = await send();
    expect(await response.text()).toBe(text);
    expect(JSON.parse(response.headers.get(header) ?? '')).toMatchObject([
      { id: 1, name: 'tïcket', source: 'me' },
    ]);
  });

  it.each([
    ['no header', {}, 'X-Service-Directives'],
    ['another header', { exposed: 'X-Total' }, 'X-Total, X-Service-Directives'],
  ])('exposes the header to other origins when the application exposes %s', async (_name, exposed, all) => {
    const { send } = await serveAnswer(serve, { status: 204, ...exposed });
    expect((await send()).headers.get(exposeHeaders)).toBe(all);
  });

  const tickets = (length: number): Directive[] => Array.from({ length }, (_, id) => ticket(id));
  it.each([
    ['too long for a header', 1, [ticket(1, { result: 'x'.repeat(5000) })], ['global'], 'JSON object'],
    ['D-DIR-10 too many in several lists', 21, tickets(500), ['global'], 'more than 10000 directives'],
    [
      'D-DIR-10 too many for several audiences',
      1,
      tickets(4000),
      ['a', 'b', 'c'],
      'more than 10000 directives',
    ],
  ])(
    'does not contain directives that are %s, which its client receives on its stream',
    async (_name, count, list, audience, line) => {
      const answer: Answer = list.length === 1 ? { status: 204 } : { json: { ok: true } };
      const { hub, send, lines, sources } = await serveRoute(
        serve,
        (collector) => {
          for (let at = 0; at < count; at += 1) collector.emit(list, { audience });
          return answer;
        },
        hubForTest({ limits: { maxEnvelopeBytes: 1_000_000 } }),
      );
      const response = await send();
      expect(response.headers.get(header)).toBeNull();
      expect(await response.text()).toBe(list.length === 1 ? '' : '{"ok":true}');
      expect(lines).toEqual([expect.stringContaining(line)]);
      expect(hub.metrics().emits).toBe(count);
      expect(new Set(sources)).toEqual(new Set([null]));
    },
  );

  it('keeps the header with directives of the handler, and contains no others without a JSON object', async () => {
    const own = '[{"op":"own"}]';
    const { send, sources } = await serveAnswer(serve, { own, text: 'ticket' });
    expect((await send()).headers.get(header)).toBe(own);
    expect(sources).toEqual([null]);
  });

  it.each([
    ['9,999 directives', Array.from({ length: 9999 }, () => ({ op: 'own' })), 'me'],
    ['10,000 directives', Array.from({ length: 10_000 }, () => ({ op: 'own' })), null],
    ['10,000 targets', [null, { op: 'own', targets: tickets(9998) }], null],
  ])('D-DIR-10 counts the directives of the handler’s own list: %s', async (_name, own, source) => {
    const { send, sources } = await serveAnswer(serve, { json: { directives: own } });
    const { directives } = (await (await send()).json()) as { directives: unknown[] };
    expect(sources).toEqual([source]);
    expect(directives).toHaveLength(own.length + (source === null ? 0 : 1));
  });

  it.each<[string, Answer, Record<string, string>, string]>([
    ['to a client that did not request directives', {}, { 'x-service-client-id': 'me' }, 'PUT'],
    ['with a redirect', { status: 303 }, asks, 'PUT'],
    ['to HEAD, which has no body', {}, asks, 'HEAD'],
    ['to GET, in whose response clients do not search directives', {}, asks, 'GET'],
  ])(
    'D-HUB-12 does not contain directives, which are emitted without a source, %s',
    async (_name, { status = 200 }, headers, method) => {
      const { hub, send, sources } = await serveAnswer(serve, { status, json: { ok: true } });
      const response = await send(headers, method);
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(method === 'HEAD' ? '' : '{"ok":true}');
      expect(response.headers.get(header)).toBeNull();
      expect(hub.metrics().emits).toBe(1);
      expect(sources).toEqual([null]);
    },
  );
});

// Hono has no such response: it rejects a body with these statuses.
describe.each(frameworks.filter(([name]) => name !== 'Hono'))(
  'a response of %s without a body',
  (_, serve) => {
    it.each([204, 205])(
      'has the directives in a header even if the handler passed an object: %d',
      async (status) => {
        const { send } = await serveAnswer(serve, { status, json: { ok: true } });
        const response = await send();
        expect(await response.text()).toBe('');
        expect(JSON.parse(response.headers.get(header) ?? '')).toMatchObject([{ id: 1, source: 'me' }]);
      },
    );
  },
);

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDataLayer, defineCollection, defineItem } from '@edict/core';
import {
  acceptedDirectiveSchema,
  AUDIENCE_PARAM,
  CLIENT_ID_HEADER,
  CLIENT_ID_PARAM,
  clientDirectiveSchema,
  DIRECTIVE_REQUEST_HEADER,
  DIRECTIVE_REQUEST_VALUE,
  DIRECTIVES_FIELD,
  DIRECTIVES_HEADER,
  directiveSchema,
  envelopeSchema,
  forceReloadPage,
  invalidate,
  LAST_EVENT_ID_HEADER,
  LAST_SEQ_PARAM,
  refreshCollection,
  refreshItem,
  refreshType,
  removeItem,
  SINCE_MS_PARAM,
} from '@edict/core/protocol';
import { runs } from '../seed.ts';
import { nearDirective } from './arbitraries.ts';

const ticket = defineItem('ticket', { fetch: (id: number) => ({ id }) });
const tickets = defineCollection('tickets', {
  fetch: (params: { page?: number } | undefined) => ({ ids: [params?.page ?? 0] }),
});

function wrapped(times: number): unknown {
  let directive: unknown = { op: 'force_reload_page' };
  for (let i = 0; i < times; i++) directive = { op: 'invalidate', targets: [directive] };
  return directive;
}

describe('§4.1, §4.2 names on the wire', () => {
  it('match the specification', () => {
    expect([
      CLIENT_ID_HEADER,
      DIRECTIVE_REQUEST_HEADER,
      DIRECTIVE_REQUEST_VALUE,
      DIRECTIVES_HEADER,
      DIRECTIVES_FIELD,
    ]).toEqual([
      'X-Service-Client-ID',
      'X-Service-Directive-Request',
      'send me directives',
      'X-Service-Directives',
      'directives',
    ]);
    expect([CLIENT_ID_PARAM, AUDIENCE_PARAM, LAST_SEQ_PARAM, SINCE_MS_PARAM, LAST_EVENT_ID_HEADER]).toEqual([
      'client_id',
      'audience',
      'last_seq',
      'since_ms',
      'Last-Event-ID',
    ]);
  });
});

describe('§2.1 builders', () => {
  const meta = { idempotency_key: 'k', audience: 'team-7', source: 'me', seq: 3, timestamp: 5 };

  it.each<[string, object, object]>([
    ['refreshCollection', refreshCollection('tickets'), { op: 'refresh_collection', name: 'tickets' }],
    [
      'refreshCollection with null',
      refreshCollection('tickets', null as never),
      { op: 'refresh_collection', name: 'tickets' },
    ],
    [
      'refreshCollection with everything',
      refreshCollection('tickets', { params: { a: 1 }, mode: 'contains', result: { ids: [1] }, ...meta }),
      {
        op: 'refresh_collection',
        name: 'tickets',
        params: { a: 1 },
        params_mode: 'contains',
        result: { ids: [1] },
        ...meta,
      },
    ],
    ['refreshItem', refreshItem('ticket', 0), { op: 'refresh_item', name: 'ticket', id: 0 }],
    [
      'refreshItem with everything',
      refreshItem('ticket', '7', { level: 'full', result: { id: 7 }, ...meta }),
      { op: 'refresh_item', name: 'ticket', id: '7', level: 'full', result: { id: 7 }, ...meta },
    ],
    [
      'removeItem',
      removeItem('ticket', 7, meta),
      { op: 'refresh_item', name: 'ticket', id: 7, result: null, ...meta },
    ],
    [
      'refreshItem with a definition',
      refreshItem(ticket, 7, { level: 'default' }),
      { op: 'refresh_item', name: 'ticket', id: 7, level: 'default' },
    ],
    [
      'refreshCollection with a definition',
      refreshCollection(tickets, { params: { page: 1 } }),
      { op: 'refresh_collection', name: 'tickets', params: { page: 1 } },
    ],
    [
      'removeItem with a definition',
      removeItem(ticket, 7),
      { op: 'refresh_item', name: 'ticket', id: 7, result: null },
    ],
    [
      'invalidate',
      invalidate([refreshItem('ticket', 1)], meta),
      { op: 'invalidate', targets: [{ op: 'refresh_item', name: 'ticket', id: 1 }], ...meta },
    ],
    ['invalidate of nothing', invalidate([]), { op: 'invalidate', targets: [] }],
    ['forceReloadPage', forceReloadPage(), { op: 'force_reload_page' }],
    [
      'forceReloadPage, hard',
      forceReloadPage({ hard: true, ...meta }),
      { op: 'force_reload_page', hard: true, ...meta },
    ],
  ])('%s makes a directive that the schema accepts', (_, directive, expected) => {
    expect(directive).toStrictEqual(expected);
    expect(directiveSchema.parse(directive)).toEqual(expected);
  });

  it.each<[string, () => unknown, string]>([
    [
      'params that are passed as options',
      () => refreshCollection('tickets', { status: 'open' } as object),
      'refreshCollection: status is not an option. Filters belong in params: { params: { status: … } }.',
    ],
    [
      'a level that is not in the options',
      () => refreshItem('ticket', 7, 'full' as never),
      'refreshItem: the options must be an object, but it is "full".',
    ],
    [
      'a misspelled audience',
      () => removeItem('ticket', 7, { audiences: 'a' } as object),
      'removeItem: audiences',
    ],
    ['an id of refreshType', () => refreshType('ticket', 7 as never), 'refreshType: the options'],
    ['a single target', () => invalidate({} as never), 'invalidate: the targets must be an array'],
    ['true of forceReloadPage', () => forceReloadPage(true as never), 'forceReloadPage: the options'],
  ])('throw a TypeError for %s', (_, build, message) => {
    const error = expect.objectContaining({
      name: 'TypeError',
      message: expect.stringContaining(message) as string,
    });
    expect(build).toThrow(error);
  });
});

it.each([
  ['a name', refreshType('ticket', { source: 'me' }), { source: 'me' }],
  ['a definition', refreshType(ticket), {}],
])('refreshType with %s returns the legacy directive without an id', (_, directive, meta) => {
  expect(directive).toStrictEqual({ op: 'invalidate', kind: 'item', name: 'ticket', ...meta });
  expect(clientDirectiveSchema.safeParse(directive).success).toBe(true);
  expect(directiveSchema.safeParse(directive).success).toBe(false);
});

describe('§2.1, §2.2 schemas', () => {
  it('directiveSchema accepts only the server contract, even in targets', () => {
    expect(directiveSchema.safeParse({ op: 'refresh', kind: 'item', name: 'a', id: 1 }).success).toBe(false);
    expect(directiveSchema.safeParse({ op: 'invalidate', name: 'a' }).success).toBe(false);
    expect(
      directiveSchema.safeParse({ op: 'invalidate', targets: [{ op: 'refresh', name: 'a' }] }).success,
    ).toBe(false);
  });

  it.each([
    ['refresh_collection without name', { op: 'refresh_collection' }],
    ['refresh_item without name', { op: 'refresh_item', id: 7 }],
    ['refresh_item without id', { op: 'refresh_item', name: 'ticket' }],
    ['invalidate without targets', { op: 'invalidate' }],
    ['no op', { name: 'ticket', id: 7 }],
  ])('directiveSchema requires the fields of the contract: %s', (_title, directive) => {
    expect(directiveSchema.safeParse(directive).success).toBe(false);
  });

  it('clientDirectiveSchema accepts only the shape of §2.2', () => {
    expect(clientDirectiveSchema.safeParse({ op: 'refresh', kind: 'item', name: 'a', id: 1 }).success).toBe(
      true,
    );
    expect(clientDirectiveSchema.safeParse({ op: 'invalidate', name: 'a' }).success).toBe(true);
    expect(clientDirectiveSchema.safeParse({ op: 'refresh_item', name: 'a', id: 1 }).success).toBe(false);
    expect(clientDirectiveSchema.safeParse({ op: 'invalidate', targets: [] }).success).toBe(false);
  });

  it('acceptedDirectiveSchema accepts a mix of both', () => {
    const targets = [{ op: 'refresh', name: 'a' }, refreshItem('b', 1), { op: 'invalidate', name: 'c' }];
    expect(acceptedDirectiveSchema.safeParse({ op: 'invalidate', targets }).success).toBe(true);
  });

  it('report the path of an issue in targets', () => {
    const answer = directiveSchema.safeParse({
      op: 'invalidate',
      targets: [refreshItem('a', 1), { op: 'refresh_item', name: 'a' }],
    });
    expect(answer.error?.issues.map((issue) => issue.path)).toEqual([['targets', 1, 'id']]);
  });

  it('keep unknown fields and an own __proto__ of params', () => {
    const directive: unknown = JSON.parse(
      '{"op":"refresh_collection","name":"a","params":{"__proto__":{"x":1}},"extra":[1]}',
    );
    expect(JSON.stringify(directiveSchema.parse(directive))).toContain('"params":{"__proto__":{"x":1}}');
    expect(directiveSchema.parse(directive)).toMatchObject({ extra: [1] });
  });

  it('D-DIR-10 accept at most 8 wrappers and 10,000 directives, without a stack overflow', () => {
    expect(directiveSchema.safeParse(wrapped(8)).success).toBe(true);
    expect(directiveSchema.safeParse(wrapped(9)).success).toBe(false);
    expect(directiveSchema.safeParse(wrapped(100_000)).success).toBe(false);
    const many = (count: number): unknown => invalidate(Array(count).fill(forceReloadPage()));
    expect(directiveSchema.safeParse(many(9_999)).success).toBe(true);
    expect(directiveSchema.safeParse(many(10_000)).success).toBe(false);
  });
});

describe('§2.3 the envelope', () => {
  const envelope = { type: 'directives', seq: 42, audience: 'global', directives: [refreshItem('a', 1)] };

  it.each<[string, unknown, boolean]>([
    ['of the specification', envelope, true],
    ['of a heartbeat', { type: 'directives', seq: 42, audience: 'global', directives: [] }, true],
    ['of a greeting', { ...envelope, directives: [], recovered: true, heartbeat_ms: 15000 }, true],
    ['without a sequence number', { type: 'directives', directives: [] }, true],
    ['with a malformed directive, which a client skips', { ...envelope, directives: [{ op: 'nope' }] }, true],
    ['of another type', { ...envelope, type: 'hello' }, false],
    ['without a list', { type: 'directives', seq: 1, audience: 'global' }, false],
    ['with a sequence number that is not a number', { ...envelope, seq: '42' }, false],
    ['with an audience that is not a string', { ...envelope, audience: ['global'] }, false],
    ['null', null, false],
  ])('%s is accepted or not', (_, input, expected) => {
    expect(envelopeSchema.safeParse(input).success).toBe(expected);
  });
});

describe('the data layer and the schemas', () => {
  const dl = createDataLayer({ env: { log: () => undefined } });
  let isRejected = false;
  dl.onLifecycle('directive:rejected', () => void (isRejected = true));
  const isAccepted = (input: unknown): boolean => {
    isRejected = false;
    void dl.applyDirectives([input]);
    return !isRejected;
  };

  it('accept exactly the same JSON', () => {
    const counts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: nearDirective }, { weight: 1, arbitrary: fc.jsonValue() }),
        (input) => {
          const accepted = isAccepted(input);
          counts[accepted ? 'accepted' : 'refused']++;
          expect(acceptedDirectiveSchema.safeParse(input).success).toBe(accepted);
        },
      ),
      runs(1500),
    );
    // Both results must be common, or the property proves little.
    expect(Math.min(counts.accepted, counts.refused) / (counts.accepted + counts.refused)).toBeGreaterThan(
      0.1,
    );
  });

  it('agree with either of the two schemas if no wrapper mixes the shapes', () => {
    fc.assert(
      fc.property(nearDirective, (input) => {
        const either =
          directiveSchema.safeParse(input).success || clientDirectiveSchema.safeParse(input).success;
        const isWrapper = JSON.stringify(input).includes('"targets":[');
        if (either || !isWrapper) expect(either).toBe(isAccepted(input));
      }),
      runs(1000),
    );
  });
});

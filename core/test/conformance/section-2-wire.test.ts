// Specification §2.1 to §2.3: every field of the wire format.

import { describe, expect, it } from 'vitest';
import { clientDirectiveSchema, directiveSchema, envelopeSchema } from '@edict/core/protocol';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';

const meta = { idempotency_key: 'k', timestamp: 1_767_225_600_000, audience: 'global', source: 'c9', seq: 3 };

async function held(): Promise<Stage> {
  const stage = createStage();
  await stage.hold(
    () => stage.item('ticket', 7),
    () => stage.item('ticket', 'seven'),
    () => stage.item('doc', 7, 'full'),
    () => stage.list('tickets'),
    () => stage.list('tickets', { page: 1, q: 'x' }),
  );
  return stage;
}

describe('§2.1 the server contract', () => {
  const table: [string, object, string[]][] = [
    [
      'refresh_collection with op and name',
      { op: 'refresh_collection', name: 'tickets' },
      ['tickets {"page":1,"q":"x"}', 'tickets {}'],
    ],
    [
      'params_mode exact',
      { op: 'refresh_collection', name: 'tickets', params: { q: 'x', page: 1 }, params_mode: 'exact' },
      ['tickets {"page":1,"q":"x"}'],
    ],
    [
      'params_mode contains',
      { op: 'refresh_collection', name: 'tickets', params: { page: 1 }, params_mode: 'contains' },
      ['tickets {"page":1,"q":"x"}'],
    ],
    [
      'params without a mode is exact',
      { op: 'refresh_collection', name: 'tickets', params: { page: 1 } },
      [],
    ],
    ['refresh_item with op, name and id', { op: 'refresh_item', name: 'ticket', id: 7 }, ['ticket 7']],
    ['refresh_item with a string id', { op: 'refresh_item', name: 'ticket', id: 'seven' }, ['ticket seven']],
    ['refresh_item with a level', { op: 'refresh_item', name: 'doc', id: 7, level: 'full' }, ['doc 7 full']],
    [
      'invalidate with op and targets',
      { op: 'invalidate', targets: [{ op: 'refresh_item', name: 'ticket', id: 7 }] },
      ['ticket 7'],
    ],
    [
      'an inline result of a collection',
      { op: 'refresh_collection', name: 'tickets', params: {}, result: { ids: [1] } },
      [],
    ],
    ['an inline result of an item', { op: 'refresh_item', name: 'ticket', id: 7, result: { id: 7 } }, []],
  ];

  it.each(table)('%s', async (_title, directive, calls) => {
    const stage = await held();
    void stage.dl.applyDirectives([directive]);
    await stage.sim.advance(100);
    expect(stage.taken().toSorted()).toEqual(calls);
    expect(directiveSchema.safeParse(directive).success).toBe(true);
  });

  it.each(table)('%s, with all metadata', async (_title, directive, calls) => {
    const stage = await held();
    void stage.dl.applyDirectives([{ ...directive, ...meta }]);
    await stage.sim.advance(100);
    expect(stage.taken().toSorted()).toEqual(calls);
    expect(directiveSchema.safeParse({ ...directive, ...meta }).success).toBe(true);
  });

  it.each([
    ['with op', {}, false],
    ['with hard', { hard: true }, true],
    ['with all metadata', meta, false],
  ])('force_reload_page %s', async (_title, more, hard) => {
    const stage = createStage();
    const directive = { op: 'force_reload_page', ...more };
    await stage.dl.applyDirectives([directive]);
    expect(stage.sim.reloads).toMatchObject([{ hard }]);
    expect(directiveSchema.safeParse(directive).success).toBe(true);
  });

  it('unknown fields are kept and do not affect the directive', async () => {
    const stage = await held();
    void stage.dl.applyDirectives([refreshItem('ticket', 7, { reason: 'payment', trace: { id: 1 } })]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:processed')[0]?.directive).toMatchObject({ reason: 'payment' });
  });
});

describe('§2.2 the legacy shape that applyDirectives also accepts', () => {
  const table: [string, object, string[]][] = [
    [
      'refresh of a collection',
      { op: 'refresh', kind: 'collection', name: 'tickets' },
      ['tickets {"page":1,"q":"x"}', 'tickets {}'],
    ],
    [
      'refresh of a collection with exact params',
      { op: 'refresh', kind: 'collection', name: 'tickets', params: { q: 'x', page: 1 } },
      ['tickets {"page":1,"q":"x"}'],
    ],
    [
      'refresh of a collection with params that are not cached',
      { op: 'refresh', kind: 'collection', name: 'tickets', params: { page: 1 } },
      [],
    ],
    ['refresh of an item', { op: 'refresh', kind: 'item', name: 'ticket', id: 7 }, ['ticket 7']],
    [
      'refresh of an item by a string id',
      { op: 'refresh', kind: 'item', name: 'ticket', id: 'seven' },
      ['ticket seven'],
    ],
    [
      'refresh of an item with a level',
      { op: 'refresh', kind: 'item', name: 'doc', id: 7, level: 'full' },
      ['doc 7 full'],
    ],
    ['refresh without kind', { op: 'refresh', name: 'ticket', id: 7 }, ['ticket 7']],
  ];

  it.each(table)('%s', async (_title, directive, calls) => {
    const stage = await held();
    void stage.dl.applyDirectives([directive]);
    await stage.sim.advance(100);
    expect(stage.taken().toSorted()).toEqual(calls);
    expect(clientDirectiveSchema.safeParse(directive).success).toBe(true);
  });

  it.each(table)(
    '%s, with key, idempotency_key, source, seq and audience',
    async (_title, directive, calls) => {
      const stage = await held();
      const { timestamp: _, ...rest } = meta;
      void stage.dl.applyDirectives([{ ...directive, ...rest, key: 'other' }]);
      await stage.sim.advance(100);
      expect(stage.taken().toSorted()).toEqual(calls);
    },
  );

  it('source and audience of the directive are checked', async () => {
    const stage = await held();
    const directive = { op: 'refresh', name: 'ticket', id: 7 };
    void stage.dl.applyDirectives([
      { ...directive, source: stage.dl.clientId() },
      { ...directive, audience: 'team-1' },
    ]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source', 'audience']);
  });

  it('invalidate in this shape marks entries stale and refetches those with a subscriber', async () => {
    const stage = await held();
    stage.dl.onRefChange(stage.item('ticket', 7), () => undefined);
    void stage.dl.applyDirectives([
      { op: 'invalidate', kind: 'item', name: 'ticket', id: 7 },
      { op: 'invalidate', kind: 'collection', name: 'tickets' },
    ]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.dl.getCollectionRef('tickets').meta.isStale).toBe(true);
  });
});

describe('§2.3 the envelope', () => {
  const envelope = (more: object = {}): object => ({
    type: 'directives',
    seq: 1,
    audience: 'global',
    directives: [refreshList('tickets', { params: {} })],
    ...more,
  });

  it('has type, seq, audience and directives, and the directives are applied', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(envelope());
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.of('directive:received')).toMatchObject([{ audience: 'global' }]);
    expect(stage.dl.state().sse.lastSeq).toEqual({ global: 1 });
    expect(envelopeSchema.safeParse(envelope()).success).toBe(true);
  });

  it('is applied as the hub sends it', async () => {
    const stage = createStage({ init: { sse: {} } });
    await stage.hold(() => stage.list('tickets'));
    stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { source: 'c9' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.of('directive:received').at(-1)).toMatchObject({
      audience: 'global',
      directives: [{ op: 'refresh_collection', name: 'tickets', source: 'c9' }],
    });
    stage.dl.dispose();
  });

  it('its source applies to directives without a source', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(envelope({ source: stage.dl.clientId() }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source']);
  });

  it('seq is counted per audience', async () => {
    const stage = createStage({ init: { sse: { connectOnInit: false, audience: ['global', 'team'] } } });
    stage.dl.ingestEnvelope(envelope({ seq: 41 }));
    stage.dl.ingestEnvelope(envelope({ seq: 7, audience: 'team' }));
    stage.dl.ingestEnvelope(envelope({ seq: 42 }));
    stage.dl.ingestEnvelope(envelope({ seq: 8, audience: 'team' }));
    expect(stage.of('sse:gap')).toEqual([]);
    expect(stage.dl.state().sse.lastSeq).toEqual({ global: 42, team: 8 });
    stage.dl.dispose();
  });

  it.each([
    ['another type', envelope({ type: 'news' })],
    ['an audience without a subscription', envelope({ audience: 'team-9' })],
  ])('with %s is not applied', async (_title, given) => {
    const stage = await held();
    stage.dl.ingestEnvelope(given);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.state().sse.lastSeq).toEqual({});
  });

  it.each([
    ['null', null],
    ['a string', 'x'],
    ['an array', []],
    ['directives that are not an array', envelope({ directives: 'all' })],
  ])('is ignored without throwing: %s', async (_title, given) => {
    const stage = await held();
    expect(() => stage.dl.ingestEnvelope(given)).not.toThrow();
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });
});

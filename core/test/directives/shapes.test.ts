// The two shapes of directives, and what their names refer to.

import { acceptedDirectiveSchema, clientDirectiveSchema, directiveSchema } from '@edict/core/protocol';
import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';
import { apply, reasons } from './setup.ts';

/** A stage whose cache contains these entries. */
async function cached(): Promise<Stage> {
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

/** All metadata of the server contract (§2.1), and of the shape that only clients accept (§2.2). */
const metadata = {
  idempotency_key: 'k',
  timestamp: 1_767_225_600_000,
  audience: 'global',
  source: 'c9',
  seq: 3,
};
const clientMetadata = { idempotency_key: 'k', key: 'other', audience: 'global', source: 'c9', seq: 3 };

const onePage = ['tickets {"page":1,"q":"x"}'];
const everyPage = [...onePage, 'tickets {}'];

describe('§2.1 §2.2 §9 D-DIR-1 the two shapes of directives', () => {
  it.each<[title: string, directives: Record<string, unknown>[], calls: string[]]>([
    [
      'a collection',
      [
        { op: 'refresh_collection', name: 'tickets' },
        { op: 'refresh', kind: 'collection', name: 'tickets' },
        { op: 'refresh', name: 'tickets' },
        { op: 'refresh', kind: null, name: 'tickets' },
      ],
      everyPage,
    ],
    [
      'a collection with exact params',
      [
        { op: 'refresh_collection', name: 'tickets', params: { q: 'x', page: 1 } },
        { op: 'refresh_collection', name: 'tickets', params: { q: 'x', page: 1 }, params_mode: 'exact' },
        { op: 'refresh', kind: 'collection', name: 'tickets', params: { q: 'x', page: 1 } },
        { op: 'refresh', name: 'tickets', params: { q: 'x', page: 1 } },
      ],
      onePage,
    ],
    [
      'a collection with exact params that are not cached',
      [
        { op: 'refresh_collection', name: 'tickets', params: { page: 1 } },
        { op: 'refresh', kind: 'collection', name: 'tickets', params: { page: 1 } },
        { op: 'refresh', name: 'tickets', params: { page: 1 } },
      ],
      [],
    ],
    [
      'a collection with params that its entries contain',
      [{ op: 'refresh_collection', name: 'tickets', params: { page: 1 }, params_mode: 'contains' }],
      onePage,
    ],
    [
      'an item',
      [
        { op: 'refresh_item', name: 'ticket', id: 7 },
        { op: 'refresh', kind: 'item', name: 'ticket', id: 7 },
        { op: 'refresh', kind: 'item', name: 'ticket', id: 7, level: 'default' },
        { op: 'refresh', name: 'ticket', id: 7 },
        { op: 'invalidate', targets: [{ op: 'refresh_item', name: 'ticket', id: 7 }] },
      ],
      ['ticket 7'],
    ],
    [
      'an item whose id is a string',
      [
        { op: 'refresh_item', name: 'ticket', id: 'seven' },
        { op: 'refresh', kind: 'item', name: 'ticket', id: 'seven' },
      ],
      ['ticket seven'],
    ],
    [
      'an item at a level',
      [
        { op: 'refresh_item', name: 'doc', id: 7, level: 'full' },
        { op: 'refresh', kind: 'item', name: 'doc', id: 7, level: 'full' },
      ],
      ['doc 7 full'],
    ],
    ['an item with an inline result', [{ op: 'refresh_item', name: 'ticket', id: 7, result: { id: 7 } }], []],
    [
      'a collection with an inline result',
      [{ op: 'refresh_collection', name: 'tickets', params: {}, result: { ids: [1] } }],
      [],
    ],
  ])('refetch the same entries, with and without metadata: %s', async (_title, directives, calls) => {
    for (const directive of directives) {
      const isOfClient = directive['op'] === 'refresh';
      for (const more of [{}, isOfClient ? clientMetadata : metadata]) {
        const sent = { ...directive, ...more };
        const stage = await cached();
        await apply(stage, sent);
        expect([sent, stage.taken().toSorted()]).toEqual([sent, calls]);
        expect((isOfClient ? clientDirectiveSchema : directiveSchema).safeParse(sent).success).toBe(true);
      }
    }
  });

  it('may be mixed in one list and in one wrapper', async () => {
    const stage = await cached();
    const [legacy, item] = [{ op: 'refresh', name: 'tickets' }, refreshItem('ticket', 7)];
    await apply(stage, legacy, item);
    expect(stage.taken().toSorted()).toEqual(['ticket 7', ...everyPage]);
    const wrapper = { op: 'invalidate', targets: [legacy, item] };
    await apply(stage, wrapper);
    expect(stage.taken().toSorted()).toEqual(['ticket 7', ...everyPage]);
    expect(acceptedDirectiveSchema.safeParse(wrapper).success).toBe(true);
  });

  it('keep unknown fields and those of other directives, which have no effect', async () => {
    const stage = await cached();
    const more = { reason: 'payment', trace: { id: 1 } };
    await apply(stage, refreshItem('ticket', 7, { ...more, params: { page: 1 }, params_mode: 'contains' }));
    expect(stage.taken()).toEqual(['ticket 7']);
    expect(stage.of('directive:processed')[0]?.directive).toMatchObject(more);
    await apply(stage, refreshList('tickets', { id: 7, level: 'full' }));
    expect(stage.taken().toSorted()).toEqual(everyPage);
    await apply(stage, { op: 'refresh', name: 'ticket', id: 7, result: { id: 7 } });
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('have a source and an audience that are checked', async () => {
    const stage = await cached();
    for (const directive of [{ op: 'refresh', name: 'tickets' }, refreshList('tickets')]) {
      await apply(stage, { ...directive, source: stage.dl.clientId() }, { ...directive, audience: 'team-1' });
    }
    expect(stage.taken()).toEqual([]);
    expect(reasons(stage)).toEqual(['own-source', 'audience', 'own-source', 'audience']);
  });
});

describe('D-DIR-1 the name of a directive', () => {
  it.each([
    ['of an item if it has an id', { id: 7 }, ['ticket 7']],
    ['of a collection if it has neither kind nor id', {}, ['collection']],
    ['of a collection by its kind', { kind: 'collection' }, ['collection']],
    ['of an item by its kind', { kind: 'item', id: 7 }, ['ticket 7']],
  ])('that a type and a collection share is the name %s', async (_title, more, calls) => {
    const stage = createStage();
    const { dl, hold, item, list } = stage;
    dl.createCollection('ticket', { fetch: () => (stage.calls.push('collection'), { ids: [] }) });
    await hold(
      () => item('ticket', 7),
      () => list('ticket'),
    );
    await apply(stage, { op: 'refresh', name: 'ticket', ...more });
    expect(stage.taken()).toEqual(calls);
  });
});

describe('§2.2 §9 D-DIR-1 the legacy invalidate', () => {
  it.each([
    ['a collection', { kind: 'collection', name: 'tickets' }, ['tickets {"page":1}', 'tickets {}']],
    ['a collection without kind', { name: 'tickets' }, ['tickets {"page":1}', 'tickets {}']],
    ['one params set', { kind: 'collection', name: 'tickets', params: { page: 1 } }, ['tickets {"page":1}']],
    ['an item', { kind: 'item', name: 'ticket', id: 1 }, ['ticket 1']],
    ['an item without kind', { name: 'ticket', id: '2' }, ['ticket 2']],
    ['every item of a type', { kind: 'item', name: 'ticket' }, ['ticket 1', 'ticket 2']],
    ['every item of a type without kind', { name: 'ticket' }, ['ticket 1', 'ticket 2']],
    ['a level of an item', { kind: 'item', name: 'card', id: 7, level: 'head' }, ['card 7 head']],
    ['a level of an item that is not cached', { kind: 'item', name: 'doc', id: 7, level: 'full' }, []],
    ['a level of every item that is not cached', { kind: 'item', name: 'doc', level: 'full' }, []],
  ])(
    'of %s refetches the matching entries that have subscribers, and the others when they are read',
    async (_title, fields, calls) => {
      for (const isWatched of [true, false]) {
        const stage = createStage();
        const { dl, item, list } = stage;
        const reads = [
          () => item('ticket', 1),
          () => item('ticket', 2),
          () => list('tickets'),
          () => list('tickets', { page: 1 }),
          () => item('card', 7, 'head'),
          () => item('card', 7, 'body'),
          () => item('doc', 7),
        ];
        await stage.hold(...reads);
        const refs = reads.map((read) => read());
        if (isWatched) for (const ref of refs) dl.onRefChange(ref, () => undefined);
        void dl.applyDirectives([{ op: 'invalidate', ...fields }]);
        expect(refs.some(({ meta }) => meta.isStale)).toBe(calls.length > 0);
        await stage.sim.advance(1000);
        const refetched = stage.taken().toSorted();
        for (const read of reads) read();
        await stage.sim.advance(100);
        expect([refetched, stage.taken().toSorted()]).toEqual(isWatched ? [calls, []] : [[], calls]);
        expect(Object.keys(dl.getItemRef('doc', 7).meta.levelStamps)).toEqual(['default']);
      }
    },
  );
});

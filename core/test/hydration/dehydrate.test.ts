// The content of a dehydrated state.

import { dehydrate, hydrate } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { createStage, untyped } from '../world.ts';
import { cursor, rendered, stateOf, travelled } from './setup.ts';

describe('D-REACT-10 dehydrate', () => {
  it('returns plain JSON', async () => {
    const { dl } = await rendered();
    const state = dehydrate(dl);
    expect(travelled(state)).toEqual(state);
    expect(state.items.map(({ type, id }) => `${type} ${id}`).toSorted()).toEqual(['doc 7', 'ticket 7']);
    expect(state.collections).toHaveLength(2);
  });

  it('contains ages, not clock times', async () => {
    const { sim, dl } = await rendered({ startAt: Date.UTC(2026, 5, 1) });
    await sim.advance(400);
    const state = dehydrate(dl);
    // Requested at 0 with a response after 10 ms, then dehydrated at 500 ms.
    expect(state.collections.map(({ ageMs }) => ageMs)).toEqual([490, 490]);
    expect(state.items.flatMap(({ payloads }) => payloads.map(({ ageMs }) => ageMs))).toEqual([490, 490]);
    expect(JSON.stringify(state)).not.toContain('2026');
    expect(JSON.stringify(state)).not.toMatch(/1[78]\d{11}/);
  });

  it('contains the payloads of an item in the order of their responses, so the newest wins', async () => {
    const server = createStage({ isBrowser: false });
    server.server.item = (_type, id, level) => ({ id, level });
    await server.hold(() => server.item('card', 7, 'head'));
    await server.hold(() => server.item('card', 7, 'body'));
    await server.hold(() => server.dl.fetchItem('card', 7, 'head', { force: true }));
    const state = stateOf(server);
    expect(state.items[0]?.payloads.map(({ levels }) => levels)).toEqual([['body'], ['head']]);
    const client = createStage();
    hydrate(client.dl, state);
    expect(client.dl.getItemRef('card', 7).data).toEqual({ id: 7, level: 'head' });
  });

  it('leaves out entries and levels that were never fetched or have no response yet', async () => {
    const { dl, sim, hold, item, list } = createStage({ isBrowser: false });
    await hold(() => item('card', 7, 'head'));
    item('card', 7, 'body');
    item('ticket', 7);
    list('tickets');
    dl.getItemRef('ticket', 8);
    dl.getCollectionRef('notes');
    const payload = { levels: ['head'], data: { id: 7, head: 1 }, ageMs: 90 };
    expect(dehydrate(dl)).toEqual({
      v: 1,
      items: [{ type: 'card', id: 7, payloads: [payload] }],
      collections: [],
      cursors: [],
    });
    expect(sim.log).toEqual([]);
    dl.dispose();
  });

  it('contains the cursors of the hub', async () => {
    const { dl } = await rendered();
    expect(dehydrate(dl).cursors).toEqual([]);
    expect(dehydrate(dl, { cursors: [cursor(12)] }).cursors).toEqual([cursor(12)]);
  });

  it('returns a copy in JSON form, so changes to the state do not affect the cache', async () => {
    const { dl, server, hold, item, list: tickets } = createStage({ isBrowser: false });
    server.item = () => ({ at: new Date(0), tags: ['a'], left: undefined });
    await hold(
      () => item('ticket', 7),
      () => tickets('tickets', { page: 1 }),
    );
    const state = dehydrate(dl);
    const data = { at: '1970-01-01T00:00:00.000Z', tags: ['a'] };
    expect(state.items[0]?.payloads[0]?.data).toStrictEqual(data);
    const [list] = state.collections;
    Object.assign(state.items[0]?.payloads[0]?.data ?? {}, { tags: ['b'] });
    Object.assign(list?.ids ?? {}, ['b']);
    Object.assign(list?.params ?? {}, { page: 2 });
    expect(dl.getItemRef('ticket', 7).data).toMatchObject({ tags: ['a'] });
    expect(dl.getCollectionRef('tickets', { params: { page: 1 } }).data).toEqual({ ids: [1], count: 1 });
  });

  it('leaves out items that cannot be serialized and logs each with its error', async () => {
    const { sim, dl, server, hold, item } = createStage({ isBrowser: false });
    server.item = (_type, id) => ({ id, size: id === 7 ? 7n : 8 });
    await hold(
      () => item('ticket', 7),
      () => item('ticket', 8),
    );
    expect(dehydrate(dl).items.map(({ id }) => id)).toEqual([8]);
    expect(sim.log).toMatchObject([
      {
        message: 'left out of a dehydrated state: it has no JSON form',
        detail: { type: 'ticket', id: 7, error: expect.any(TypeError) },
      },
    ]);
  });

  it.each<[unknown, string]>([
    [null, 'the options must be an object, but it is null.'],
    [{ cursor: [] }, 'cursor is not an option. Use one of: cursors.'],
    [{ cursors: 5 }, 'cursors must be a list of { audience, seq }, but it is 5.'],
    [
      { cursors: [cursor(1), { audience: 'b' }] },
      'cursors[1] must be { audience, seq }, but it is an object.',
    ],
  ])('throws a TypeError for the options %o', (options, message) => {
    expect(() => dehydrate(createStage().dl, untyped(options))).toThrow(
      new TypeError(`[edict] dehydrate: ${message}`),
    );
  });
});

// Definitions at runtime: their shape, their registration, and the operations that accept them.

import { describe, expect, it } from 'vitest';
import { createDataLayer, defineCollection, defineItem } from '@edict/core';
import { dehydrate, readDehydrated } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';

interface Ticket {
  id: number;
  title: string;
  body?: string;
}

const ticket = defineItem('ticket', {
  fetch: (id: number): Ticket => ({ id, title: `T${id}` }),
  levels: { full: { fetch: (id): Required<Ticket> => ({ id, title: `T${id}`, body: 'text' }) } },
});
const tickets = defineCollection('tickets', {
  fetch: (params: { page?: number } | undefined) => ({ ids: [params?.page ?? 1] }),
});

function setup(register = [ticket, tickets] as const) {
  const sim = createSimulation({ seed: 1 });
  return { sim, dl: createDataLayer({ env: sim.env, register }) };
}

describe('defineItem and defineCollection', () => {
  it('return frozen definitions', () => {
    const config = { fetch: (id: number) => id };
    const definition = defineItem('count', config);
    expect(definition).toEqual({ kind: 'item', name: 'count', config });
    expect(definition.config).toBe(config);
    expect(Object.isFrozen(definition)).toBe(true);
    expect(tickets).toMatchObject({ kind: 'collection', name: 'tickets' });
    expect(Object.isFrozen(tickets)).toBe(true);
  });

  it('register nothing and check nothing', () => {
    const wrong = defineItem('wrong', { fetch: 1 as never });
    const { dl } = setup();
    expect(Object.keys(dl.state().types)).toEqual(['ticket']);
    expect(() => dl.register(wrong)).toThrow(/"wrong".*fetch.*function.*1/);
    expect(() => dl.register(defineItem('bare', undefined as never))).toThrow(/"bare".*config.*undefined/);
  });
});

describe('register', () => {
  it('registers types and collections', () => {
    const { dl } = setup([] as never);
    dl.register(ticket, tickets);
    expect(dl.state().types).toMatchObject({ ticket: { levels: ['default', 'full'] } });
    expect(dl.state().collections).toMatchObject({ tickets: { refCount: 0 } });
  });

  it('skips a definition that is already registered', () => {
    const { dl } = setup();
    // A check of the config would read `fetch`.
    let checks = 0;
    const config = {
      get fetch() {
        checks += 1;
        return (id: number) => ({ id });
      },
    };
    const counted = defineItem('counted', config);
    dl.register(counted);
    const before = checks;
    dl.register(counted);
    expect(checks).toBe(before);
  });

  it('replaces another definition of the same name and keeps the data', async () => {
    const { sim, dl } = setup();
    const ref = dl.fetchItem(ticket, 7);
    await sim.advance(0);
    expect(ref.data).toEqual({ id: 7, title: 'T7' });
    const renamed = defineItem('ticket', { fetch: (id: number) => ({ id, title: 'new' }) });
    dl.register(renamed);
    expect(dl.getItemRef(ticket, 7)).toBe(ref);
    dl.fetchItem(renamed, 7, null, { force: true });
    await sim.advance(0);
    expect(ref.data).toEqual({ id: 7, title: 'new' });
  });

  it('registers a definition again after another config replaced it', async () => {
    const { sim, dl } = setup();
    dl.createType('ticket', { fetch: (id) => ({ id, title: 'by name' }) });
    dl.register(ticket);
    const ref = dl.fetchItem(ticket, 7);
    await sim.advance(0);
    expect(ref.data).toEqual({ id: 7, title: 'T7' });
  });

  it.each([[undefined], ['ticket'], [{ kind: 'item' }], [{ kind: 'list', name: 'x', config: {} }]])(
    'rejects a value that is not a definition: %j',
    (value) => {
      const { dl } = setup();
      expect(() => dl.register(value as never)).toThrow(/register.*defineItem or defineCollection/);
    },
  );

  it('registers on one data layer only', () => {
    setup();
    const other = setup([] as never).dl;
    expect(() => other.fetchItem(ticket, 7)).toThrow(/"ticket" is not registered.*register/);
    expect(() => other.fetchCollection(tickets)).toThrow(/"tickets" is not registered.*register/);
  });
});

describe('an operation with a definition', () => {
  it('works like the operation with its name', async () => {
    const { sim, dl } = setup();
    expect(dl.getItemRef(ticket, 7)).toBe(dl.getItemRef('ticket', 7));
    expect(dl.fetchItem(ticket, 7, 'full')).toBe(dl.getItemRef('ticket', 7));
    expect(dl.isItemLoading(ticket, 7, 'full')).toBe(true);
    expect(dl.fetchCollection(tickets)).toBe(dl.getCollectionRef('tickets'));
    expect(dl.getCollectionRef(tickets, { params: { page: 2 } })).toBe(
      dl.getCollectionRef('tickets', { params: { page: 2 } }),
    );
    expect(dl.isCollectionLoading(tickets)).toBe(true);
    await sim.advance(0);
    expect(dl.getItemRef(ticket, 7).data?.body).toBe('text');
    void dl.prefetchCollection(tickets, { params: { page: 2 } });
    void dl.prefetchItem(ticket, 8);
    await sim.advance(0);
    expect(dl.getCollectionRef(tickets, { params: { page: 2 } }).data.ids).toEqual([2]);
    expect(dl.getItemRef(ticket, 8).data?.title).toBe('T8');
  });

  it('can read a dehydrated state', async () => {
    const { sim, dl } = setup();
    dl.fetchItem(ticket, 7);
    dl.fetchCollection(tickets, { params: { page: 3 } });
    await sim.advance(0);
    const state = dehydrate(dl);
    expect(readDehydrated(dl, state, { type: ticket, id: 7 })?.data?.title).toBe('T7');
    expect(readDehydrated(dl, state, { type: ticket, id: 7, level: 'full' })).toBe(null);
    expect(readDehydrated(dl, state, { name: tickets, params: { page: 3 } })?.data.ids).toEqual([3]);
    expect(readDehydrated(dl, state, { name: tickets })).toBe(null);
  });
});

it('an object without a name, such as the options of another library, is named instead of the type "undefined"', () => {
  const { dl } = setup();
  const fault = '[edict] the name of a definition must be a string that is not empty, but it is undefined.';
  expect(() => dl.fetchItem({ type: 'ticket', id: 7 } as never, 7)).toThrow(new TypeError(fault));
});

// Valid and invalid responses of the fetch function of an item, and schemas.

import type { StandardSchema } from '@edict/core';
import { describe, expect, it } from 'vitest';
import { createWorld, untyped } from '../world.ts';
import { setup } from './kinds.ts';

const fetch = (id: unknown): object => ({ id });
const schemaOf = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate },
});
const needsTitle = schemaOf((value) =>
  typeof value === 'object' && value !== null && 'title' in value
    ? { value }
    : { issues: [{ message: 'a title is missing', path: ['title'] }] },
);

describe('§2.4 D-FETCH-6 the response for an item', () => {
  it.each<[string, unknown]>([
    ['an object', { id: 1 }],
    ['an array', [1, 2]],
    ['a string', 'text'],
    ['a number', 0],
    ['false', false],
    ['null', null],
  ])('may be any value or null: %s', async (_, payload) => {
    const { dl, item, iso, of } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().answer(payload);
    expect(ref.data).toEqual(payload);
    expect(ref.meta).toMatchObject({ error: null, isLoading: false, isStale: false });
    expect(ref.meta.levelStamps['default']).toBe(iso());
    dl.fetchItem('ticket', 1);
    expect(item.calls).toHaveLength(1);
    expect(of('item:cache-hit').map(({ reason }) => reason)).toEqual(['fresh']);
  });

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [Response.json({ id: 1 }), 'an instance of Response'],
  ])('fails with %o', async (payload, shown) => {
    const { dl, item } = setup();
    const ref = dl.fetchItem('ticket', 1);
    await item.last().answer(payload);
    expect(ref.data).toBeNull();
    expect(ref.meta.error).toBe(
      `[edict] a fetch of "ticket" must return parsed data or null, or throw, but it is ${shown}.`,
    );
  });
});

describe('D-REG-3 schema', () => {
  it('turns a payload of the default level that fails validation into a fetch error', async () => {
    const { dl, held } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch, schema: needsTitle });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    expect(ref.data).toBeNull();
    expect(ref.meta.error).toBe(
      '[edict] A payload of "ticket" does not fit its schema: title: a title is missing',
    );
    dl.fetchItem('ticket', 1, null, { force: true });
    await one.last().answer({ id: 1, title: 'a' });
    expect(ref.data).toEqual({ id: 1, title: 'a' });
    expect(ref.meta.error).toBeNull();
  });

  it('that returns nothing is named in the error', async () => {
    const { dl, held } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch, schema: schemaOf(untyped(() => undefined)) });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    expect(ref.meta.error).toBe(
      `[edict] A payload of "ticket": the schema's result must be an object, but it is undefined.`,
    );
  });

  it('can be set for a single level', async () => {
    const { dl, held } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch, levels: { full: { fetch: one.fetch, schema: needsTitle } } });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    expect(ref.meta.error).toBeNull();
    dl.fetchItem('ticket', 1, 'full');
    await one.last().answer({ id: 1 });
    expect(ref.meta.failedLevels).toEqual({ full: true });
    expect(ref.data).toEqual({ id: 1 });
  });

  it.each([false, true])('validates the result of a collection (asynchronously: %s)', async (isAsync) => {
    const { dl, held } = createWorld();
    const list = held();
    const validate = (value: unknown) =>
      (value as { ids: unknown[] }).ids.every((id) => typeof id === 'number')
        ? { value }
        : { issues: [{ message: 'ids are numbers', path: [{ key: 'ids' }, 0] }] };
    const schema = schemaOf(isAsync ? async (value) => validate(value) : validate);
    dl.createCollection('tickets', { fetch: list.fetch, schema });
    const ref = dl.fetchCollection('tickets');
    await list.last().answer({ ids: ['a'] });
    expect(ref.meta.error).toBe(
      '[edict] A payload of "tickets" does not fit its schema: ids.0: ids are numbers',
    );
    dl.fetchCollection('tickets', { force: true });
    await list.last().answer({ ids: [1] });
    expect(ref.data.ids).toEqual([1]);
  });

  it.each<[string, StandardSchema['~standard']['validate'], RegExp | null]>([
    ['one that accepts asynchronously', async (value) => ({ value }), null],
    [
      'one that accepts with a thenable that is not a native promise',
      // oxlint-disable-next-line unicorn/no-thenable -- like the promises of other libraries
      (value) => ({ then: (tell: (yes: unknown) => void) => tell({ value }) }) as never,
      null,
    ],
    ['one that finds issues asynchronously', async () => ({ issues: [{ message: 'late no' }] }), /late no/],
    [
      'one that throws',
      () => {
        throw new Error('broken schema');
      },
      /broken schema/,
    ],
    ['one whose promise rejects', () => Promise.reject(new Error('broken later')), /broken later/],
  ])('can be any Standard Schema: %s', async (_, validate, error) => {
    const { dl, held } = createWorld();
    const one = held();
    dl.createType('ticket', { fetch: one.fetch, schema: schemaOf(validate) });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ id: 1 });
    if (error === null) expect(ref).toMatchObject({ data: { id: 1 }, meta: { error: null } });
    else expect(ref.meta.error).toMatch(error);
    expect(ref.meta.isLoading).toBe(false);
  });

  it('can be a function, as in some libraries', async () => {
    const { dl, rest } = createWorld();
    dl.createType('ticket', { fetch, schema: Object.assign(() => undefined, needsTitle) });
    const ref = dl.fetchItem('ticket', 1);
    await rest();
    expect(ref.meta.error).toMatch(/a title is missing/);
  });

  it('of a type validates only its default level', async () => {
    const { dl, rest } = createWorld();
    dl.createType('ticket', { fetch, schema: needsTitle, levels: { count: { fetch: () => 7 } } });
    const ref = dl.fetchItem('ticket', 1, 'count');
    await rest();
    expect(ref).toMatchObject({ data: 7, meta: { error: null } });
  });

  it('is ignored if it accepts a response after timeoutMs', async () => {
    const { dl, sim, of } = createWorld();
    const schema = schemaOf((value) => sim.sleep(500).then(() => ({ value })));
    dl.createType('ticket', { fetch, schema, timeoutMs: 100 });
    const ref = dl.fetchItem('ticket', 1);
    await sim.advance(1000);
    expect([ref.data, of('item:fetch:complete').length]).toEqual([null, 1]);
  });

  it.each([
    ['', needsTitle],
    [' asynchronously', schemaOf(async (value) => needsTitle['~standard'].validate(value))],
  ])('fails only the invalid items of a batch%s, which is not repeated', async (_title, schema) => {
    const { dl, held, rest } = createWorld();
    const many = held();
    dl.createType('ticket', { fetch, bulkFetch: many.bulkFetch, schema, retry: 1 });
    const refs = [1, 2].map((id) => dl.fetchItem('ticket', id));
    await rest();
    await many.last().answer([{ id: 1 }, { id: 2, title: 'b' }]);
    expect(refs[0]?.meta.error).toMatch(/a title is missing/);
    expect(refs[1]).toMatchObject({ data: { id: 2, title: 'b' }, meta: { error: null } });
  });
});

// The merge of the levels of an item.

import { dehydrate, hydrate, readDehydrated } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import { setup } from './setup.ts';

describe('levels of different ages', () => {
  it.each([[{}], [{ full: ['default'] }]])(
    'D-REACT-10 are merged in the same order before and after hydration, with conversions %j',
    async (levelConversionMap) => {
      const sim = createSimulation();
      let title = 'old';
      const config = {
        fetch: () => ({ title }),
        levels: { full: { fetch: () => ({ title, body: 'text' }) } },
        levelConversionMap,
      };
      const server = sim.createDataLayer({ sse: { enabled: false } });
      server.createType('ticket', config);
      server.fetchItem('ticket', 1);
      await sim.advance(10);
      server.fetchItem('ticket', 1, 'full');
      await sim.advance(10);
      title = 'new';
      server.fetchItem('ticket', 1, 'default', { force: true });
      await sim.settled();
      const state = dehydrate(server);
      const client = sim.createDataLayer({ sse: { enabled: false } });
      client.createType('ticket', config);
      hydrate(client, state);
      const whole = { title: 'new', body: 'text' };
      expect(server.getItemRef('ticket', 1).data).toEqual(whole);
      expect(client.getItemRef('ticket', 1).data).toEqual(whole);
      expect(readDehydrated(client, state, { type: 'ticket', id: 1 })?.data).toEqual(whole);
    },
  );
});

describe('D-LEVEL-1 merging', () => {
  it('data is the shallow merge of the cached payloads from oldest to newest', async () => {
    const { load, ref } = setup(['a', 'b']);
    await load('a', { id: 1, name: 'of a', x: { a: 1 } });
    await load('b', { id: 1, name: 'of b', x: { b: 1 } });
    expect(ref().data).toEqual({ id: 1, name: 'of b', x: { b: 1 } });
    await load('a', { id: 1, name: 'of a again' }, true);
    expect(ref().data).toEqual({ id: 1, name: 'of a again', x: { b: 1 } });
  });

  it('a field that the server dropped disappears when the level is fetched again', async () => {
    const { load, ref } = setup([]);
    await load('default', { id: 1, old: true });
    await load('default', { id: 1 }, true);
    expect(ref().data).toEqual({ id: 1 });
    expect(Object.keys(ref().data as object)).toEqual(['id']);
  });

  it('a dropped field stays if another level still has it', async () => {
    const { load, ref } = setup(['a']);
    await load('a', { id: 1, title: 'of a' });
    await load('default', { id: 1, title: 'newer', extra: 1 });
    await load('default', { id: 1 }, true);
    expect(ref().data).toEqual({ id: 1, title: 'of a' });
  });

  it('a new payload replaces the payloads of the levels that it converts to', async () => {
    const { load, ref } = setup(['brief', 'full'], { full: ['brief'] });
    await load('brief', { id: 1, old: true });
    await load('full', { id: 1, body: 'b' });
    expect(ref().data).toEqual({ id: 1, body: 'b' });
    await load('full', { id: 1 }, true);
    expect(ref().data).toEqual({ id: 1 });
  });

  it('a level fetched after the level it was derived from overrides its own fields and keeps the rest', async () => {
    const { load, ref } = setup(['brief', 'full'], { full: ['brief'] });
    await load('full', { id: 1, title: 'of full', body: 'b' });
    await load('brief', { id: 1, title: 'of brief' }, true);
    expect(ref().data).toEqual({ id: 1, title: 'of brief', body: 'b' });
  });

  class Doc {
    readonly title = 'an instance';
  }
  const instance = new Doc();
  it.each<[string, unknown, unknown]>([
    ['a list over an object', { a: 1 }, [1]],
    ['an object over a list', [1], { a: 1 }],
    ['a string over an object', { a: 1 }, 'text'],
    ['a number over a string', 'text', 7],
    ['null over an object', { a: 1 }, null],
    ['an object over null', null, { a: 1 }],
    ['an instance over an object', { a: 1 }, instance],
  ])(
    'payloads that are not plain objects are not merged and the newest wins: %s',
    async (_, older, newer) => {
      const { load, ref } = setup(['a']);
      await load('a', older);
      await load('default', newer);
      expect(ref().data).toEqual(newer);
    },
  );

  it('a merge does not mutate the object that the fetch function returned', async () => {
    const { load, ref } = setup(['a']);
    const own = Object.freeze({ id: 1, list: Object.freeze([1]) });
    await load('a', own);
    await load('default', { id: 2 });
    expect(own).toEqual({ id: 1, list: [1] });
    expect(ref().data).toEqual({ id: 2, list: [1] });
  });

  it('fields named like members of Object.prototype are plain data', async () => {
    const { load, ref } = setup(['a']);
    await load('a', JSON.parse('{"__proto__":{"polluted":1},"constructor":2}'));
    await load('default', { id: 1 });
    const data = ref().data as Record<string, unknown>;
    expect(data['polluted']).toBeUndefined();
    expect(data['constructor']).toBe(2);
    expect(Object.getOwnPropertyDescriptor(data, '__proto__')?.value).toEqual({ polluted: 1 });
  });
});

it('the data of an item is null until one of its levels has arrived', () => {
  const { read, ref } = setup(['full']);
  read();
  read('full');
  expect(ref().data).toBeNull();
});

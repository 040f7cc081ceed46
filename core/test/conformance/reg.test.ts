// Registration and configuration.

import { describe, expect, it } from 'vitest';
import type { Id, InitOptions } from '@edict/core';
import { refreshItem } from '../directives.ts';
import { createWorld } from '../world.ts';

describe('D-REG-3 options of bulk', () => {
  function bulkWorld(bulk: InitOptions['bulk'] = {}, random?: () => number) {
    const world = createWorld({
      init: { bulk },
      ...(random === undefined ? {} : { env: () => ({ random }) }),
    });
    const batches: Id[][] = [];
    const singles: Id[] = [];
    world.dl.createType('ticket', {
      fetch: (id) => (singles.push(id), { id }),
      bulkFetch: (ids) => (batches.push(ids), ids.map((id) => ({ id }))),
    });
    const read = (count: number, from = 0) => {
      for (let id = from; id < from + count; id += 1) world.dl.fetchItem('ticket', id);
    };
    return { ...world, batches, singles, read };
  }

  it.each<[string, InitOptions['bulk'], number, number[], number]>([
    ['of 100 by default: 100 reads are one batch', {}, 100, [100], 0],
    ['of 100 by default: the last of 101 reads is fetched singly', {}, 101, [100], 1],
    ['of 100 by default: 102 reads are two batches', {}, 102, [100, 2], 0],
    ['of 3: two reads are one batch', { maxBatchSize: 3 }, 2, [2], 0],
    ['of 3: eight reads are three batches', { maxBatchSize: 3 }, 8, [3, 3, 2], 0],
    ['of 1: no batch is sent', { maxBatchSize: 1 }, 3, [], 3],
  ])('maxBatchSize %s', async (_, bulk, count, sizes, single) => {
    const { batches, singles, read, rest } = bulkWorld(bulk);
    read(count);
    await rest();
    expect(batches.map(({ length }) => length)).toEqual(sizes);
    expect(singles).toHaveLength(single);
  });

  it("refetch: 'watched' with a read of one level does not fetch another level that is stale", async () => {
    const { dl, sim } = createWorld({ init: { bulk: { refetch: 'watched' } } });
    const asked: string[] = [];
    const fetch = (_: Id, { level }: { level: string }): object => (asked.push(level), {});
    dl.createType('doc', {
      fetch,
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch }, brief: { fetch, checkIfExists: () => false } },
    });
    dl.fetchItem('doc', 1, 'brief');
    dl.fetchItem('doc', 1, 'full');
    await sim.advance(100);
    void dl.applyDirectives([refreshItem('doc', 1)]);
    await sim.advance(100);
    dl.fetchItem('doc', 1, 'full');
    await sim.advance(100);
    expect(asked).toEqual(['brief', 'full', 'full']);
  });

  it('readWindowMs collects reads and starts with the first one', async () => {
    const { batches, read, sim } = bulkWorld({ readWindowMs: 20 });
    read(1, 0);
    await sim.advance(19);
    read(1, 1);
    expect(batches).toEqual([]);
    await sim.advance(1);
    expect(batches).toEqual([[0, 1]]);
    read(2, 2);
    await sim.advance(20);
    expect(batches[1]).toEqual([2, 3]);
  });

  it.each<[string, InitOptions['bulk'], Id[]]>([
    ['held by default: entries without subscribers are refetched too', {}, [0, 1]],
    ['held', { refetch: 'held' }, [0, 1]],
    ['watched: entries without subscribers are only marked stale', { refetch: 'watched' }, [1]],
  ])('refetch is %s', async (_, bulk, refetched) => {
    const { dl, singles, batches, sim } = bulkWorld(bulk);
    const refs = [0, 1].map((id) => dl.fetchItem('ticket', id));
    await sim.advance(0);
    singles.length = batches.length = 0;
    dl.onRefChange(refs[1]!, () => undefined);
    void dl.applyDirectives([refreshItem('ticket', 0), refreshItem('ticket', 1)]);
    expect(refs.map(({ meta }) => meta.isStale)).toEqual([true, true]);
    await sim.advance(1000);
    expect([...batches.flat(), ...singles]).toEqual(refetched);
    expect(refs[0]?.meta.isStale).toBe(refetched.length === 1);
  });

  it('refetch: watched refetches an entry without subscribers when it is read', async () => {
    const { dl, singles, sim } = bulkWorld({ refetch: 'watched' });
    dl.fetchItem('ticket', 0);
    await sim.advance(0);
    void dl.applyDirectives([refreshItem('ticket', 0)]);
    await sim.advance(1000);
    dl.fetchItem('ticket', 0);
    await sim.advance(0);
    expect(singles).toEqual([0, 0]);
  });

  it('delayMs is 50 and maxBatchSize is 100 by default', () => {
    expect(bulkWorld().dl.state().bulk).toMatchObject({ delayMs: 50, maxBatchSize: 100 });
  });
});

describe('D-REG-3 options of the stream and of fetch', () => {
  const streamRequests = ({ sim }: ReturnType<typeof createWorld>) =>
    sim.requests.filter(({ isStream }) => isStream);

  it('sse.baseUrl is prepended to the url, as is needed outside a browser', async () => {
    const world = createWorld({
      isBrowser: false,
      init: { sse: { enabled: true, baseUrl: 'https://app.test' } },
    });
    await world.rest();
    expect(streamRequests(world)[0]?.url.href).toMatch(/^https:\/\/app\.test\/api\/events\?/);
  });

  it.each<[string, NonNullable<InitOptions['sse']>['headers']]>([
    ['an object', { Authorization: 'Bearer 1' }],
    ['a function', () => ({ Authorization: 'Bearer 1' })],
    ['an async function', async () => ({ Authorization: 'Bearer 1' })],
  ])('sse.headers can be %s', async (_, headers) => {
    const world = createWorld({ init: { sse: { enabled: true, headers: headers! } } });
    await world.rest();
    expect(streamRequests(world)[0]?.headers.get('authorization')).toBe('Bearer 1');
  });

  it.each<[string, InitOptions, boolean]>([
    ['of another origin by default', {}, false],
    ['of a listed origin', { fetchOrigins: ['https://api.test'] }, true],
    ['of an origin that is not listed', { fetchOrigins: ['https://other.test'] }, false],
  ])('fetchOrigins controls whether headers are sent to a server %s', async (_, init, isSent) => {
    const sent: Headers[] = [];
    const { dl } = createWorld({
      init,
      env: () => ({
        fetch: async (input, options) => {
          sent.push(new Request(input, options).headers);
          return new Response('{}');
        },
      }),
    });
    await dl.fetch('https://api.test/tickets', { method: 'POST' });
    expect(sent[0]?.get('x-service-client-id')).toBe(isSent ? dl.clientId() : null);
    expect(sent[0]?.has('x-service-directive-request')).toBe(isSent);
  });
});

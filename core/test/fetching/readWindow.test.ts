// Reads that share one bulkFetch request.

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createStage } from '../world.ts';

describe('D-DIR-7 reads', () => {
  it('in one task share one bulkFetch request', async () => {
    const { sim, item, taken } = createStage();
    const refs = Array.from({ length: 100 }, (_, id) => item('note', id));
    expect(refs.every(({ meta }) => meta.isLoading)).toBe(true);
    await sim.advance(100);
    expect(taken()).toEqual([`note ${Array.from({ length: 100 }, (_, id) => id).join(',')}`]);
    expect(refs.every(({ data }) => data !== null)).toBe(true);
  });

  it.each([
    ['of 100 by default: 100 reads are one batch', {}, 100, [100]],
    ['of 100 by default: the last of 101 reads is fetched singly', {}, 101, [100, 'direct']],
    ['of 100 by default: 102 reads are two batches', {}, 102, [100, 2]],
    ['of 3: two reads are one batch', { maxBatchSize: 3 }, 2, [2]],
    ['of 3: eight reads are three batches', { maxBatchSize: 3 }, 8, [3, 3, 2]],
    ['of 1: no batch is sent', { maxBatchSize: 1 }, 3, ['direct', 'direct', 'direct']],
  ])('D-REG-3 have a maxBatchSize %s', async (_, bulk, count, sizes) => {
    const { sim, dl } = createStage({ init: { bulk } });
    const requests: unknown[] = [];
    dl.createType('card', {
      fetch: (id) => (requests.push('direct'), { id }),
      bulkFetch: (ids) => (requests.push(ids.length), ids.map((id) => ({ id }))),
    });
    for (let id = 0; id < count; id += 1) dl.fetchItem('card', id);
    await sim.advance(100);
    expect(requests).toEqual(sizes);
  });

  it('D-REG-3 share a request within readWindowMs of the first one', async () => {
    const { sim, item, taken } = createStage({ init: { bulk: { readWindowMs: 20 } } });
    item('note', 0);
    await sim.advance(19);
    item('note', 1);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 0,1']);
    item('note', 2);
    item('note', 3);
    await sim.advance(20);
    expect(taken()).toEqual(['note 2,3']);
  });

  it('in different tasks are sent in different requests', async () => {
    const { sim, item, taken } = createStage();
    item('note', 1);
    item('note', 2);
    await sim.advance(0);
    item('note', 3);
    item('note', 4);
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2', 'note 3,4']);
  });

  it('are sent when the task ends, without a timer', async () => {
    const { item, sim, taken } = createStage();
    item('note', 1);
    item('note', 2);
    expect(taken()).toEqual([]);
    await Promise.resolve();
    expect(taken()).toEqual(['note 1,2']);
    await sim.advance(100);
  });

  it('D-FETCH-5 stay loading when their request also serves a silent read', async () => {
    const { dl, sim, calls } = createStage();
    const [full, brief] = [{ full: 1 }, { brief: 1 }];
    dl.createType('page', {
      fetch: () => full,
      bulkFetch: async (ids, level) => {
        calls.push(`page ${ids.join()} ${level}`);
        await sim.sleep(10);
        return ids.map((id) => ({ id }));
      },
      levelConversionMap: { full: ['brief'] },
      levels: { full: { fetch: () => full }, brief: { fetch: () => brief } },
    });
    const refs = [1, 2].map((id) => {
      dl.fetchItem('page', id, 'brief', { silent: true });
      return dl.fetchItem('page', id, 'full');
    });
    await sim.advance(5);
    expect(calls).toEqual(['page 1,2 full']);
    expect(refs.map(({ meta }) => meta.isLoading)).toEqual([true, true]);
    await sim.advance(100);
  });

  it.each([
    ['a forced read is forced', [{ force: true }], true, true],
    ['a read is loading', [{}], true, false],
    ['a silent read is not loading', [{ silent: true }], false, false],
    ['a silent read leaves an earlier read loading', [{}, { silent: true }], true, false],
    ['a read makes an earlier silent read loading', [{ silent: true }, {}], true, false],
    ['two silent reads stay silent', [{ silent: true }, { silent: true }], false, false],
    ['a forced read forces an earlier read', [{ silent: true }, { silent: true, force: true }], false, true],
    ['an ordinary read leaves an earlier forced read forced', [{ force: true }, {}], true, true],
    ['a read makes an earlier silent, forced read loading', [{ force: true, silent: true }, {}], true, true],
  ])(
    'D-FETCH-5 of one entry wait for their window and share a request: %s',
    async (_title, reads, isLoading, force) => {
      const { dl, sim, calls, contexts } = createStage({ init: { bulk: { readWindowMs: 20 } } });
      const ref = dl.getItemRef('note', 1);
      for (const options of reads) dl.fetchItem('note', 1, null, options);
      expect(ref.meta.isLoading).toBe(isLoading);
      expect([dl.isItemLoading('note', 1), dl.hasAnyInFlightRequests()]).toEqual([true, true]);
      await sim.advance(19);
      expect(calls).toEqual([]);
      await sim.advance(1);
      expect(ref.meta.isLoading).toBe(isLoading);
      expect(contexts[0]?.force).toBe(force);
      await sim.advance(100);
      expect(calls).toEqual(['note 1']);
      expect([ref.meta.isLoading, dl.hasAnyInFlightRequests()]).toEqual([false, false]);
    },
  );

  it('that are forced are sent even when an inline result arrives first', async () => {
    const { dl, sim, item, taken } = createStage();
    item('note', 1);
    dl.fetchItem('note', 1, null, { force: true });
    void dl.applyDirectives([refreshItem('note', 1, { result: { id: 1, title: 'inline' } })]);
    await sim.advance(100);
    expect(taken()).toEqual(['note 1']);
  });

  it('D-DIR-5 a directive for an entry in the read window is served by the request of that window', async () => {
    const { dl, sim, hold, item, taken, contexts } = createStage();
    await hold(() => item('note', 1));
    await sim.advance(20_000);
    const ref = dl.fetchItem('note', 1, null, { silent: true });
    expect(ref.meta.isLoading).toBe(false);
    void dl.applyDirectives([refreshItem('note', 1)]);
    expect(ref.meta.isLoading).toBe(true);
    expect(dl.state().bulk.pending).toBe(0);
    await sim.advance(0);
    expect(taken()).toEqual(['note 1']);
    expect(contexts.at(-1)?.force).toBe(true);
    await sim.advance(1000);
    expect(taken()).toEqual([]);
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('without bulkFetch start their requests immediately', () => {
    const { item, list, calls } = createStage({
      init: { bulk: { readWindowMs: 20 } },
    });
    item('ticket', 1);
    expect(calls).toEqual(['ticket 1']);
    list('tickets');
    expect(calls).toEqual(['ticket 1', 'tickets {}']);
  });

  it('that are forced share one request too', async () => {
    const { sim, dl, hold, item, taken } = createStage();
    await hold(
      () => item('note', 1),
      () => item('note', 2),
    );
    dl.fetchItem('note', 1, null, { force: true });
    dl.fetchItem('note', 2, null, { force: true });
    await sim.advance(100);
    expect(taken()).toEqual(['note 1,2']);
  });
});

// Specification §5, §7 and §9: audiences, errors and the two directive shapes. §8 is tested with each limit.

import { describe, expect, it } from 'vitest';
import { refreshList } from '../directives.ts';
import { createStage } from '../world.ts';

const envelope = (seq: number): object => ({
  type: 'directives',
  seq,
  audience: 'global',
  directives: [refreshList('notes')],
});

describe('§5 audiences', () => {
  it.each(['user-7', 'team-7', 'global'])('%s scopes the delivery of directives', async (audience) => {
    const stage = createStage({ init: { sse: { audience } } });
    await stage.hold(() => stage.list('tickets'));
    for (const other of ['user-7', 'team-7', 'global'].filter((each) => each !== audience)) {
      stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { audience: other });
    }
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { audience });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    stage.dl.dispose();
  });
});

describe('§7 errors', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('at once');
      },
    ],
    ['rejects', () => Promise.reject(new Error('at once'))],
  ])('1 a fetch function that %s immediately sets meta.error', async (_title, fetch) => {
    const { sim, dl } = createStage();
    dl.createType('odd', { fetch });
    dl.createCollection('odds', { fetch: fetch as () => never }); // It never returns a value.
    const ref = dl.fetchItem('odd', 1);
    const listRef = dl.fetchCollection('odds');
    await sim.advance(0);
    expect([ref.meta.error, listRef.meta.error]).toEqual(['at once', 'at once']);
  });

  it('3 a stream failure emits sse:error and reconnects with backoff', async () => {
    const { sim, dl, of } = createStage({ init: { sse: { connectOnInit: false, retryJitter: 0 } } });
    sim.hub.refuse({ status: 500 });
    dl.connectSse();
    await sim.advance(20_000);
    expect(of('sse:error').map(({ retryInMs }) => retryInMs)).toEqual([2000, 4000, 8000, 16_000]);
    sim.hub.accept();
    await sim.advance(16_000);
    expect(dl.state().sse.connected).toBe(true);
    dl.dispose();
  });

  it('4 a resync refetches fresh entries with a subscriber and marks the others stale', async () => {
    const stage = createStage();
    await stage.hold(
      () => stage.list('tickets'),
      () => stage.list('tickets', { page: 1 }),
    );
    stage.dl.onRefChange(stage.dl.getCollectionRef('tickets'), () => undefined);
    stage.dl.ingestEnvelope(envelope(1));
    stage.dl.ingestEnvelope(envelope(3));
    await stage.sim.advance(3600);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.dl.getCollectionRef('tickets', { params: { page: 1 } }).meta.isStale).toBe(true);
    stage.list('tickets', { page: 1 });
    expect(stage.taken()).toEqual(['tickets {"page":1}']);
  });
});

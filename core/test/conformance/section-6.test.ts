// Specification §6.2: the order of lifecycle events. fetch.test.ts tests their fields, stream/connection.test.ts tests §6.1.

import { describe, expect, it } from 'vitest';
import type { LifecycleEvent } from '@edict/core';
import { refreshItem, refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';

const names = ({ events }: Stage): LifecycleEvent[] => events.map(({ event }) => event);

describe('§6.2 collection events', () => {
  it('intent is emitted before the fetch function is called, success after the data is set', async () => {
    const stage = createStage();
    const order: unknown[] = [];
    stage.dl.onLifecycle('collection:fetch:intent', () => order.push(stage.calls.length));
    stage.dl.onLifecycle('collection:fetch:success', () =>
      order.push(stage.dl.getCollectionRef('tickets').data.ids),
    );
    stage.list('tickets');
    await stage.sim.advance(100);
    expect(order).toEqual([0, [1]]);
  });

  it('force is true for a forced fetch', async () => {
    const stage = createStage();
    await stage.hold(() => stage.list('tickets'));
    stage.dl.fetchCollection('tickets', { force: true });
    await stage.sim.advance(100);
    void stage.dl.applyDirectives([refreshList('tickets')]);
    await stage.sim.advance(100);
    expect(stage.of('collection:fetch:intent').map(({ force }) => force)).toEqual([true, true]);
  });
});

describe('§6.2 directive events', () => {
  it('directive:received contains the list, the audience and the source', () => {
    const stage = createStage();
    const list = [refreshList('tickets'), refreshItem('ticket', 7)];
    void stage.dl.applyDirectives(list);
    stage.dl.ingestEnvelope({
      type: 'directives',
      seq: 1,
      audience: 'global',
      source: 'c9',
      directives: list,
    });
    expect(stage.of('directive:received')).toEqual([
      { directives: list, audience: null, source: null },
      { directives: list, audience: 'global', source: 'c9' },
    ]);
  });

  it('directive:processed is emitted for each directive after directive:received', () => {
    const stage = createStage();
    const list = [refreshList('tickets'), refreshItem('ticket', 7)];
    void stage.dl.applyDirectives(list);
    expect(names(stage)).toEqual(['directive:received', 'directive:processed', 'directive:processed']);
    expect(stage.of('directive:processed').map(({ directive }) => directive)).toEqual(list);
    expect(stage.of('directive:processed').every((detail) => !('kind' in detail))).toBe(true);
  });
});

describe('§6.2 subscribing', () => {
  it('a callback may read, apply directives and unsubscribe itself', async () => {
    const stage = createStage();
    const stop = stage.dl.onLifecycle('item:fetch:success', () => {
      stop();
      stage.list('tickets');
      void stage.dl.applyDirectives([refreshItem('ticket', 7)]);
    });
    stage.item('ticket', 7);
    await stage.sim.advance(200);
    expect(stage.taken()).toEqual(['ticket 7', 'tickets {}', 'ticket 7']);
  });
});

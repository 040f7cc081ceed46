// Lifecycle callbacks: subscribing, unsubscribing, and callbacks that throw.

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createStage } from '../world.ts';

/** A stage, and a record of the callbacks that were called. */
function setup() {
  const stage = createStage();
  const seen: string[] = [];
  const on = (name: string): (() => void) =>
    stage.dl.onLifecycle('item:fetch:intent', () => void seen.push(name));
  return { ...stage, seen, on };
}

describe('D-NAME-4 §4.4 lifecycle callbacks', () => {
  it('receive { event, detail } for a single event and for *', async () => {
    const { dl, sim, item } = createStage();
    const one: unknown[] = [];
    const all: unknown[] = [];
    dl.onLifecycle('item:fetch:intent', (message) => void one.push(message));
    dl.onLifecycle('*', (message) => void all.push(message));
    item('ticket', 1);
    await sim.advance(100);
    const intent = {
      event: 'item:fetch:intent',
      detail: { type: 'ticket', id: 1, level: 'default', qid: expect.any(String) },
    };
    expect(one).toEqual([intent]);
    expect(all).toEqual([
      intent,
      { event: 'item:fetch:success', detail: expect.objectContaining({ strategy: 'direct' }) },
      { event: 'item:fetch:complete', detail: expect.objectContaining({ id: 1 }) },
    ]);
    for (const message of [...one, ...all]) {
      expect(Object.keys(message as object).sort()).toEqual(['detail', 'event']);
    }
  });

  it('are removed by their own unsubscribe function only, which may be called twice', () => {
    const { item, seen, on } = setup();
    const stop = on('a');
    on('b');
    stop();
    on('c');
    stop();
    item('ticket', 1);
    expect(seen).toEqual(['b', 'c']);
  });

  it('are called twice if subscribed twice, until each subscription ends', () => {
    const { dl, item } = createStage();
    let calls = 0;
    const callback = (): void => void (calls += 1);
    const stop = dl.onLifecycle('item:fetch:intent', callback);
    dl.onLifecycle('item:fetch:intent', callback);
    item('ticket', 1);
    expect(calls).toBe(2);
    stop();
    stop();
    item('ticket', 2);
    expect(calls).toBe(3);
  });

  it('are not called after an earlier callback has unsubscribed them', () => {
    const { dl, item, seen, on } = setup();
    dl.onLifecycle('item:fetch:intent', () => stop());
    const stop = on('removed');
    item('ticket', 1);
    expect(seen).toEqual([]);
  });

  it('are still called after another callback threw, and its error is logged with the event', () => {
    const { sim, dl, item, seen, on } = setup();
    dl.onLifecycle('item:fetch:intent', () => {
      throw new Error('not ready');
    });
    on('next');
    expect(() => item('ticket', 1)).not.toThrow();
    expect(seen).toEqual(['next']);
    expect(sim.log).toMatchObject([{ level: 'error', message: 'A listener of "item:fetch:intent" failed.' }]);
  });

  it('§6.2 may read, apply directives and unsubscribe themselves', async () => {
    const { dl, sim, item, list, taken } = createStage();
    const stop = dl.onLifecycle('item:fetch:success', () => {
      stop();
      list('tickets');
      void dl.applyDirectives([refreshItem('ticket', 7)]);
    });
    item('ticket', 7);
    await sim.advance(200);
    expect(taken()).toEqual(['ticket 7', 'tickets {}', 'ticket 7']);
  });
});

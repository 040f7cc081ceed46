// How long the directives in the response of an own mutation wait (`bulk.pullDelayMs`).

import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createStage } from '../world.ts';

async function setup(pullDelayMs?: number) {
  const stage = createStage({ init: { bulk: pullDelayMs === undefined ? {} : { pullDelayMs } } });
  await stage.hold(
    () => stage.item('note', 1),
    () => stage.item('note', 2),
  );
  const apply = (path: 'push' | 'pull', ...ids: number[]): Promise<void> =>
    stage.dl.applyDirectives(
      ids.map((id) => refreshItem('note', id)),
      { path },
    );
  return { ...stage, apply };
}

describe('the directives in the response of an own mutation', () => {
  it('do not wait for the window and share one request', async () => {
    const { sim, apply, taken } = await setup();
    void apply('pull', 1, 2);
    expect(taken()).toEqual([]);
    await sim.advance(0);
    expect(taken()).toEqual(['note 1,2']);
  });

  it('include the waiting refetches of the same entries, and leave other entries in their window', async () => {
    const { sim, apply, taken } = await setup();
    const pushed = apply('push', 1, 2);
    await sim.advance(20);
    void apply('pull', 1);
    await sim.advance(0);
    expect(taken()).toEqual(['note 1']);
    await sim.advance(29);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 2']);
    await sim.advance(20);
    await pushed;
  });

  it('do not close a window that they emptied', async () => {
    const { sim, apply, taken } = await setup();
    void apply('push', 1);
    void apply('pull', 1);
    await sim.advance(30);
    expect(taken()).toEqual(['note 1']);
    void apply('push', 2);
    await sim.advance(20);
    expect(taken()).toEqual(['note 2']);
  });

  it('wait for pullDelayMs', async () => {
    const { sim, apply, taken } = await setup(30);
    void apply('pull', 1);
    await sim.advance(29);
    expect(taken()).toEqual([]);
    await sim.advance(1);
    expect(taken()).toEqual(['note 1']);
  });
});

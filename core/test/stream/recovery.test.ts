// The directives that were emitted while the connection was lost, with a simulated hub.

import { describe, expect, it } from 'vitest';
import { setup } from '../fetching/kinds.ts';

/** A watched ticket on an open stream, which is cut after the first message. `miss` runs while it is cut. */
async function reconnected(miss: (world: ReturnType<typeof setup>) => void) {
  const world = setup({ sse: { enabled: true, retryJitter: 0 } });
  const { dl, sim, item, rest } = world;
  await rest();
  dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
  await item.last().answer({ id: 1 });
  sim.hub.emit([{ op: 'refresh_collection', name: 'other' }]);
  await sim.advance(10);
  sim.link.cut();
  await sim.advance(0);
  expect(dl.state().sse.connected).toBe(false);
  miss(world);
  await sim.advance(10);
  expect(item.calls).toHaveLength(1);
  sim.link.restore();
  await sim.advance(1989);
  expect(dl.state().sse.connected).toBe(false);
  await sim.advance(1);
  expect(dl.state().sse.connected).toBe(true);
  return world;
}

describe('§3 the connection, at its next attempt after the network is back,', () => {
  it('D-SSE-8 applies the directives that the hub replays', async () => {
    const { sim, item, of } = await reconnected(({ sim: { hub } }) =>
      hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]),
    );
    await sim.advance(100);
    expect(item.calls).toHaveLength(2);
    expect(of('sse:gap')).toEqual([]);
  });

  it('D-SSE-9 reports a gap and resyncs if the hub cannot replay them', async () => {
    const { sim, item, of } = await reconnected(({ sim: { hub } }) => hub.lose(2));
    expect(of('sse:gap')).toHaveLength(1);
    await sim.advance(3500);
    expect(of('sse:resync-dispatch')).toHaveLength(1);
    expect(item.calls).toHaveLength(2);
    expect(item.last().ctx.force).toBe(true);
  });
});

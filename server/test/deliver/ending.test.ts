import { describe, expect, it } from 'vitest';
import type { HubOptions } from '../../src/index.ts';
import { serveHttp, subscribe } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { idsOf } from '../support/stream.ts';

/** A hub in simulated time. A middleware holds back the end of each response to a client with an id. */
async function setup(limits: HubOptions['limits']) {
  const simulated = simulate({ limits });
  const { url } = await serveHttp((req, res) => {
    if (req.url?.includes('client_id') === true) res.end = () => res;
    simulated.hub.nodeHandler(req, res);
  });
  const open = async (query = '') => {
    const stream = await subscribe(url, query);
    await stream.atLeast(1);
    return stream;
  };
  return { ...simulated, url, open };
}

describe('a response that does not end', () => {
  it('D-HUB-2 D-HUB-3 receives nothing after its retry, counts for no client, and is destroyed after stallMs', async () => {
    const { hub, open, emit, world, url } = await setup({ maxConnectionsPerClient: 1, maxConnections: 3 });
    const streams = [await open('?client_id=a'), await open('?client_id=a')];
    await streams[0]?.atLeast(2);
    await emit(1);
    await streams[1]?.atLeast(2);
    streams.push(await open('?client_id=a'));
    await streams[1]?.atLeast(3); // It was replaced too.
    expect(streams.map(({ frames }) => idsOf(frames))).toEqual([[], [1], []]);
    expect(streams.map(({ frames }) => typeof frames.at(-1)?.retry)).toEqual(['number', 'number', 'object']);

    await world.advance(59_999);
    expect(hub.metrics()).toMatchObject({ connections: 3, destroyed: 0 });
    await world.advance(1);
    expect(hub.metrics()).toMatchObject({ connections: 1, destroyed: 2 });
    await Promise.all([streams[0]?.ended, streams[1]?.ended]);
    await open();
    await open();
    expect((await fetch(url)).status).toBe(503); // Each stream that ended has made room for one.
  });

  it('D-HUB-6 is destroyed when the hub closes', async () => {
    const { hub, open, world } = await setup({});
    const stream = await open('?client_id=a');
    let isClosed = false;
    const closed = hub.close().then(() => (isClosed = true));
    await world.advance(3999);
    expect(isClosed).toBe(false);
    await world.advance(1);
    await closed;
    await stream.ended;
    expect(hub.metrics()).toMatchObject({ connections: 0, destroyed: 1 });
  });
});

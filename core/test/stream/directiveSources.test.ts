// Custom transports: §4.3.

import { describe, expect, it } from 'vitest';
import { internalsOf } from '@edict/core/internal';
import type { DataLayer, DirectiveSource, DirectiveSourceApi } from '@edict/core';
import { directive, envelope, setup } from './setup.ts';

/** A transport that records its arguments and how often it was disconnected. */
function transport(): DirectiveSource & { apis: DirectiveSourceApi[]; ends: number } {
  return {
    type: 'test',
    apis: [],
    ends: 0,
    connect(api) {
      this.apis.push(api);
      return () => void this.ends++;
    },
  };
}

describe('a custom transport', () => {
  it('§4.3 is connected by init instead of the stream', () => {
    const { dl, world } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    expect(source.apis).toHaveLength(0);
    dl.init();
    expect(source.apis).toMatchObject([{ clientId: dl.clientId() }]);
    expect(world.connections).toHaveLength(0);
  });

  it('§4.3 is connected by configureDirectiveSource after init, which closes the stream', async () => {
    const { opened, dl, of, world } = setup();
    await opened();
    const source = transport();
    dl.configureDirectiveSource(source);
    expect(source.apis).toHaveLength(1);
    expect(of('sse:close')).toEqual([{ reason: 'configure' }]);
    expect(world.last().isAborted()).toBe(true);
  });

  it('§4.3 is disconnected once, by its cleanup function', () => {
    const { dl } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    dl.disconnectDirectiveSource();
    dl.disconnectDirectiveSource();
    dl.dispose();
    expect(source.ends).toBe(1);
  });

  it('§4.3 is connected once, and again after it was disconnected', () => {
    const { dl } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    dl.connectDirectiveSource();
    expect(source.apis).toHaveLength(1);
    dl.disconnectDirectiveSource();
    dl.connectDirectiveSource();
    expect(source.apis).toHaveLength(2);
  });

  it('§4.3 is replaced by another transport', () => {
    const { dl } = setup();
    const [one, two] = [transport(), transport()];
    dl.init();
    dl.configureDirectiveSource(one);
    dl.configureDirectiveSource(two);
    expect([one.ends, two.ends, two.apis.length]).toEqual([1, 0, 1]);
  });

  it('§4.3 is replaced by the stream with null', async () => {
    const { dl, world } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    dl.configureDirectiveSource(null);
    await world.rest();
    expect(source.ends).toBe(1);
    expect(world.connections).toHaveLength(1);
  });

  it('is replaced by a stream that the application connected itself', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    dl.init();
    dl.connectSse();
    await world.rest();
    dl.configureDirectiveSource(transport());
    dl.configureDirectiveSource(null);
    await world.rest();
    expect(world.connections.map((connection) => connection.isAborted())).toEqual([true, false]);
  });

  it('is replaced by a stream that the application connected itself before init', async () => {
    const { dl, sse, world } = setup();
    dl.connectSse();
    await world.rest();
    await world.last().open();
    dl.configureDirectiveSource(transport());
    expect(sse().status).toBe('off');
    dl.configureDirectiveSource(null);
    await world.rest();
    expect(sse().status).toBe('connecting');
  });

  it('leaves the stream off with null if the application never connected it', async () => {
    const { dl, world } = setup({ connectOnInit: false });
    dl.init();
    dl.configureDirectiveSource(transport());
    dl.configureDirectiveSource(null);
    await world.rest();
    expect(world.connections).toHaveLength(0);
  });

  it('§4.3 applies directives and envelopes', async () => {
    const { dl, of, received } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    await source.apis[0]?.applyDirectives([directive(7)]);
    source.apis[0]?.ingestEnvelope(envelope(41));
    expect(received).toEqual([
      { id: 7, audience: null, source: null },
      { id: 41, audience: 'global', source: null },
    ]);
    expect(of('directive:processed')).toHaveLength(2);
  });

  it('§4.3 may filter the directives by their source, as in the specification', async () => {
    const { dl, received } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    const [api] = source.apis;
    for (const [id, from] of [dl.clientId(), 'another'].entries())
      if (from !== api?.clientId) await api?.applyDirectives([directive(id)]);
    expect(received.map(({ id }) => id)).toEqual([1]);
  });

  it('§4.3 has envelopes whose source, audience, and sequence number are checked', () => {
    const { dl, of } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    const [api] = source.apis;
    api?.ingestEnvelope({ ...envelope(1), source: dl.clientId() });
    api?.ingestEnvelope(envelope(1, 'team-1'));
    expect(of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source', 'audience']);
    expect(of('directive:processed')).toEqual([]);
    api?.ingestEnvelope(envelope(2));
    expect(of('directive:processed')).toHaveLength(1);
    expect(of('sse:gap')).toEqual([]);
    api?.ingestEnvelope(envelope(4));
    expect(of('sse:gap')).toEqual([{ audience: 'global', lastSeq: 2, incomingSeq: 4 }]);
  });

  it('§4.3 is exposed to developer tools with its connection state', () => {
    const { dl } = setup();
    expect(internalsOf(dl)?.parts.source.info()).toBeNull();
    dl.configureDirectiveSource(transport());
    expect(internalsOf(dl)?.parts.source.info()).toEqual({ type: 'test', isConnected: false });
    dl.init();
    expect(internalsOf(dl)?.parts.source.info()).toEqual({ type: 'test', isConnected: true });
    dl.disconnectDirectiveSource();
    expect(internalsOf(dl)?.parts.source.info()).toEqual({ type: 'test', isConnected: false });
    dl.configureDirectiveSource(null);
    expect(internalsOf(dl)?.parts.source.info()).toBeNull();
  });

  it('that does not exist can be connected and disconnected without effect', () => {
    const { dl, sse, world } = setup();
    dl.init();
    dl.connectDirectiveSource();
    dl.disconnectDirectiveSource();
    expect(sse().status).toBe('connecting');
    expect(world.sim.log).toEqual([]);
  });

  it('that does not exist is replaced by null without effect on the stream', async () => {
    const { dl, sse, opened } = setup();
    await opened();
    dl.disconnectSse();
    dl.configureDirectiveSource(null);
    expect(sse().status).toBe('off');
  });

  it('is ignored after it was disconnected', async () => {
    const { dl, received } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    dl.disconnectDirectiveSource();
    dl.connectDirectiveSource();
    await source.apis[0]?.applyDirectives([directive(7)]);
    source.apis[0]?.ingestEnvelope(envelope(41));
    expect(received).toEqual([]);
  });

  it('D-SSE-6 starts a new connection with each connect', () => {
    const { dl, of } = setup();
    const source = transport();
    dl.configureDirectiveSource(source);
    dl.init();
    source.apis[0]?.ingestEnvelope(envelope(41));
    source.apis[0]?.ingestEnvelope(envelope(7));
    expect(of('sse:out-of-order')).toHaveLength(1);
    dl.disconnectDirectiveSource();
    dl.connectDirectiveSource();
    source.apis[1]?.ingestEnvelope(envelope(7));
    expect(of('sse:gap')).toMatchObject([{ lastSeq: 41, incomingSeq: 7, reason: 'restart' }]);
  });

  it('that throws while connecting is logged and can be tried again', () => {
    const { dl, world } = setup();
    let calls = 0;
    const connect = (): void => {
      if (++calls === 1) throw new Error('no');
    };
    dl.configureDirectiveSource({ type: 'ws', connect });
    dl.init();
    expect(world.sim.log).toMatchObject([{ level: 'error', message: 'The directive source "ws" failed.' }]);
    dl.connectDirectiveSource();
    expect(calls).toBe(2);
  });

  it('that throws after it was replaced leaves the new transport connected', () => {
    const { dl } = setup();
    let ends = 0;
    dl.init();
    dl.configureDirectiveSource({
      type: 'ws',
      connect() {
        dl.configureDirectiveSource({ type: 'other', connect: () => () => void ends++ });
        throw new Error('no');
      },
    });
    expect(dl.state().sse.status).toBe('off');
    dl.disconnectDirectiveSource();
    expect(ends).toBe(1);
  });

  it('that throws while disconnecting is logged', () => {
    const { dl, world } = setup();
    const end = (): void => {
      throw new Error('no');
    };
    dl.configureDirectiveSource({ type: 'ws', connect: () => end });
    dl.init();
    dl.disconnectDirectiveSource();
    expect(world.sim.log).toMatchObject([{ level: 'error' }]);
  });

  it.each<[title: string, again: (dl: DataLayer) => void]>([
    ['reconnects', (dl) => dl.connectDirectiveSource()],
    ['returns to the stream', (dl) => dl.configureDirectiveSource(null)],
  ])('that %s in its cleanup is still replaced by the new transport', async (_title, again) => {
    const { dl, world } = setup();
    const [restless, next] = [transport(), transport()];
    dl.init();
    dl.configureDirectiveSource({
      type: 'restless',
      connect(api) {
        restless.connect(api);
        return () => again(dl);
      },
    });
    dl.configureDirectiveSource(next);
    await world.rest();
    expect([restless.apis.length, next.apis.length]).toEqual([1, 1]);
    expect(world.connections.every((connection) => connection.isAborted())).toBe(true);
  });

  it('whose connect is asynchronous is logged as an error, because it returns no cleanup function', () => {
    const { dl, world } = setup();
    const connect = (async () => () => undefined) as unknown as () => () => void; // JavaScript code can pass this.
    dl.configureDirectiveSource({ type: 'late', connect });
    dl.init();
    expect(world.sim.log).toMatchObject([
      {
        level: 'error',
        message: 'The directive source "late" failed.',
        detail: new TypeError(
          '[edict] the result of connect must be a function, but it is an instance of Promise.',
        ),
      },
    ]);
  });

  it('that is replaced while it connects is disconnected immediately', () => {
    const { dl } = setup();
    let ends = 0;
    dl.init();
    dl.configureDirectiveSource({
      type: 'ws',
      connect() {
        dl.configureDirectiveSource(null);
        return () => void ends++;
      },
    });
    expect(ends).toBe(1);
  });

  it.each([
    [undefined, 'undefined'],
    [1, '1'],
    [{}, 'an object'],
    [{ type: 'x' }, 'an object'],
    [{ type: 'x', connect: 1 }, 'an object'],
    [{ type: '', connect: () => undefined }, 'an object'],
  ])('that is %j is rejected with a TypeError', (value, given) => {
    const { dl } = setup();
    expect(() => dl.configureDirectiveSource(value as unknown as DirectiveSource)).toThrow(
      `configureDirectiveSource: it must be given { type, connect(api) }, or null to return to the event stream, but it is ${given}`,
    );
  });
});

it('§4.3 a second init does not connect a stream that the application disconnected', async () => {
  const { dl, world } = setup();
  dl.init();
  await world.rest();
  dl.disconnectSse();
  dl.init();
  await world.rest();
  expect(world.connections).toHaveLength(1);
});

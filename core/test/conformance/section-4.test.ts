// Specification §4.1, §4.3, §4.5 and §4.6. §4.4 is tested in api.test.ts.

import { describe, expect, it } from 'vitest';
import type { DirectiveSourceApi } from '@edict/core';
import { refreshList } from '../directives.ts';
import { type Stage, createCachedStage, createStage } from '../world.ts';

async function apply({ dl, sim }: Stage, ...directives: unknown[]): Promise<void> {
  void dl.applyDirectives(directives);
  await sim.advance(100);
}

describe('§4.3 custom transports', () => {
  /** A transport whose messages the test sends. */
  function transport(): {
    source: Parameters<Stage['dl']['configureDirectiveSource']>[0];
    api: () => DirectiveSourceApi;
    log: string[];
  } {
    let given: DirectiveSourceApi | null = null;
    const log: string[] = [];
    return {
      log,
      api: () => {
        if (given === null) throw new Error('not connected');
        return given;
      },
      source: {
        type: 'websocket',
        connect(api) {
          given = api;
          log.push('connect');
          return () => void log.push('cleanup');
        },
      },
    };
  }

  it('a handler that filters by source as in the specification applies only the directives of other clients', async () => {
    const stage = createStage();
    const { source, api } = transport();
    stage.dl.configureDirectiveSource(source);
    await stage.hold(() => stage.list('tickets'));
    const receive = (message: { directives: unknown[]; source: string }): void => {
      if (message.source !== api().clientId) void api().applyDirectives(message.directives);
    };
    receive({ directives: [refreshList('tickets')], source: stage.dl.clientId() });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    receive({ directives: [refreshList('tickets')], source: 'another' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
  });

  it('envelopes of the transport are checked for source, audience and sequence number', async () => {
    const stage = createStage({ init: { sse: { connectOnInit: false } } });
    const { source, api } = transport();
    stage.dl.configureDirectiveSource(source);
    await stage.hold(() => stage.list('tickets'));
    const send = (seq: number, more: object): void =>
      api().ingestEnvelope({
        type: 'directives',
        seq,
        audience: 'global',
        directives: [refreshList('tickets')],
        ...more,
      });
    send(1, { source: stage.dl.clientId() });
    send(1, { audience: 'team-1' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    send(2, {});
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.of('sse:gap')).toEqual([]);
    send(4, {});
    expect(stage.of('sse:gap')).toMatchObject([{ audience: 'global', lastSeq: 2, incomingSeq: 4 }]);
  });

  it('an asynchronous connect is logged as an error because it returns no cleanup function', async () => {
    const { sim, dl } = createStage();
    const connect = (async () => () => undefined) as unknown as () => () => void; // JavaScript code can pass this.
    dl.configureDirectiveSource({ type: 'late', connect });
    expect(sim.log).toMatchObject([
      {
        level: 'error',
        message: 'The directive source "late" failed.',
        detail: new TypeError(
          '[edict] the result of connect must be a function, but it is an instance of Promise.',
        ),
      },
    ]);
  });

  it('configureDirectiveSource(null) without a source leaves the stream unchanged', async () => {
    const { dl, sim } = createStage({ init: { sse: {} } });
    await sim.advance(100);
    dl.disconnectSse();
    dl.configureDirectiveSource(null);
    expect(dl.state().sse.status).toBe('off');
  });

  it('a second init does not undo disconnectSse', async () => {
    const { dl, sim } = createStage({ init: { sse: {} } });
    await sim.advance(100);
    dl.disconnectSse();
    dl.init();
    expect(dl.state().sse.status).toBe('off');
  });

  it('a source that reconnects or returns to the stream in its cleanup is still replaced by the new source', async () => {
    for (const again of ['connect', 'return'] as const) {
      const { dl, sim } = createStage({ init: { sse: {} } });
      const log: string[] = [];
      dl.configureDirectiveSource({
        type: 'restless',
        connect() {
          log.push('connect');
          return () => {
            if (again === 'connect') dl.connectDirectiveSource();
            else dl.configureDirectiveSource(null);
          };
        },
      });
      const second = transport();
      dl.configureDirectiveSource(second.source);
      await sim.advance(100);
      expect(log).toEqual(['connect']);
      expect(second.log).toEqual(['connect']);
      expect(sim.hub.connections()).toHaveLength(0);
      dl.dispose();
    }
  });
});

describe('§4.6 metadata', () => {
  it('timestamp: is not used for ordering and is visible to handlers', async () => {
    const stage = await createCachedStage();
    const directive = refreshList('tickets', { timestamp: 1 });
    await apply(stage, refreshList('tickets', { timestamp: 2 }), directive);
    expect(stage.of('directive:processed')).toHaveLength(2);
    expect(stage.of('directive:processed')[1]?.directive).toEqual(directive);
    expect(stage.of('directive:received')[0]?.directives).toContainEqual(directive);
  });

  it('audience: a directive is delivered only to clients with the audience', async () => {
    const a = await createCachedStage({ init: { sse: { audience: 'team-a' } } });
    const b = createStage({ sim: a.sim, init: { sse: { audience: 'team-b' } } });
    await b.hold(() => b.list('tickets'));
    await a.sim.advance(100);
    a.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { audience: 'team-a' });
    await a.sim.advance(100);
    expect([a.taken(), b.taken()]).toEqual([['tickets {}'], []]);
    a.dl.dispose();
    b.dl.dispose();
  });

  it('audience: the default is global', async () => {
    const stage = await createCachedStage({ init: { sse: {} } });
    expect(stage.dl.state().sse.audience).toBe('global');
    expect(stage.sim.hub.connections()[0]?.audiences).toEqual(['global']);
    stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }]);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    stage.dl.dispose();
  });
});

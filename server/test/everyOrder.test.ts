// Two nodes share a backplane, and a client connects to either one. The test plays every order of the events between a change and
// the update of the screen, with the real data layer and real hubs.

import { createDataLayer, type Env } from '@edict/core';
import { describe, expect, it } from 'vitest';
import {
  answerAll,
  answersTo,
  createRequests,
  playEveryOrder,
  type Stage,
} from '../../core/test/properties/orders.ts';
import type { Backplane } from '../src/log/backplane.ts';
import { createHubWith } from '../src/hub.ts';
import type { Hub } from '../src/index.ts';
import { slowBackplane } from './support/slowBackplane.ts';
import { createWorld } from './support/world.ts';

async function newStage(): Promise<Stage> {
  const world = createWorld();
  const backplane = slowBackplane(world.now);
  const nodes = [backplane.node(), backplane.node()] as const;
  const start = (node: Backplane): Hub => createHubWith(world, { backplane: node, maxAgeMs: 2 ** 31 - 1 });
  const hubs = nodes.map(start);
  const requests = createRequests();
  let title = 1;
  /** Which node the next connection reaches. */
  let at = 0;
  let cut: (() => void) | null = null;

  async function connect(request: Request): Promise<Response> {
    const line = new AbortController();
    cut = () => {
      cut = null;
      line.abort(new TypeError('cut'));
    };
    const signal = AbortSignal.any([line.signal, request.signal]);
    const broken = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as TypeError)),
    );
    const hub = hubs[at++ % 2] as Hub; // There are two hubs.
    const answered = hub.fetchHandler(new Request(request, { signal }));
    const response = await Promise.race([answered, broken]);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    response.body?.pipeTo(writable, { signal }).catch(() => undefined);
    return new Response(readable, response);
  }

  const env: Env = {
    now: world.now,
    setTimeout: world.setTimeout,
    clearTimeout: world.clearTimeout,
    random: world.random,
    newId: world.newId,
    fetch: (input, init) => connect(new Request(input, init)),
    reloadPage: null,
    sessionStore: null,
    page: null,
    origin: () => 'https://app.test',
    log: () => undefined,
  };
  const dl = createDataLayer({ env });
  dl.init({ sse: { baseUrl: 'https://app.test' } });
  dl.createType('doc', {
    stalenessMs: 1e12,
    timeoutMs: 0,
    fetch: (id) => requests.hold(() => ({ id, title })),
  });
  const ref = dl.fetchItem('doc', 1);
  dl.onRefChange(ref, () => undefined);

  await world.drain();

  /** Replaces a node, as a deployment does. */
  function replace(): void {
    const [old] = hubs;
    hubs[0] = start(nodes[0]);
    void old?.close();
  }
  const change = (node: number, isInline: boolean): void => {
    title += 1;
    const result = isInline ? { result: { id: 1, title } } : {};
    hubs[node]?.emit([{ op: 'refresh_item', name: 'doc', id: 1, ...result }]).catch(() => undefined);
  };

  return {
    steps: () => ({
      ...answersTo(requests),
      'one node emits': () => change(0, false),
      'the other emits': () => change(1, false),
      'one node emits, inline': () => change(0, true),
      'the backplane stores': backplane.store ?? false,
      'it stores, unconfirmed': backplane.storeUnconfirmed ?? false,
      'one node hears': nodes[0].hears ?? false,
      'the other hears': nodes[1].hears ?? false,
      'the log is trimmed': backplane.trim,
      'the log is lost': backplane.lose,
      'the stream is cut': cut ?? false,
      'one node is replaced': replace,
      'time goes by': () => world.advance(3000),
    }),
    async take(step) {
      await step();
      await world.drain();
    },
    async settle() {
      for (let calm = 0; calm < 3; calm += 1) {
        for (;;) {
          const next = backplane.store ?? nodes[0].hears ?? nodes[1].hears;
          if (next === null) break;
          next();
          await world.drain();
        }
        await answerAll(requests, world.drain);
        await world.advance(20_000);
      }
    },
    faults() {
      const { data, meta } = ref;
      const shown = (data as { title: number } | null)?.title; // The shape of the server's data.
      return [
        ...(shown === title
          ? []
          : [`shows ${shown} where ${title} is true${meta.isStale ? '' : ', and calls it fresh'}`]),
        ...(meta.isStale ? ['stays stale'] : []),
        ...(meta.isLoading ? ['stays loading'] : []),
        ...(dl.state().sse.connected ? [] : ['is not connected']),
      ];
    },
    async dispose() {
      dl.dispose();
      await Promise.all(hubs.map((hub) => hub.close()));
    },
  };
}

const connected = ['one node hears', 'the first request is answered as it is'];

describe.each<[string, readonly string[]]>([
  ['before the first connection', []],
  ['after a cut before the first admission', ['one node emits', 'the backplane stores', 'the stream is cut']],
  ['while connected', connected],
  ['during a reconnect', [...connected, 'the stream is cut', 'time goes by']],
])('every order of three events, %s', (_, prelude) => {
  it('D-HUB-1 D-HUB-3 D-HUB-7 D-SSE-7 D-SSE-8 ends with the current data on the screen', async () => {
    const { played, wrong } = await playEveryOrder(newStage, prelude, 3);
    expect(wrong).toEqual([]);
    expect(played).toBeGreaterThan(50);
  }, 600_000);
});

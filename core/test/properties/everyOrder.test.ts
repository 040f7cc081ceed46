// One item in two levels, one server that changes it, and every order of the possible steps.

import type { DataLayer, InitOptions } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';
import {
  answerAll,
  answersTo,
  createRequests,
  playEveryOrder,
  type Stage,
  type Step,
  type Steps,
} from './orders.ts';

type Level = 'default' | 'full';

interface Options extends InitOptions {
  isWatched: boolean;
  hasBulk: boolean;
}

const audience = 'global';

function stageOf({ isWatched, hasBulk, ...init }: Options): Stage {
  const sim = createSimulation();
  const dl: DataLayer = sim.createDataLayer({ sse: { enabled: false }, ...init });
  let title = 1;
  let body = 1;
  let seq = 1000;
  const requests = createRequests();
  const { hold } = requests;
  let lost = 0;
  let failed = 0;
  const messages: object[] = [];
  const mutations: { answer: () => void; lose: () => void }[] = [];

  const payload = (level: Level): object => (level === 'full' ? { id: 1, title, body } : { id: 1, title });

  /** A change, and its message in flight. Returns the directives, as the response of a mutation contains them. */
  function write(change: () => object, source: string | null): object[] {
    const key = `key ${++seq}`;
    const directive = { op: 'refresh_item', name: 'doc', id: 1, ...change(), key, seq, audience, source };
    messages.push({ type: 'directives', seq, audience, source, directives: [directive] });
    return [directive];
  }
  const changes = {
    both: () => (title++, body++, {}),
    body: () => (body++, { level: 'full' }),
    inline: () => (title++, { level: 'full', result: payload('full') }),
  };

  sim.route('POST /docs/:change', ({ params }) => {
    const change = changes[params['change'] as keyof typeof changes]; // The tests name no other.
    const directives = write(change, dl.clientId());
    return new Promise((resolve, reject) =>
      mutations.push({ answer: () => resolve({ directives }), lose: () => reject(new Error('lost')) }),
    );
  });
  dl.createType('doc', {
    stalenessMs: 1e12,
    timeoutMs: 0,
    fetch: () => hold(() => payload('default')),
    ...(hasBulk ? { bulkFetch: (ids, level) => hold(() => ids.map(() => payload(level as Level))) } : null),
    levels: { full: { fetch: () => hold(() => payload('full')), levelConversionMap: { full: ['default'] } } },
  });
  const position = (): object => ({ type: 'directives', seq, audience, directives: [] });
  dl.ingestEnvelope(position());
  const ref = dl.getItemRef('doc', 1);
  if (isWatched) dl.onRefChange(ref, () => undefined);

  const mutate = (change: keyof typeof changes): Step => {
    return () => void dl.fetch(`https://app.test/docs/${change}`, { method: 'POST' }).catch(() => undefined);
  };
  const steps = (): Steps => ({
    ...answersTo(requests),
    'read default': () => void dl.fetchItem('doc', 1),
    'read full': () => void dl.fetchItem('doc', 1, 'full'),
    'force default': () => void dl.fetchItem('doc', 1, null, { force: true }),
    'others change both': () => void write(changes.both, null),
    'others change the body': () => void write(changes.body, null),
    'others change the title, inline': () => void write(changes.inline, null),
    'change both': mutations.length === 0 && mutate('both'),
    'change the title, inline': mutations.length === 0 && mutate('inline'),
    'the change is answered': mutations.length > 0 && (() => mutations.shift()?.answer()),
    'its answer is lost': mutations.length > 0 && (() => mutations.shift()?.lose()),
    'a message arrives': messages.length > 0 && (() => dl.ingestEnvelope(messages.shift())),
    'a message is lost': messages.length > 0 && lost === 0 && (() => void (lost++, messages.shift())),
    'the first request fails':
      requests.count() > 0 &&
      failed === 0 &&
      (() => {
        failed += 1;
        requests.failFirst();
      }),
    'the window ends': () => sim.advance(50),
  });

  return {
    steps,
    async take(step) {
      await step();
      await sim.advance(0);
    },
    async settle() {
      do {
        for (const message of messages.splice(0)) dl.ingestEnvelope(message);
        for (const { answer } of mutations.splice(0)) answer();
        dl.ingestEnvelope(position()); // A heartbeat.
        await answerAll(requests, () => sim.advance(0));
        await sim.advance(12_000);
      } while (requests.count() > 0 || messages.length > 0);
    },
    faults() {
      const { data, meta } = ref;
      const shown = (data ?? {}) as { title?: number; body?: number };
      const isTrue = (shown.title ?? title) === title && (shown.body ?? body) === body;
      const found = `shows ${JSON.stringify(data)} where ${JSON.stringify(payload('full'))} is true`;
      return [
        ...(isTrue || meta.isStale ? [] : [`is called fresh and ${found}`]),
        ...(isTrue || !isWatched || meta.error !== null ? [] : [`is watched and ${found}`]),
        ...(isWatched && meta.isStale && meta.error === null && data !== null ? ['stays stale'] : []),
        ...(meta.isLoading ? ['stays loading'] : []),
      ];
    },
    dispose: () => dl.dispose(),
  };
}

const held = ['read full', 'the first request is answered as it is'];
const bulkHeld = ['read full', 'the window ends', 'the first request is answered as it is'];

describe.each<[string, readonly string[], Options]>([
  ['with an empty cache', [], { isWatched: true, hasBulk: false }],
  ['with a cached item', held, { isWatched: true, hasBulk: false }],
  ['with an item without subscribers', held, { isWatched: false, hasBulk: false }],
  ['with bulkFetch', bulkHeld, { isWatched: true, hasBulk: true }],
  [
    'with refetches of watched items only',
    held,
    { isWatched: true, hasBulk: false, bulk: { refetch: 'watched' } },
  ],
])('every order of three steps %s', (_, prelude, options) => {
  it('D-FETCH-2 D-FETCH-3 D-DIR-5 D-DIR-9 D-SSE-6 D-SRC-4 ends with the data of the server', async () => {
    const { played, wrong } = await playEveryOrder(() => stageOf(options), prelude, 3);
    expect(wrong).toEqual([]);
    expect(played).toBeGreaterThan(1000);
  }, 600_000);
});

// @vitest-environment jsdom
// Whatever happens on the way, an SWR cache behind the adapter ends with the server's truth.

import { createDataLayer } from '@edict/core';
import { connectSwr } from '@edict/core/adapters/swr';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { createElement, Fragment, useEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import useSWR, { SWRConfig, useSWRConfig, type ScopedMutator } from 'swr';
import { expect, it, vi } from 'vitest';
import { liveIn } from '../platformTime.ts';
import { parameters } from '../properties/runs.ts';

await vi.hoisted(() => import('../platformTime.ts'));

type Key =
  | readonly [type: 'ticket', id: number, level?: 'full']
  | readonly [name: 'tickets', params?: { half: number }];

const ids = [1, 2, 3, 4];
/** Twice, in places of their own: SWR asks the first component of a key for all of them. */
const keys: readonly Key[] = [
  ...ids.map((id) => ['ticket', id] as const),
  ['ticket', 1, 'full'],
  ['tickets'],
  ['tickets', { half: 0 }],
  ['tickets', { half: 1 }],
  ['ticket', 1],
  ['tickets'],
];

async function play(seed: number): Promise<string[]> {
  const sim = createSimulation({ seed });
  liveIn(sim);
  vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
  const draw = (below: number): number => Math.floor(sim.random() * below);
  sim.link.delay([1, 120]);
  // On a good network nothing hides behind a resync.
  const isBad = seed % 2 === 0;
  if (isBad) sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
  const dl = createDataLayer({ env: sim.env });
  let isCalm = false;

  const tickets = new Map(ids.map((id) => [id, 0]));
  const valueOf = ([name, of]: Key): number => {
    if (name === 'ticket') return tickets.get(Number(of)) ?? 0;
    const half = typeof of === 'object' ? of.half : null;
    return ids.reduce((sum, id) => sum + (half === null || id % 2 === half ? (tickets.get(id) ?? 0) : 0), 0);
  };
  async function request(key: Key): Promise<number> {
    await sim.sleep(draw(40));
    const value = valueOf(key);
    await sim.sleep(draw(150));
    if (!isCalm && sim.random() < 0.05) throw new Error('unlucky');
    return value;
  }

  const shown = new Map<Key, { value: unknown; error: unknown }>();
  function Row({ its }: { its: Key }): null {
    const { data, error } = useSWR(its, request);
    shown.set(its, { value: data, error });
    return null;
  }
  let mutate: ScopedMutator | undefined;
  function Rows({ its }: { its: ReadonlySet<Key> }): ReactElement {
    const { mutate: own } = useSWRConfig();
    useEffect(() => void (mutate = own), [own]);
    const rows = keys.map((key, at) => its.has(key) && createElement(Row, { key: at, its: key }));
    return createElement(Fragment, null, rows);
  }
  const cache = new Map();
  const config = {
    provider: () => cache,
    shouldRetryOnError: false,
    dedupingInterval: [0, 2000][draw(2)] ?? 0,
  };
  const root = createRoot(document.createElement('div'));
  let mounted = new Set<Key>();
  function show(next: Set<Key>): void {
    mounted = next;
    for (const key of keys) if (!next.has(key)) shown.delete(key);
    root.render(createElement(SWRConfig, { value: config }, createElement(Rows, { its: next })));
  }
  const toggle = (key: Key): void =>
    show(new Set(mounted.has(key) ? [...mounted].filter((one) => one !== key) : [...mounted, key]));
  show(new Set());
  for (let turn = 0; turn < 9; turn++) await sim.advance(0); // React takes several turns to mount.
  if (mutate === undefined) throw new Error('nothing was rendered');
  const end = connectSwr(
    dl,
    { mutate },
    {
      env: sim.env,
      itemData: (_type, _id, _level, result) => result,
      collectionData: (_name, _params, result) => (result as { count: number }).count, // As `change` makes it.
    },
  );

  function change(source: string | null): unknown[] {
    const id = 1 + draw(4);
    const value = (tickets.get(id) ?? 0) + 1;
    tickets.set(id, value);
    const params = { half: id % 2 };
    const item = { op: 'refresh_item', name: 'ticket', id } as const;
    const list = { op: 'refresh_collection', name: 'tickets' } as const;
    const inline = { ...list, params, result: { ids: [], count: valueOf(['tickets', params]) } };
    const ways = [
      [item, list],
      [{ ...item, result: value }, list],
      [{ ...item, level: 'full', result: value }, item, list],
      [item, { ...list, params: {} }, { ...list, params, params_mode: 'contains' }],
      [item, { ...list, params: {} }, inline],
      [{ op: 'invalidate', targets: [item, list] }],
      [
        { op: 'invalidate', kind: 'item', name: 'ticket' },
        { op: 'invalidate', kind: 'collection', name: 'tickets' },
      ],
    ];
    return sim.hub.emit((ways[draw(ways.length)] ?? []) as never, { source }); // Of both shapes.
  }
  sim.route('POST /change', ({ clientId }) => ({ directives: change(clientId) }));
  function changeOwn(): void {
    if (sim.random() < 0.2) sim.link.loseAnswers();
    dl.fetch('/change', { method: 'POST' }).catch(() => undefined);
  }

  for (let step = 0; step < 80; step++) {
    if (step === 3) dl.init();
    const chance = sim.random();
    if (chance < 0.35) toggle(keys[draw(keys.length)] ?? ['tickets']);
    else if (chance < 0.5) changeOwn();
    else if (chance < 0.92 || !isBad) change(null);
    else if (chance < 0.96) {
      sim.link.cut();
      await sim.advance(draw(4000));
      sim.link.restore();
    } else sim.hub.restart();
    await sim.advance(draw(120));
  }
  isCalm = true;
  const failed = new Set([...shown].flatMap(([key, { error }]) => (error === undefined ? [] : [key])));
  sim.link.rates({});
  await sim.advance(isBad ? 120_000 : 2000); // Reconnects, heartbeats and a resync.
  const wrong = (): string[] =>
    [...shown].flatMap(([key, { value, error }]) =>
      error === undefined && !failed.has(key) && value !== valueOf(key)
        ? [`${JSON.stringify(key)} shows ${String(value)}, not ${valueOf(key)}`]
        : [],
    );
  const found = wrong();
  // What nobody shows, and what has failed, is asked for when it is shown again.
  show(new Set());
  await sim.advance(3000);
  show(new Set(keys));
  await sim.advance(3000);
  failed.clear();
  found.push(...wrong());
  root.unmount();
  end();
  dl.dispose();
  if (sim.pendingTimers() > 0) found.push(`${sim.pendingTimers()} timers are left`);
  return found;
}

it('ends with the truth over a good and a bad network', { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(fc.nat(2 ** 31), async (seed) => {
    expect(await play(seed)).toEqual([]);
  });
  await fc.assert(
    property.afterEach(() => void vi.restoreAllMocks()),
    parameters(80),
  );
});

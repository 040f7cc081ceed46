// @vitest-environment jsdom
// After any faults, an SWR cache behind the adapter has the data of the server.

import { connectSwr } from '@edict/core/adapters/swr';
import { createElement, Fragment, useEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import useSWR, { SWRConfig, useSWRConfig, type ScopedMutator } from 'swr';
import { vi } from 'vitest';
import { liveIn } from '../platformTime.ts';
import { createScene, endsWithTheTruth } from './chance.ts';

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

endsWithTheTruth(async (seed) => {
  const { sim, dl, draw, respond, play, heal } = createScene(seed, write);
  liveIn(sim);

  const tickets = new Map(ids.map((id) => [id, 0]));
  const valueOf = ([name, of]: Key): number => {
    if (name === 'ticket') return tickets.get(Number(of)) ?? 0;
    const half = typeof of === 'object' ? of.half : null;
    return ids.reduce((sum, id) => sum + (half === null || id % 2 === half ? (tickets.get(id) ?? 0) : 0), 0);
  };
  const shown = new Map<Key, { value: unknown; error: unknown }>();
  function Row({ its }: { its: Key }): null {
    const { data, error } = useSWR(its, (key: Key) => respond(() => valueOf(key)));
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

  function write() {
    const id = 1 + draw(4);
    const value = (tickets.get(id) ?? 0) + 1;
    tickets.set(id, value);
    const params = { half: id % 2 };
    const item = { op: 'refresh_item', name: 'ticket', id } as const;
    const list = { op: 'refresh_collection', name: 'tickets' } as const;
    const inline = { ...list, params, result: { ids: [], count: valueOf(['tickets', params]) } };
    return [
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
  }

  await play(() => toggle(keys[draw(keys.length)] ?? ['tickets']));
  const failed = new Set([...shown].flatMap(([key, { error }]) => (error === undefined ? [] : [key])));
  await heal();
  const wrong = (): string[] =>
    [...shown].flatMap(([key, { value, error }]) =>
      error === undefined && !failed.has(key) && value !== valueOf(key)
        ? [`${JSON.stringify(key)} shows ${String(value)}, not ${valueOf(key)}`]
        : [],
    );
  const found = wrong();
  // Keys that are not shown or that failed are requested when they are shown again.
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
});

/* oxlint-disable react/immutability, react/globals, react/purity -- renders are counted and slowed down on purpose */
// Behavior that depends on how React schedules and commits in a browser.

import { createDataLayer, type DataLayer } from '@edict/core';
import { DLProvider, useCollection, useItem, useItems } from '@edict/react';
import { Activity, startTransition, StrictMode, useLayoutEffect, useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, it } from 'vitest';
import { layers, roots } from '../page.ts';
import { titleOf } from '../title.ts';

function setup(): {
  dl: DataLayer;
  calls: string[];
  titles: Map<string, string>;
  box: HTMLElement;
  show: (element: ReactElement) => void;
} {
  const calls: string[] = [];
  const titles = new Map([
    ['1', 'one'],
    ['2', 'two'],
  ]);
  const dl = createDataLayer();
  layers.push(dl);
  dl.createType('ticket', {
    stalenessMs: 600_000,
    fetch: async (id) => {
      calls.push(`ticket ${id}`);
      return { title: titles.get(String(id)) ?? 'none' };
    },
    bulkFetch: async (ids) => {
      calls.push(`tickets ${ids.length}`);
      return ids.map((id) => ({ id, title: titles.get(String(id)) ?? 'none' }));
    },
  });
  dl.createCollection('all', { stalenessMs: 600_000, fetch: async () => ({ ids: [...titles.keys()] }) });
  dl.init({ sse: { enabled: false }, bulk: { delayMs: 0, maxBatchSize: 10_000 } });
  const box = document.createElement('div');
  document.body.append(box);
  const root = createRoot(box);
  roots.push(root);
  return {
    dl,
    calls,
    titles,
    box,
    show: (element) =>
      root.render(
        <StrictMode>
          <DLProvider dl={dl}>{element}</DLProvider>
        </StrictMode>,
      ),
  };
}

const refresh = (id: number | string): object => ({ op: 'refresh_item', name: 'ticket', id });
const shows = (box: HTMLElement, text: string): Promise<void> =>
  expect.poll(() => box.textContent).toBe(text);

it('D-REACT-6 a hidden <Activity> watches nothing and shows current data in its first visible frame', async () => {
  const { dl, titles, box, show } = setup();
  const frames: string[] = [];
  function Row(): ReactElement {
    const { data } = useItem('ticket', 1);
    useLayoutEffect(() => void frames.push(titleOf(data)));
    return <p>{titleOf(data)}</p>;
  }
  const page = (mode: 'visible' | 'hidden'): ReactElement => (
    <Activity mode={mode}>
      <Row />
    </Activity>
  );
  show(page('visible'));
  await shows(box, 'one');
  show(page('hidden'));
  const watchers = (): number | undefined => dl.devtools().items['ticket']?.['1']?.watchers;
  await expect.poll(() => watchers()).toBe(0);
  titles.set('1', 'pushed');
  await dl.applyDirectives([refresh(1)]);
  show(page('visible'));
  await shows(box, 'pushed');
  await expect.poll(() => watchers()).toBe(1);
});

it('D-REACT-6 lists and collections in an <Activity> are fresh when shown', async () => {
  const { dl, titles, box, show } = setup();
  const List = (): ReactElement => (
    <p>
      {useItems('ticket', useCollection('all').data.ids)
        .map(({ data }) => titleOf(data))
        .join()}
    </p>
  );
  const page = (mode: 'visible' | 'hidden'): ReactElement => (
    <Activity mode={mode}>
      <List />
    </Activity>
  );
  show(page('visible'));
  await shows(box, 'one,two');
  show(page('hidden'));
  await expect.poll(() => dl.devtools().items['ticket']?.['1']?.watchers).toBe(0);
  titles.set('1', 'pushed').set('3', 'three');
  await dl.applyDirectives([refresh(1), { op: 'refresh_collection', name: 'all' }]);
  show(page('visible'));
  await shows(box, 'pushed,two,three');
});

it('D-REACT-6 all readers in a commit show the same data while a transition renders slowly', async () => {
  const { dl, titles, box, show } = setup();
  const count = 40;
  let go = (): void => undefined;
  const differing: string[] = [];
  let renders = 0;
  let resume = (): void => undefined;
  function Slow(): ReactElement {
    const { data } = useItem('ticket', 1);
    const end = performance.now() + 4; // React renders such a component in a task of its own.
    while (performance.now() < end);
    if (++renders % 4 === 0) resume();
    return <i>{titleOf(data)} </i>;
  }
  const Quick = (): ReactElement => <i>{titleOf(useItem('ticket', 1).data)} </i>;
  function Page(): ReactElement {
    const [isOpen, setOpen] = useState(false);
    go = () => startTransition(() => setOpen(true));
    useLayoutEffect(() => {
      const texts = new Set([...box.querySelectorAll('i')].map((one) => one.textContent));
      if (texts.size > 1) differing.push([...texts].join());
    });
    return <>{isOpen ? Array.from({ length: count }, (_, at) => <Slow key={at} />) : <Quick />}</>;
  }
  show(<Page />);
  await shows(box, 'one ');
  const observer = new MutationObserver(() => {
    const texts = new Set([...box.querySelectorAll('i')].map((one) => one.textContent));
    if (texts.size > 1) differing.push([...texts].join());
  });
  observer.observe(box, { subtree: true, childList: true, characterData: true });
  go();
  for (let at = 0; at < 10; at++) {
    await new Promise<void>((resolve) => (resume = resolve));
    titles.set('1', `push ${at}`);
    void dl.applyDirectives([refresh(1)]);
  }
  await expect.poll(() => box.textContent).toBe('push 9 '.repeat(count));
  observer.disconnect();
  expect(differing).toEqual([]);
});

it('D-REACT-3 a burst that changes a thousand rows renders each row once, in one commit', async () => {
  const { dl, titles, box, show, calls } = setup();
  const ids = Array.from({ length: 1000 }, (_, at) => String(at));
  for (const id of ids) titles.set(id, `old ${id}`);
  const rendered = new Map<string, number>();
  const Row = ({ id }: { id: string }): ReactElement => {
    rendered.set(id, (rendered.get(id) ?? 0) + 1);
    return <p>{titleOf(useItem('ticket', id).data)}</p>;
  };
  show(
    <>
      {ids.map((id) => (
        <Row key={id} id={id} />
      ))}
    </>,
  );
  await expect.poll(() => box.lastElementChild?.textContent).toBe('old 999');
  let commits = 0;
  const observer = new MutationObserver(() => commits++);
  observer.observe(box, { subtree: true, characterData: true, childList: true });
  rendered.clear();
  calls.length = 0;
  for (const id of ids) titles.set(id, `new ${id}`);
  for (const id of ids) void dl.applyDirectives([refresh(id)]);
  await expect.poll(() => box.lastElementChild?.textContent).toBe('new 999');
  await new Promise(requestAnimationFrame);
  observer.disconnect();
  expect(commits).toBe(1);
  expect(calls).toEqual(['tickets 1000']);
  expect(rendered.size).toBe(1000);
  expect(new Set(rendered.values())).toEqual(new Set([2])); // StrictMode renders twice.
});

it('D-REACT-6 no watcher is left when a large list unmounts', async () => {
  const { dl, box, show } = setup();
  const ids = Array.from({ length: 500 }, (_, at) => at);
  const Row = ({ id }: { id: number }): ReactElement => <p>{titleOf(useItem('ticket', id).data)}</p>;
  show(
    <>
      {ids.map((id) => (
        <Row key={id} id={id} />
      ))}
    </>,
  );
  await expect.poll(() => box.children).toHaveLength(500);
  flushSync(() => show(<p>gone</p>));
  await expect
    .poll(() => Object.values(dl.devtools().items['ticket'] ?? {}).filter(({ watchers }) => watchers > 0))
    .toEqual([]);
});

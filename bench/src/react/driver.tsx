// Runs in the browser. Mounts a list of rows, and measures the time of each change. The rows only show their item, so the
// measurement is of the hook.

import { useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { CreateScreen, Item, Screen } from './screen.ts';
import { fetched } from './server.ts';

export type Time = 'mount' | 'rerender' | 'write' | 'burst' | 'mutation' | 'response' | 'unmount';

/** The measured times in milliseconds, and counts that do not depend on the machine. */
export interface Figures {
  times: Record<Time, number[]>;
  writeRendered: number;
  burstCommits: number;
  burstRendered: number;
  mutationRequests: number;
  listenersLeft: number;
  fault: string | null;
}

interface Commits {
  count: number;
  /** Called at each commit, when the document shows it. */
  told: (() => void) | null;
}

declare global {
  interface Window {
    commits: Commits;
    measure: (rows: number) => Promise<Figures>;
    gc?: () => void;
  }
}

const writes = 30;
const burst = 1000;
const rerenders = 3;
const mutations = 5;

let rendered = 0;

function createApp(
  { Provider, useRow }: Screen,
  rows: number,
): { App: () => React.ReactNode; rerender: () => void } {
  function Row({ id }: { id: number }): React.ReactNode {
    rendered++;
    const item = useRow(id);
    return <li>{item === undefined ? '' : `${item.title}, version ${item.version}`}</li>;
  }
  const ids = Array.from({ length: rows }, (_, id) => id);
  let bump: (change: (count: number) => number) => void = () => undefined;
  function List(): React.ReactNode {
    const [, setCount] = useState(0);
    bump = setCount;
    return (
      <ul>
        {ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ul>
    );
  }
  return {
    App: () => (
      <Provider>
        <List />
      </Provider>
    ),
    rerender: () => flushSync(() => bump((count) => count + 1)),
  };
}

/**
 * Mounts a short list that stays mounted, because an application always shows some data of its library. Without such a list, a garbage
 * collection between two rounds would also discard the code that the engine has optimized for the library's objects.
 */
async function keepOne(create: CreateScreen): Promise<void> {
  const screen = create();
  await screen.seed([itemOf(0, 1), itemOf(1, 1)]);
  const { App } = createApp(screen, 2);
  flushSync(() => createRoot(document.createElement('div')).render(<App />));
  await rest(20);
  screen.write(itemOf(0, 2))();
  screen.writeAll([itemOf(0, 3), itemOf(1, 3)])();
  await rest(20);
}

const textOf = ({ title, version }: Item): string => `${title}, version ${version}`;
const itemOf = (id: number, version: number): Item => ({ id, version, title: `Ticket ${id}` });
const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs a function in a task of its own, like the arrival of a message of the server. It uses no timer, because Chromium delays nested timers by
 * 4 ms. A timer that a library sets, as TanStack Query does, would then be nested.
 */
const { port1, port2 } = new MessageChannel();
let arriving: (() => void) | null = null;
port1.onmessage = () => arriving?.();
function inTask(run: () => void): void {
  arriving = run;
  port2.postMessage(null);
}

/** Calls `act`, and resolves when the document shows all items. */
function untilShown(
  list: Element,
  items: readonly Item[],
  act: () => void,
): Promise<{ shownAt: number; took: number }> {
  const shows = (item: Item): boolean => list.children[item.id]?.textContent === textOf(item);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('The document did not show the items within 60 s.')),
      60_000,
    );
    let began = 0;
    let left = items.length;
    window.commits.told = () => {
      const shownAt = performance.now();
      // Checks from the last item to the first. Items that were shown at an earlier commit are not checked again.
      for (let item = items[left - 1]; left > 0 && item !== undefined && shows(item); item = items[left - 1])
        left--;
      if (left > 0) return;
      window.commits.told = null;
      clearTimeout(timer);
      resolve({ shownAt, took: shownAt - began });
    };
    inTask(() => {
      began = performance.now();
      act();
    });
  });
}

/** Collects garbage, so that the next measurement does not include the collection of earlier garbage. */
async function settle(): Promise<void> {
  window.gc?.();
  await rest(5);
}

async function measure(create: CreateScreen, rows: number): Promise<Figures> {
  const screen = create();
  await screen.seed(Array.from({ length: rows }, (_, id) => itemOf(id, 1)));
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  const { App, rerender } = createApp(screen, rows);
  await settle();

  let began = performance.now();
  flushSync(() => root.render(<App />));
  const mount = performance.now() - began;
  const list = container.querySelector('ul');
  if (list === null) throw new Error('React mounted nothing.');
  await rest(20);

  let fault: string | null = null;
  if (list.children[rows - 1]?.textContent !== textOf(itemOf(rows - 1, 1)))
    fault = 'a row does not show its item';

  const rerenderTimes: number[] = [];
  await settle();
  for (let i = 0; i < rerenders; i++) {
    began = performance.now();
    rerender();
    rerenderTimes.push(performance.now() - began);
    await rest(0);
  }

  const writeTimes: number[] = [];
  let writeRendered = 0;
  await settle();
  for (let i = 0; i < writes; i++) {
    const item = itemOf((i * 37) % rows, i + 2);
    rendered = 0;
    writeTimes.push((await untilShown(list, [item], screen.write(item))).took);
    await rest(2);
    writeRendered = Math.max(writeRendered, rendered);
  }

  const items = Array.from({ length: Math.min(burst, rows) }, (_, id) => itemOf(id, 1000));
  await settle();
  rendered = 0;
  window.commits.count = 0;
  const { took: burstTime } = await untilShown(list, items, screen.writeAll(items));
  await rest(50);
  const burstCommits = window.commits.count;
  const burstRendered = rendered;

  const mutationTimes: number[] = [];
  const responseTimes: number[] = [];
  let mutationRequests = 0;
  await settle();
  for (let i = 0; i < mutations; i++) {
    const item = itemOf((i * 41) % rows, 2000 + i);
    fetched.count = 0;
    const { shownAt, took } = await untilShown(list, [item], () => void screen.mutate(item));
    mutationTimes.push(took);
    responseTimes.push(shownAt - fetched.arrivedAt);
    await rest(20);
    mutationRequests = Math.max(mutationRequests, fetched.count);
  }

  await settle();
  began = performance.now();
  root.unmount();
  const unmount = performance.now() - began;
  // RTK Query removes an ended subscription from its state with a delay of up to half a second.
  for (let waited = 0; waited < 700 && screen.listeners() > 0; waited += 50) await rest(50);
  container.remove();
  const listenersLeft = screen.listeners();
  screen.dispose?.();
  return {
    times: {
      mount: [mount],
      rerender: rerenderTimes,
      write: writeTimes,
      burst: [burstTime],
      mutation: mutationTimes,
      response: responseTimes,
      unmount: [unmount],
    },
    writeRendered,
    burstCommits,
    burstRendered,
    mutationRequests,
    listenersLeft,
    fault,
  };
}

export function start(create: CreateScreen): void {
  const kept = keepOne(create);
  window.measure = (rows) => kept.then(() => measure(create, rows));
}

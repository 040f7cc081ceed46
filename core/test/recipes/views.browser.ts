// Runs the blocks of docs/guides/other-frameworks.md unchanged, each in the real framework.

import { refreshItem } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import type { DataLayer } from '@edict/core';
import { createRoot, createSignal, createEffect } from 'solid-js';
import { get } from 'svelte/store';
import { expect, it, onTestFinished } from 'vitest';
import { createApp, defineComponent, effectScope, h, nextTick, ref } from 'vue';
import { ticket } from './views/data.ts';
import { ticketTitle } from './views/dom.ts';
import { createItem } from './views/solid.ts';
import { itemStore } from './views/svelte.ts';
import { useItem as itemOf } from './views/vue.ts';

/** A server with two tickets, and a client of it. A fetch function also calls `readToken`. */
function desk(readToken: () => unknown = () => null) {
  const sim = createSimulation({ seed: 1 });
  const titles = new Map([
    ['1', 'Printer on fire'],
    ['2', 'Keyboard is sticky'],
  ]);
  sim.route('GET /api/tickets/:id', async ({ params: { id = '' } }) => {
    await sim.sleep(50);
    return { id, title: titles.get(id) };
  });
  const dl = sim.createDataLayer();
  dl.createType('ticket', {
    stalenessMs: 0, // Each read is a request.
    async fetch(id, { signal }) {
      readToken();
      return (await sim.env.fetch(`/api/tickets/${id}`, { signal })).json();
    },
  });
  dl.init();
  onTestFinished(() => dl.dispose());
  const rename = async (id: number, title: string): Promise<void> => {
    titles.set(String(id), title);
    sim.hub.emit([refreshItem('ticket', id)]);
    await sim.settled();
  };
  const asked = (): string[] =>
    sim.requests.filter(({ isStream }) => !isStream).map(({ url }) => url.pathname);
  return { sim, dl, rename, asked };
}

const titleOf = ({ data }: { data: { title?: string } | null }): string => data?.title ?? '…';

const watchersOf = (dl: DataLayer): number[] =>
  Object.values(dl.devtools().items['ticket'] ?? {}).map(({ watchers }) => watchers);

it('without a framework an element shows the item, busy while it is requested, until it is stopped', async () => {
  const { sim, dl, rename } = desk();
  const { element, end } = ticketTitle(dl, 1);
  expect(element.outerHTML).toBe('<h2 aria-busy="true">…</h2>');
  await sim.settled();
  expect(element.outerHTML).toBe('<h2 aria-busy="false">Printer on fire</h2>');
  await rename(1, 'Printer is out');
  expect(element.textContent).toBe('Printer is out');
  end();
  await rename(1, 'Printer is new');
  expect(element.textContent).toBe('Printer is out');
});

it('in Vue a component shows the item of its prop, and follows directives', async () => {
  const { sim, dl, rename, asked } = desk();
  const id = ref(1);
  const Title = defineComponent({
    props: { id: { type: Number, required: true } },
    setup(props) {
      const item = itemOf(dl, ticket, () => props.id);
      return () => h('h2', titleOf(item.value));
    },
  });
  const app = createApp({ render: () => h(Title, { id: id.value }) });
  const element = document.createElement('div');
  app.mount(element);
  expect(element.textContent).toBe('…');
  await sim.settled();
  await nextTick();
  expect(element.textContent).toBe('Printer on fire');
  await rename(1, 'Printer is out');
  await nextTick();
  expect(element.textContent).toBe('Printer is out');

  id.value = 2;
  await nextTick();
  expect(element.textContent).toBe('…');
  await sim.settled();
  await nextTick();
  expect(element.textContent).toBe('Keyboard is sticky');
  expect(watchersOf(dl)).toEqual([0, 1]);
  app.unmount();
  expect(watchersOf(dl)).toEqual([0, 0]);
  expect(asked()).toEqual(['/api/tickets/1', '/api/tickets/1', '/api/tickets/2']);
});

it('in Vue a token that the fetch function reads causes no new read', async () => {
  const token = ref('first');
  const { sim, dl, asked } = desk(() => token.value);
  const scope = effectScope();
  scope.run(() => itemOf(dl, ticket, 1));
  await sim.settled();
  token.value = 'second';
  await nextTick();
  await sim.settled();
  expect(asked()).toEqual(['/api/tickets/1']);
  scope.stop();
});

it('in Svelte a store shows the item, and watches it while it has subscribers', async () => {
  const { sim, dl, rename, asked } = desk();
  const store = itemStore(dl, ticket, 1);
  expect(asked()).toEqual([]);
  const titles: string[] = [];
  const end = store.subscribe((item) => titles.push(titleOf(item)));
  await sim.settled();
  await rename(1, 'Printer is out');
  expect(new Set(titles)).toEqual(new Set(['…', 'Printer on fire', 'Printer is out']));
  end();
  expect(watchersOf(dl)).toEqual([0]);
  expect(titleOf(get(store))).toBe('Printer is out');
});

it('in Solid a signal shows the item of another signal, until its owner is disposed', async () => {
  const { sim, dl, rename } = desk();
  const [id, setId] = createSignal(1);
  const titles: string[] = [];
  const dispose = createRoot((end) => {
    const item = createItem(dl, ticket, id);
    createEffect(() => titles.push(titleOf(item())));
    return end;
  });
  await sim.settled();
  await rename(1, 'Printer is out');
  setId(2);
  expect(titles.at(-1)).toBe('…');
  await sim.settled();
  expect(titles.at(-1)).toBe('Keyboard is sticky');
  expect(watchersOf(dl)).toEqual([0, 1]);
  dispose();
  expect(watchersOf(dl)).toEqual([0, 0]);
});

it('in Solid a token that the fetch function reads causes no new read', async () => {
  const [token, setToken] = createSignal('first');
  const { sim, dl, asked } = desk(token);
  const dispose = createRoot((end) => {
    createItem(dl, ticket, () => 1);
    return end;
  });
  await sim.settled();
  setToken('second');
  await sim.settled();
  expect(asked()).toEqual(['/api/tickets/1']);
  dispose();
});

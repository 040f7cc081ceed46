// The panel in a page without React.

import { createDataLayer, DL, type DataLayer } from '@edict/core';
import { mountDevtools } from '@edict/devtools';
import '@edict/devtools/element';
import type { EdictDevtools } from '@edict/devtools/element';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const layers: DataLayer[] = [];

beforeEach(() => localStorage.clear());
afterEach(() => {
  for (const dl of layers.splice(0)) dl.dispose();
  document.body.innerHTML = '';
});

const until = <T>(look: () => T): Promise<T> => vi.waitFor(look, { timeout: 30_000 });

/** A data layer whose cache contains one item of this type. */
async function filled(type: string): Promise<DataLayer> {
  const dl = createDataLayer();
  layers.push(dl);
  dl.createType(type, { fetch: (id) => ({ id }) });
  dl.init({ sse: { enabled: false } });
  dl.fetchItem(type, 1);
  await dl.whenSettled();
  return dl;
}

/** The hosts of the panels on the page. */
const hosts = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>('edict-devtools')].filter((one) => one.shadowRoot !== null);
const text = (): string => hosts()[0]?.shadowRoot?.querySelector('.panel')?.textContent ?? '';

it('mounts the panel of a data layer into an element, and removes it', async () => {
  const target = document.createElement('div');
  document.body.append(target);
  const unmount = mountDevtools(await filled('invoice'), { target, initialIsOpen: true });
  await until(() => expect(text()).toContain('invoice 1'));
  expect(target.contains(hosts()[0] ?? null)).toBe(true);
  unmount();
  await until(() => expect(hosts()).toHaveLength(0));
});

it('is a custom element that shows one panel for its data layer', async () => {
  const element = document.createElement('edict-devtools') as EdictDevtools;
  element.dl = await filled('invoice');
  element.setAttribute('open', '');
  element.setAttribute('theme', 'dark');
  document.body.append(element);
  await until(() => expect(text()).toContain('invoice 1'));
  expect(hosts()).toHaveLength(1);
  expect(hosts()[0]?.shadowRoot?.querySelector('.root')?.getAttribute('data-theme')).toBe('dark');
  element.dl = await filled('receipt');
  await until(() => expect(text()).toContain('receipt 1'));
  expect(hosts()).toHaveLength(1);
  element.remove();
  await until(() => expect(hosts()).toHaveLength(0));
});

it('shows the default data layer if the element has no other', async () => {
  document.body.innerHTML = '<edict-devtools open position="right"></edict-devtools>';
  await until(() => expect(text()).toContain('Timeline'));
  expect((document.querySelector('edict-devtools') as EdictDevtools).dl).toBe(DL);
  expect(hosts()[0]?.shadowRoot?.querySelector('.root')?.getAttribute('data-position')).toBe('right');
});

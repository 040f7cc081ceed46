// Behavior that depends on a real browser: keys, layout, and colors.

import { createDataLayer, type DataLayer } from '@edict/core';
import { DLProvider, useItem } from '@edict/react';
import { DLDevtools, type DLDevtoolsProps } from '@edict/react/devtools';
import { createElement, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { beforeEach, expect, it, vi } from 'vitest';
import { cdp, page, userEvent } from 'vitest/browser';
import { layers, roots } from '../page.ts';

beforeEach(() => localStorage.clear());

/** The panel limits how often it updates, and updates less often on a slow machine. */
const until = <T,>(look: () => T): Promise<T> => vi.waitFor(look, { timeout: 30_000 });

const entries = 5000;

/** A data layer with 5,000 entries in its cache. */
async function filled(): Promise<DataLayer> {
  const dl = createDataLayer();
  layers.push(dl);
  dl.createType('ticket', {
    stalenessMs: 600_000,
    fetch: (id) => {
      if (id === 3) throw new Error('no such ticket');
      return { title: `ticket ${id}` };
    },
    bulkFetch: (ids) => ids.map((id) => ({ id, title: `ticket ${id}` })),
  });
  dl.createCollection('tickets', { stalenessMs: 600_000, fetch: () => ({ ids: [1, 2, 3] }) });
  dl.init({ sse: { enabled: false }, memory: { maxItemsPerType: 10_000 }, bulk: { maxBatchSize: 10_000 } });
  for (let id = 0; id < entries - 1; id++) dl.fetchItem('ticket', id);
  dl.fetchCollection('tickets', { params: { status: 'open' } });
  await dl.whenSettled();
  return dl;
}

function Title(): ReactElement {
  const { data } = useItem('ticket', 1);
  return createElement('p', null, (data as { title: string } | null)?.title); // The fixture's only item data.
}

const shadow = (): ShadowRoot | null => document.querySelector('edict-devtools')?.shadowRoot ?? null;
const all = (selector: string): HTMLElement[] => [
  ...(shadow()?.querySelectorAll<HTMLElement>(selector) ?? []),
];
const one = (selector: string): HTMLElement => {
  const element = all(selector)[0];
  if (element === undefined) throw new Error(`nothing matches ${selector}`);
  return element;
};

async function show(dl: DataLayer, props: DLDevtoolsProps = {}): Promise<void> {
  const box = document.createElement('div');
  document.body.append(box);
  const root = createRoot(box);
  roots.push(root);
  root.render(
    <DLProvider dl={dl}>
      <Title />
      <DLDevtools {...props} />
    </DLProvider>,
  );
  await until(() => one('.root'));
}

it('is opened, navigated, and closed with the keyboard alone', async () => {
  const dl = await filled();
  await show(dl);
  await userEvent.tab();
  expect(shadow()?.activeElement).toBe(one('.toggle'));
  await userEvent.keyboard('{Enter}');
  await until(() => expect(shadow()?.activeElement?.id).toBe('tab-timeline'));
  await userEvent.keyboard('{ArrowRight}{ArrowRight}');
  await until(() => expect(shadow()?.activeElement?.id).toBe('tab-cache'));
  while (shadow()?.activeElement !== one('.list')) await userEvent.tab();
  await userEvent.keyboard('{End}');
  await until(() => expect(one('.row[aria-selected=true]').getAttribute('aria-posinset')).toBe('5000'));
  // The details open beside or below the list and change its size.
  await until(() => {
    const list = one('.list').getBoundingClientRect();
    const row = one('.row[aria-selected=true]').getBoundingClientRect();
    expect(row.bottom).toBeLessThanOrEqual(list.bottom + 1);
    expect(row.top).toBeGreaterThanOrEqual(list.top);
  });
  const active = one('.list').getAttribute('aria-activedescendant');
  expect(active).toBe(one('.row[aria-selected=true]').id);
  expect(active).toMatch(/^\S+$/); // An id must not be empty or contain spaces.
  await userEvent.keyboard('{Escape}');
  await until(() => expect(shadow()?.activeElement).toBe(one('.toggle')));
});

it('renders a bounded number of rows at every scroll position of 5,000 entries', async () => {
  const dl = await filled();
  await show(dl, { initialIsOpen: true });
  one('#tab-cache').click();
  await until(() => expect(one('.row').getAttribute('aria-setsize')).toBe('5000'));
  const list = one('.list');
  const most = Math.ceil(list.clientHeight / 30) + 13;
  for (const part of [0, 0.25, 0.5, 1]) {
    list.scrollTop = part * (list.scrollHeight - list.clientHeight);
    await until(() => {
      const edge = list.getBoundingClientRect();
      const boxes = all('.row').map((row) => row.getBoundingClientRect());
      expect(Math.min(...boxes.map(({ top }) => top))).toBeLessThanOrEqual(edge.top + 1);
      expect(Math.max(...boxes.map(({ bottom }) => bottom))).toBeGreaterThanOrEqual(edge.bottom - 1);
      expect(boxes.length).toBeLessThanOrEqual(most); // The list assumes a height until it has been measured.
    });
  }
});

it('keeps the lines that the user reads in place when new lines arrive', async () => {
  const dl = await filled();
  await show(dl, { initialIsOpen: true });
  for (let i = 0; i < 200; i++)
    void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: `x${i}` }]);
  await until(() => expect(all('.row').length).toBeGreaterThan(10));
  const list = one('.list');
  list.scrollTop = 3000;
  await until(() => expect(all('.row').some((row) => row.textContent?.includes('ticket x145'))).toBe(true));
  const placeOf = (id: string): number =>
    Math.round(
      all('.row')
        .find((row) => row.textContent?.includes(`refresh_item ticket ${id}`))
        ?.getBoundingClientRect().top ?? Number.NaN,
    );
  const before = placeOf('x145');
  void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 'late' }]);
  await until(() => expect(list.scrollTop).toBeGreaterThan(3000));
  expect(placeOf('x145')).toBe(before);
});

type Colour = readonly [number, number, number, number];

/** Any CSS color as red, green, blue (0 to 255) and opacity. */
function rgb(css: string): Colour {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('no canvas');
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = css;
  canvas.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}

function luminance([r, g, b]: Colour): number {
  const [x = 0, y = 0, z = 0] = [r, g, b].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

function surfaceOf(element: Element): Colour {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const colour = rgb(getComputedStyle(at).backgroundColor);
    if (colour[3] === 1) return colour;
  }
  throw new Error('no surface');
}

/** Every text in the panel whose contrast is below WCAG AA. */
function faint(): string[] {
  return all('.root *').flatMap((element) => {
    const text = [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent?.trim())
      .join('');
    if (text === '' || element.closest('.hidden') !== null) return [];
    const [a, b] = [rgb(getComputedStyle(element).color), surfaceOf(element)].map(luminance);
    const contrast = (Math.max(a ?? 0, b ?? 0) + 0.05) / (Math.min(a ?? 0, b ?? 0) + 0.05);
    return contrast < 4.5 ? [`${element.className} "${text}" ${contrast.toFixed(2)}`] : [];
  });
}

it.each(['light', 'dark'] as const)('every text has enough contrast in the %s scheme', async (theme) => {
  const dl = await filled();
  dl.fetchItem('ticket', 3, null, { force: true });
  await dl.whenSettled();
  await show(dl, { initialIsOpen: true, theme });
  const [r] = rgb(getComputedStyle(one('.panel')).backgroundColor);
  expect(r > 128).toBe(theme === 'light');
  await dl.applyDirectives([
    { op: 'refresh_item', name: 'ticket', id: 1 },
    { op: 'refresh_item', name: 'ticket' },
    { op: 'refresh_item', name: 'ticket', id: 2, result: { id: 2, title: 'given' } },
  ]);
  await until(() => expect(all('.row').some((row) => row.textContent?.includes('rejected'))).toBe(true));
  all('.row')
    .find((row) => row.textContent?.includes('refresh_item ticket 1'))
    ?.click();
  await until(() => one('.trace'));
  expect(faint()).toEqual([]);

  one('#tab-cache').click();
  await until(() => one('.row .standing[data-standing=failed]').click());
  await until(() => one('pre'));
  void dl.applyDirectives([{ op: 'invalidate', kind: 'item', name: 'ticket', id: 0 }]);
  await until(() => one('.standing[data-standing=stale]'));
  expect(faint()).toEqual([]);

  one('#tab-connection').click();
  await until(() => one('.card'));
  expect(faint()).toEqual([]);
});

it('follows the color scheme and motion preferences of the system', async () => {
  const dl = await filled();
  await show(dl, { initialIsOpen: true });
  const prefer = (scheme: string, motion: string): Promise<unknown> =>
    cdp().send('Emulation.setEmulatedMedia', {
      features: [
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: motion },
      ],
    });
  const surface = (): string => getComputedStyle(one('.panel')).backgroundColor;
  try {
    await prefer('light', 'no-preference');
    await until(() => expect(surface()).toBe('rgb(255, 255, 255)'));
    expect(getComputedStyle(one('.panel')).animationName).toBe('appear');
    await prefer('dark', 'reduce');
    await until(() => expect(rgb(surface())[0]).toBeLessThan(60));
    expect(getComputedStyle(one('.panel')).animationName).toBe('none');
  } finally {
    await cdp().send('Emulation.setEmulatedMedia', { features: [] });
  }
});

it('is isolated from the styles of the page, and does not style the page', async () => {
  const style = document.createElement('style');
  style.textContent =
    'button, p, section { background: rgb(255, 0, 255) !important; display: none !important }';
  document.body.append(style);
  const dl = await filled();
  await show(dl, { initialIsOpen: true, theme: 'light' });
  expect(one('.panel').checkVisibility()).toBe(true);
  expect(
    all('button').some((button) => getComputedStyle(button).backgroundColor === 'rgb(255, 0, 255)'),
  ).toBe(false);
  const outside = document.createElement('div');
  outside.className = 'panel';
  document.body.append(outside);
  expect(getComputedStyle(outside).position).toBe('static');
});

it('does not cover a modal dialog of the page', async () => {
  const dl = await filled();
  await show(dl);
  const { left, top, width, height } = one('.toggle').getBoundingClientRect();
  const isHit = (): boolean =>
    document.elementFromPoint(left + width / 2, top + height / 2)?.localName === 'edict-devtools';
  expect(isHit()).toBe(true);
  shadow()?.host.setAttribute('aria-hidden', 'true'); // As Radix and MUI do while a dialog is open.
  expect(isHit()).toBe(false);
  shadow()?.host.removeAttribute('aria-hidden');
  expect(isHit()).toBe(true);
});

it('fits a narrow page without overflow', async () => {
  const dl = await filled();
  await show(dl, { initialIsOpen: true });
  one('.panel').style.width = '300px';
  one('#tab-cache').click();
  await until(() => one('[id="entry-item%32ticket%320"]').click());
  await until(() => one('pre'));
  const edge = one('.panel').getBoundingClientRect();
  const lastTab = one('#tab-connection').getBoundingClientRect();
  expect(lastTab.right).toBeLessThanOrEqual(one('.stream').getBoundingClientRect().left);
  const out = all('.bar > *, .bar button, .tools > *, .detail > *').filter(
    (element) => element.getBoundingClientRect().right > edge.right + 1,
  );
  expect(out.map((element) => element.outerHTML.slice(0, 80))).toEqual([]);
});

it.each([
  ['bottom', 'paddingBottom'],
  ['left', 'paddingLeft'],
  ['right', 'paddingRight'],
] as const)(
  'reserves as much space at the %s of the page as it covers, and frees the space when it closes',
  async (position, side) => {
    document.body.style[side] = '8px';
    await show(await filled(), { initialIsOpen: true, position });
    const panel = one('.panel');
    const room = (): string => document.body.style[side];
    for (const size of ['80px', '60px']) {
      Object.assign(panel.style, position === 'bottom' ? { height: size } : { width: size });
      await until(() => expect(room()).toBe(size));
    }
    one('button[aria-label="Close devtools"]').click();
    await until(() => expect(room()).toBe('8px'));
    document.body.style[side] = '';
  },
);

it('shows the selected tab in full in a narrow panel', async () => {
  localStorage.setItem('edict-devtools', JSON.stringify({ tab: 'timeline', isOpen: true, size: 240 }));
  await show(await filled(), { position: 'right' });
  expect(one('.tabs').scrollWidth).toBeGreaterThan(one('.tabs').clientWidth);
  one('#tab-connection').click();
  await until(() => expect(one('#tab-connection').getAttribute('aria-selected')).toBe('true'));
  await until(() => {
    const [tab, tabs] = [one('#tab-connection'), one('.tabs')].map((each) => each.getBoundingClientRect());
    expect(tab?.right).toBeLessThanOrEqual(tabs?.right ?? 0);
  });
});

it('overlays a page that is too narrow to be shown beside it', async () => {
  await show(await filled(), { initialIsOpen: true, position: 'right' });
  const panel = one('.panel');
  panel.style.width = '80px';
  await until(() => expect(document.body.style.paddingRight).toBe('80px'));
  panel.style.width = `${window.innerWidth - 300}px`;
  await until(() => expect(document.body.style.paddingRight).toBe(''));
});

it('overlays a page that becomes too narrow to be shown beside it', async () => {
  const { innerWidth, innerHeight } = window;
  try {
    await page.viewport(900, 600);
    await show(await filled(), { initialIsOpen: true, position: 'right' });
    one('.panel').style.width = '400px';
    await until(() => expect(document.body.style.paddingRight).toBe('400px'));
    await page.viewport(700, 600);
    await until(() => expect(document.body.style.paddingRight).toBe(''));
  } finally {
    await page.viewport(innerWidth, innerHeight);
  }
});

it('shows a short note in full beside a text that is too long for its line', async () => {
  const dl = await filled();
  await show(dl, { initialIsOpen: true });
  one('.panel').style.width = '700px';
  dl.fetchCollection('tickets', { params: { assignee: 'somebody with a very long name '.repeat(9) } });
  await until(() => expect(all('.row').some((row) => row.textContent.includes('somebody'))).toBe(true));
  const rows = all('.row').filter((row) => row.textContent.includes('somebody'));
  const cut = rows.flatMap((row) =>
    [...row.querySelectorAll('.note')].filter((note) => note.scrollWidth > note.clientWidth),
  );
  expect(cut.map((note) => note.textContent)).toEqual([]);
});

it('scrolls the connection view with the keyboard', async () => {
  const dl = await filled();
  await show(dl, { initialIsOpen: true });
  one('.panel').style.height = '200px';
  one('#tab-connection').click();
  const cards = await until(() => one('.cards'));
  expect(cards.tabIndex).toBe(0);
  cards.focus();
  await userEvent.keyboard('{End}');
  await until(() => expect(cards.scrollTop).toBeGreaterThan(0));
});

it('is resized with the keyboard, and exposes its current, minimum, and maximum size', async () => {
  await page.viewport(1200, 800);
  await show(await filled(), { initialIsOpen: true });
  const handle = one('.handle');
  const told = (): number[] =>
    ['min', 'now', 'max'].map((name) => Number(handle.getAttribute(`aria-value${name}`)));
  const height = (): number => one('.panel').offsetHeight;
  await until(() => expect(told()).toEqual([180, height(), 752]));

  handle.focus();
  const before = height();
  await userEvent.keyboard('{ArrowUp}');
  await until(() => expect(told()).toEqual([180, before + 24, 752]));
  expect(height()).toBe(before + 24);
});

// Causes and effects of resyncs, commits, and requests.

import { act, fireEvent, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refreshTicket, requestMs, setup, type World } from '../world.tsx';
import {
  button,
  click,
  details,
  list,
  look,
  open,
  panel,
  root,
  row,
  rows,
  showTab,
  startPanelTest,
  type,
} from './panel.tsx';

beforeEach(startPanelTest);
afterEach(() => vi.useRealTimers());

const trace = () => within(panel().getByRole('list', { name: 'From the gap to the new data' }));
const press = (element: HTMLElement, key: string): void => void fireEvent.keyDown(element, { key });
const focused = (): Element | null => root().activeElement;
const headings = (): string[] =>
  trace()
    .getAllByRole('heading')
    .map((heading) => (heading.textContent ?? '').replace(/\+.*/, '').trim());

/** Drops messages between two that arrive. */
async function gap(world: World, missed: number): Promise<void> {
  world.sim.hub.emit([refreshTicket(9) as never]);
  await world.advance(50);
  world.sim.hub.lose(missed);
  world.sim.hub.emit([refreshTicket(9) as never]);
  await world.advance(50);
}

async function connected(): Promise<World> {
  const world = setup({ sse: { enabled: true, resyncJitterMinMs: 400, resyncJitterMaxMs: 400 } });
  await open({}, world);
  await world.advance(100);
  return world;
}

describe('a resync', () => {
  it('is shown from its gap through the requests to the commits', async () => {
    const world = await connected();
    world.setTitle(1, 'changed meanwhile');
    await gap(world, 3);
    await act(() => world.sim.settled());
    look();
    expect(row(/Gap in global/).textContent).toContain('3 messages missed');
    click(row(/Gap in global/));
    expect(headings()).toEqual(['Gap', 'Scheduled', 'Resync', '2 requests', 'Shown']);
    expect(trace().getByText(/^2 watched entries are fetched again/)).toBeTruthy();
    expect(trace().getByRole('button', { name: /^Commit \d+: ticket 1 ?new data/ })).toBeTruthy();
    click(trace().getByRole('button', { name: /^q\d+ ?ticket 1/ }));
    click(details().getByRole('button', { name: /^Resync/ }));
    expect(headings()[0]).toBe('Gap');
  });

  it('shows its finished steps while others are pending', async () => {
    const world = await connected();
    await gap(world, 1);
    look();
    click(row(/Resync scheduled/));
    expect(headings()).toEqual(['Gap', 'Scheduled']);
    showTab('Connection');
    expect(panel().getByText('1 message missed, resync pending')).toBeTruthy();
    await act(() => world.sim.settled());
    look();
    expect(panel().getByText(/^up to date, last of \d+ messages/)).toBeTruthy();
  });

  it('is shown as missing when the option is off', async () => {
    const world = setup({ sse: { enabled: true, resyncOnGap: false } });
    await open({}, world);
    await world.advance(100);
    await gap(world, 1);
    look();
    click(row(/Gap in global/));
    expect(headings()).toEqual(['Gap', 'No resync']);
  });

  it('contains all gaps since the last resync, and no older one', async () => {
    const world = await connected();
    await gap(world, 1);
    await act(() => world.sim.settled());
    await gap(world, 2);
    await gap(world, 4);
    await act(() => world.sim.settled());
    look();
    click(list().getAllByRole('option', { name: /Stream ?Resync ?2 refetches/ })[0] as HTMLElement);
    expect(headings()[0]).toBe('2 gaps');
    expect(trace().getByRole('button', { name: /2 messages missed/ })).toBeTruthy();
    expect(trace().queryByRole('button', { name: /1 message missed/ })).toBeNull();
  });
});

describe('commits', () => {
  it('name their entries and what changed on them', async () => {
    const world = await open();
    world.setTitle(1, 'another title');
    await world.push(refreshTicket(1));
    look();
    expect(rows()[0]).toMatch(/Commit \d+: ticket 1new data$/);
    click(list().getAllByRole('option', { name: /Commit \d+: ticket 1 ?new data/ })[0] as HTMLElement);
    expect(details().getByText('1 entry')).toBeTruthy();
    expect(details().getByRole('button', { name: /^ticket 1 ?\d+ ms/ })).toBeTruthy();
  });

  it('name the items that a list contains', async () => {
    const world = setup();
    world.dl.createCollection('mine', { of: 'ticket', fetch: () => [{ id: 7, title: 'seven' }] });
    await open({}, world);
    world.dl.fetchCollection('mine');
    await world.advance(requestMs);
    look();
    expect(rows()[0]).toMatch(/Commit \d+: ticket 7, minenew data$/);
  });

  it('are distinguished by the changes that they show', async () => {
    const world = await open();
    world.failing.add('1');
    await world.push(refreshTicket(1), refreshTicket(2));
    look();
    const commits = rows().filter((text) => text.includes('Commit'));
    expect(commits.slice(0, 4)).toEqual([
      expect.stringMatching(/: ticket 2same data$/),
      expect.stringMatching(/: ticket 1failed$/),
      expect.stringMatching(/: ticket 1, ticket 2loading$/),
      expect.stringMatching(/: ticket 1, ticket 2stale$/),
    ]);
  });
});

describe('requests', () => {
  it('have one row each with their duration and how they ended', async () => {
    const world = await open();
    world.failing.add('3');
    world.dl.fetchItem('ticket', 3);
    for (const id of [1, 2, 3]) world.dl.fetchItem('person', id);
    await world.advance(requestMs);
    world.dl.fetchItem('ticket', 4);
    showTab('Requests');
    expect(rows()).toEqual([
      expect.stringMatching(/ticket 4in flight…$/),
      expect.stringMatching(/person ×3bulk\d+ ms$/),
      expect.stringMatching(/ticket 3error\d+ ms$/),
      expect.stringMatching(/ticket 2\d+ (ms|h)$/),
      expect.stringMatching(/ticket 1\d+ (ms|h)$/),
    ]);
    click(row(/ticket 3/));
    expect(details().getByText('3 failed')).toBeTruthy();
    await world.advance(requestMs);
    look();
    expect(rows()[0]).toMatch(/ticket 4\d+ ms$/);
  });

  it('lead to the commits that show them', async () => {
    await open();
    showTab('Requests');
    click(row(/ticket 1/));
    expect(details().getByRole('button', { name: /^Commit \d+: ticket 1.*new data/ })).toBeTruthy();
  });
});

describe('a search', () => {
  it('finds the events that contain all words, in their line or in one of their entries', async () => {
    const world = await open();
    for (let id = 1; id <= 40; id++) world.dl.fetchItem('person', id);
    await world.advance(requestMs);
    look();
    type('Search', 'person ×40 bulk');
    expect(rows()).toEqual([expect.stringMatching(/Requestperson ×40/)]);
    type('Search', 'new data person 33');
    expect(rows()).toEqual([expect.stringMatching(/Commit.*person 1, person 2, \+38new data/)]);
    type('Search', 'no such thing');
    expect(panel().getByText('No matching events')).toBeTruthy();
  });

  it('is narrowed to a name and to errors', async () => {
    const world = await open();
    world.failing.add('5');
    world.dl.fetchItem('person', 1);
    world.dl.fetchItem('ticket', 5);
    await world.advance(requestMs);
    look();
    type('Name', 'person');
    expect(rows().every((text) => text.includes('person'))).toBe(true);
    type('Name', '');
    click(button('Errors only'));
    expect(rows()).toEqual([
      expect.stringMatching(/Commit.*ticket 5failed/),
      expect.stringMatching(/Requestticket 5.*5 failed/),
    ]);
  });

  it('finds cached entries by their data, and failed entries', async () => {
    const world = await open();
    world.failing.add('5');
    world.dl.fetchItem('ticket', 5);
    await world.advance(requestMs);
    showTab('Cache');
    type('Search', 'closed');
    expect(rows()).toEqual([expect.stringContaining('ticket 2')]);
    type('Search', '');
    click(button('Errors only'));
    expect(rows()).toEqual([expect.stringContaining('ticket 5')]);
  });
});

it('shows params without defaults in lines, and all of them in the details', async () => {
  const world = await open();
  const params = { status: 'open', assignee: 'all', q: '', page: 1, tags: [], team: null };
  world.dl.fetchCollection('tickets', { params });
  await world.advance(requestMs);
  look();
  expect(row(/Request ?tickets/).textContent).toContain('tickets { status: open }');
  showTab('Cache');
  click(row(/tickets/));
  expect(details().getByRole('heading', { name: 'tickets status: open' })).toBeTruthy();
  expect(details().getByLabelText('Params').textContent).toContain('"assignee": "all"');
});

it('moves the focus to the details with Enter, and back with Escape', async () => {
  await open();
  const box = panel().getByRole('listbox');
  box.focus();
  press(box, 'ArrowDown');
  press(box, 'Enter');
  const detail = panel().getByRole('group', { name: 'Details' });
  expect(focused()).toBe(detail);
  press(detail, 'Escape');
  expect(focused()).toBe(panel().getByRole('listbox'));
  expect(panel().getByRole('tablist')).toBeTruthy();
  expect(list().queryByRole('option', { selected: true })).toBeNull();
});

it('keeps the focus in the details when a link in them leads to another event', async () => {
  await open();
  click(row(/Request ?ticket 1/));
  const link = details().getByRole('button', { name: /^Commit \d+: ticket 1.*new data/ });
  link.focus();
  click(link);
  expect(focused()).toBe(panel().getByRole('group', { name: 'Details' }));
});

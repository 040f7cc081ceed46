import { hydrate } from '@edict/core/hydration';
import { DLDevtools } from '@edict/react/devtools';
import { act, fireEvent, render, within } from '@testing-library/react';
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { refreshTicket, requestMs, setup } from '../world.tsx';
import { click, list, look, open, panel, root, row, rows, startPanelTest } from './panel.tsx';

beforeEach(startPanelTest);
afterEach(() => vi.useRealTimers());

it('is a button until it is opened, and remembers that it was opened', async () => {
  await open({ initialIsOpen: false });
  expect(panel().queryByRole('tablist')).toBeNull();
  const toggle = panel().getByRole('button', { name: /Edict/ });
  expect(toggle.getAttribute('aria-expanded')).toBe('false');
  click(toggle);
  expect(root().activeElement?.textContent).toBe('Timeline');
  click(panel().getByRole('tab', { name: 'Cache' }));

  const second = setup();
  const view = render(<DLDevtools dl={second.dl} />);
  const hosts = document.querySelectorAll('edict-devtools');
  expect(hosts).toHaveLength(2);
  expect(hosts[1]?.shadowRoot?.querySelector('[role=tab][aria-selected=true]')?.textContent).toBe('Cache');
  view.unmount();
  expect(document.querySelectorAll('edict-devtools')).toHaveLength(1);
});

it('closes with Escape and returns the focus to the button', async () => {
  await open();
  fireEvent.keyDown(panel().getByRole('tab', { name: 'Timeline' }), { key: 'Escape' });
  expect(panel().queryByRole('tablist')).toBeNull();
  expect(root().activeElement).toBe(panel().getByRole('button', { name: /Edict/ }));
});

it('moves between its views with the arrow keys', async () => {
  await open();
  fireEvent.keyDown(panel().getByRole('tab', { name: 'Timeline' }), { key: 'ArrowLeft' });
  const connection = panel().getByRole('tab', { name: 'Connection' });
  expect(connection.getAttribute('aria-selected')).toBe('true');
  expect(root().activeElement).toBe(connection);
});

it('does not trigger the keyboard shortcuts of the page', async () => {
  await open();
  const heard = vi.fn();
  document.addEventListener('keydown', heard);
  fireEvent.keyDown(panel().getByRole('listbox'), { key: 'j', composed: true });
  document.removeEventListener('keydown', heard);
  expect(heard).not.toHaveBeenCalled();
});

it('adds nothing to the page but its host element, and no styles', async () => {
  const before = document.head.innerHTML;
  await open();
  expect(document.head.innerHTML).toBe(before);
  expect(document.querySelectorAll('edict-devtools')).toHaveLength(1);
  expect(document.body.querySelector('style, .panel')).toBeNull();
});

it('renders nothing on a server', () => {
  expect(renderToString(<DLDevtools dl={setup().dl} initialIsOpen />)).toBe('');
});

it('shows each event once in Strict Mode', async () => {
  const world = setup();
  render(
    <StrictMode>
      <DLDevtools dl={world.dl} initialIsOpen />
    </StrictMode>,
  );
  world.dl.fetchItem('ticket', 1);
  await world.advance(requestMs);
  look();
  expect(document.querySelectorAll('edict-devtools')).toHaveLength(1);
  expect(rows().filter((text) => text.includes('Requestticket 1'))).toHaveLength(1);
});

it('shows the events from before it was mounted, each once', async () => {
  const world = setup();
  world.dl.fetchItem('ticket', 1);
  await world.advance(requestMs);
  await open({}, world);
  expect(rows().filter((text) => text.includes('Requestticket 1'))).toHaveLength(1);
  expect(rows().filter((text) => text.includes('Requestticket 2'))).toHaveLength(1);
});

it('shows the entries that a directive marked stale, its request, and its commits', async () => {
  const world = await open();
  await world.push(refreshTicket(1), refreshTicket(2));
  look();
  click(row(/refresh_item ticket 1/));
  const trace = within(panel().getByRole('list', { name: 'Effects of this directive' }));
  expect(trace.getByText('Received 2 directives')).toBeTruthy();
  expect(trace.getByText('1 entry to fetch again')).toBeTruthy();
  expect(trace.getAllByRole('button').map((button) => button.textContent)).toEqual([
    expect.stringContaining('Received 2 directives'),
    expect.stringMatching(/^q\d+ticket 1success\d+ ms$/),
    expect.stringMatching(/^Commit \d+: ticket 1, ticket 2stale/),
    expect.stringMatching(/^Commit \d+: ticket 1, ticket 2loading/),
    expect.stringMatching(/^Commit \d+: ticket 1same data/),
  ]);
  click(trace.getByRole('button', { name: /^q/ }));
  const detail = within(panel().getByRole('group', { name: 'Details' }));
  click(detail.getByRole('button', { name: /refresh_item ticket 1/ }));
  expect(panel().getByRole('list', { name: 'Effects of this directive' })).toBeTruthy();
});

it('shows the effects of the targets of a wrapper', async () => {
  const world = await open();
  await world.push({ op: 'invalidate', targets: [refreshTicket(1), refreshTicket(2)] });
  look();
  click(row(/invalidate 2 targets/));
  const trace = within(panel().getByRole('list', { name: 'Effects of this directive' }));
  expect(trace.getByText('2 entries to fetch again')).toBeTruthy();
  expect(trace.getAllByText(/^q\d+$/)).toHaveLength(2);
});

it('shows the commit of an inline result, without a request', async () => {
  const world = await open();
  await world.push(refreshTicket(1, { result: { id: 1, title: 'given', status: 'open' } }));
  look();
  click(row(/refresh_item ticket 1/));
  const trace = within(panel().getByRole('list', { name: 'Effects of this directive' }));
  expect(trace.getByText('1 entry updated by the inline result')).toBeTruthy();
  expect(trace.queryByText(/^q\d+$/)).toBeNull();
  expect(trace.getByRole('button', { name: /^Commit \d+: ticket 1 ?new data/ })).toBeTruthy();
});

it('D-REG-3 names the entries that a directive only marked stale', async () => {
  const world = await open({}, setup({ bulk: { refetch: 'watched' } }));
  world.dl.fetchItem('ticket', 3);
  world.dl.fetchCollection('tickets', { params: { status: 'open' } });
  await world.advance(requestMs);
  await world.push({
    op: 'invalidate',
    targets: [refreshTicket(1), refreshTicket(3), { op: 'refresh_collection', name: 'tickets' }],
  });
  look();
  expect(row(/refresh_item ticket 3/).textContent).toContain('1 marked stale');
  click(row(/invalidate 3 targets/));
  const trace = within(panel().getByRole('list', { name: 'Effects of this directive' }));
  expect(trace.getByText('1 entry to fetch again')).toBeTruthy();
  const said = trace.getByText(/^2 entries only marked stale/);
  expect(said.nextElementSibling?.textContent).toBe('ticket 3tickets { status: open }');
});

it('distinguishes a failed request, a skipped directive, and a rejected one', async () => {
  const world = await open();
  world.failing.add('1');
  const keyed = refreshTicket(2, { idempotency_key: 'one' });
  await world.push(refreshTicket(1), keyed, keyed, { op: 'refresh_item', name: 'ticket' });
  look();
  expect(rows().some((text) => /Requestticket 1.*1 failed/.test(text))).toBe(true);
  expect(rows().some((text) => text.includes('skipped: duplicate'))).toBe(true);
  click(row(/rejected/));
  expect(panel().getByText('Not applied')).toBeTruthy();
});

it('shows an error that has no text', async () => {
  const world = await open();
  world.dl.createType('odd', { fetch: () => Promise.reject(Object.create(null)) });
  world.dl.fetchItem('odd', 1);
  await world.advance(0);
  look();
  click(row(/odd 1.*unknown error/));
  expect(panel().getByText('unknown error')).toBeTruthy();
});

it('shows the events of a bulk request in one line', async () => {
  const world = await open();
  await world.push({ op: 'refresh_collection', name: 'tickets' });
  for (let id = 1; id <= 40; id++) world.dl.fetchItem('person', id);
  await world.advance(requestMs);
  look();
  expect(rows().filter((text) => /Requestperson ×40bulk · \d+ ms$/.test(text))).toHaveLength(1);
});

it('keeps the newest 500 lines', async () => {
  const world = await open();
  act(() => {
    for (let i = 1; i <= 700; i++) void world.dl.applyDirectives([refreshTicket(1000 + i)]);
  });
  look();
  expect(panel().getByRole('listbox', { name: 'Timeline, 500 events' })).toBeTruthy();
  expect(rows()[0]).toContain('refresh_item ticket 1700');
});

it('filters lines by kind, pauses, and clears', async () => {
  const world = await open();
  click(panel().getByRole('button', { name: 'Requests' }));
  expect(rows().some((text) => text.includes('Request'))).toBe(false);
  click(panel().getByRole('button', { name: 'Pause' }));
  await world.push(refreshTicket(1));
  look();
  expect(rows().some((text) => text.includes('refresh_item'))).toBe(false);
  click(panel().getByRole('button', { name: 'Resume' }));
  expect(rows().some((text) => text.includes('refresh_item'))).toBe(true);
  click(panel().getByRole('button', { name: 'Clear' }));
  expect(rows()).toEqual([]);
  expect(panel().getByText('No events yet')).toBeTruthy();
});

it('lists the cache by type and collection, with freshness and watchers', async () => {
  const world = await open();
  world.dl.fetchCollection('tickets', { params: { status: 'open' } });
  world.failing.add('5');
  world.dl.fetchItem('ticket', 5);
  await world.advance(requestMs);
  click(panel().getByRole('tab', { name: 'Cache' }));
  look();
  expect(rows()).toEqual([
    expect.stringMatching(/^fresh.*ticket 1.*1 watching/),
    expect.stringMatching(/^fresh.*ticket 2.*1 watching/),
    expect.stringMatching(/^failed.*ticket 5.*0 watching/),
    expect.stringMatching(/^fresh.*tickets status: open.*0 watching/),
  ]);
  click(panel().getByRole('button', { name: /^tickets/ }));
  expect(rows()).toHaveLength(1);
  click(panel().getByRole('button', { name: /^All/ }));
  fireEvent.change(panel().getByRole('searchbox'), { target: { value: 'ticket 2' } });
  expect(rows()).toHaveLength(1);
  fireEvent.keyDown(panel().getByRole('searchbox'), { key: 'Escape' });
  expect(rows()).toHaveLength(4);
  fireEvent.change(panel().getByRole('combobox'), { target: { value: 'failed' } });
  expect(rows()).toEqual([expect.stringContaining('ticket 5')]);
});

it('is no list box while it has no rows', async () => {
  await open();
  click(panel().getByRole('button', { name: 'Clear' }));
  look();
  expect(panel().queryByRole('listbox')).toBeNull();
  expect(panel().getByRole('group', { name: 'Timeline, 0 events' }).textContent).toBe('No events yet');
});

it('moves through the cache with the keyboard', async () => {
  await open();
  click(panel().getByRole('tab', { name: 'Cache' }));
  look();
  const box = panel().getByRole('listbox');
  fireEvent.keyDown(box, { key: 'End' });
  expect(list().getByRole('option', { selected: true }).textContent).toContain('ticket 2');
  fireEvent.keyDown(box, { key: 'ArrowUp' });
  const selected = list().getByRole('option', { selected: true });
  expect(selected.textContent).toContain('ticket 1');
  expect(box.getAttribute('aria-activedescendant')).toBe(selected.id);
  expect(panel().getByRole('heading', { name: 'ticket 1' })).toBeTruthy();
});

it('D-DIR-1 marks an unwatched entry stale and refetches a watched one', async () => {
  const world = await open();
  world.dl.fetchItem('ticket', 3, 'full');
  await world.advance(requestMs);
  world.calls.length = 0;
  click(panel().getByRole('tab', { name: 'Cache' }));
  look();
  click(row(/ticket 3/));
  click(panel().getByRole('button', { name: 'Mark stale' }));
  await world.advance(100);
  expect(world.calls).toEqual([]);
  look();
  expect(row(/ticket 3/).textContent).toMatch(/^stale/);
  click(row(/ticket 1/));
  click(panel().getByRole('button', { name: 'Mark stale' }));
  await world.advance(100);
  expect(world.calls).toEqual(['ticket 1 default']);
});

it('refetches every cached level of a fresh item, and a collection by its params', async () => {
  const world = await open();
  world.dl.fetchItem('ticket', 1, 'full');
  world.dl.fetchCollection('tickets', { params: { status: 'open' } });
  world.dl.fetchCollection('tickets');
  await world.advance(requestMs);
  world.calls.length = 0;
  click(panel().getByRole('tab', { name: 'Cache' }));
  look();
  click(row(/ticket 1/));
  click(panel().getByRole('button', { name: 'Refetch' }));
  click(row(/status: open/));
  click(panel().getByRole('button', { name: 'Refetch' }));
  await world.advance(requestMs);
  expect(world.calls.toSorted()).toEqual(['ticket 1 default', 'ticket 1 full', 'tickets {"status":"open"}']);
});

it('D-REG-1 refetches the registered levels of an item that has also cached one that is no longer registered', async () => {
  const world = await open();
  world.dl.fetchItem('ticket', 1, 'full');
  await world.advance(requestMs);
  const asked: unknown[] = [];
  world.dl.createType('ticket', { fetch: (id, { level }) => asked.push([id, level]) });
  click(panel().getByRole('tab', { name: 'Cache' }));
  look();
  click(row(/ticket 1/));
  const thrown = vi.fn((event: ErrorEvent) => event.preventDefault());
  window.addEventListener('error', thrown);
  onTestFinished(() => window.removeEventListener('error', thrown));
  click(panel().getByRole('button', { name: 'Refetch' }));
  await world.advance(requestMs);
  expect(asked).toEqual([[1, 'default']]);
  expect(thrown).not.toHaveBeenCalled();
});

it('shows the events of a new data layer, even after it was paused', async () => {
  const [before, after] = [setup(), setup()];
  const { rerender } = render(<DLDevtools dl={before.dl} initialIsOpen />);
  before.dl.fetchItem('ticket', 1);
  await before.advance(requestMs);
  look();
  click(row(/Requestticket 1|Request ticket 1/));
  click(panel().getByRole('button', { name: 'Pause' }));
  rerender(<DLDevtools dl={after.dl} initialIsOpen />);
  after.dl.fetchItem('ticket', 2);
  await after.advance(requestMs);
  look();
  expect(rows().some((text) => text.includes('Requestticket 2'))).toBe(true);
  expect(rows().some((text) => text.includes('ticket 1'))).toBe(false);
  expect(list().queryByRole('option', { selected: true })).toBeNull();
});

it('does not show a change of the stream alone as a commit', async () => {
  const world = setup({ sse: { enabled: true } });
  world.show(<DLDevtools initialIsOpen />);
  await world.advance(100);
  look();
  expect(rows()).toEqual([expect.stringMatching(/Connected/), expect.stringMatching(/Connecting/)]);
  hydrate(world.dl, {
    v: 1,
    items: [{ type: 'ticket', id: 1, payloads: [{ levels: ['default'], data: {}, ageMs: 0 }] }],
    collections: [],
    cursors: [],
  });
  look();
  expect(rows()[0]).toMatch(/Commit 1/); // No event is emitted for the change, but a commit shows it.
});

it('marks only the collection without params stale', async () => {
  const world = await open();
  world.dl.fetchCollection('tickets', { params: { status: 'open' } });
  world.dl.fetchCollection('tickets');
  await world.advance(requestMs);
  click(panel().getByRole('tab', { name: 'Cache' }));
  look();
  click(row(/no params/));
  click(panel().getByRole('button', { name: 'Mark stale' }));
  look();
  expect(row(/no params/).textContent).toMatch(/^stale/);
  expect(row(/status: open/).textContent).toMatch(/^fresh/);
});

it('shows the stream, disconnects it, and reconnects it', async () => {
  const world = await open({}, setup({ sse: { enabled: true } }));
  await world.advance(100);
  look();
  expect(panel().getByText('Live')).toBeTruthy();
  click(panel().getByRole('button', { name: 'Drop connection' }));
  expect(world.dl.state().sse.status).toBe('off');
  expect(panel().getByText('Disconnected')).toBeTruthy();
  click(panel().getByRole('button', { name: 'Connect' }));
  await world.advance(100);
  expect(panel().getByText('Live')).toBeTruthy();
  click(panel().getByRole('tab', { name: 'Connection' }));
  look();
  expect(panel().getByText(world.dl.clientId())).toBeTruthy();
});

it('§4.3 shows a custom source as such, disconnects it, and reconnects it', async () => {
  const world = await open();
  expect(panel().getByText('Stream off')).toBeTruthy();
  const [connect, end] = [vi.fn(), vi.fn()];
  connect.mockReturnValue(end);
  world.dl.configureDirectiveSource({ type: 'websocket', connect });
  look();
  expect(panel().getByText('Custom source, connected')).toBeTruthy();
  expect(panel().queryByText('Stream off')).toBeNull();
  click(panel().getByRole('button', { name: 'Drop connection' }));
  expect(end).toHaveBeenCalledTimes(1);
  expect(panel().getByText('Custom source, not connected')).toBeTruthy();
  click(panel().getByRole('button', { name: 'Connect' }));
  expect(connect).toHaveBeenCalledTimes(2);
  expect(panel().getByText('Custom source, connected')).toBeTruthy();
  click(panel().getByRole('tab', { name: 'Connection' }));
  look();
  expect(panel().getByText('websocket')).toBeTruthy();
  expect(panel().queryByText('Next attempt')).toBeNull();
  fireEvent.keyDown(panel().getByRole('tab', { name: 'Connection' }), { key: 'Escape' });
  expect(panel().getByRole('button', { name: /Edict.*Custom source, connected/ })).toBeTruthy();
});

it('takes no snapshot while it is closed', async () => {
  const world = setup();
  const devtools = vi.spyOn(world.dl, 'devtools');
  await open({ initialIsOpen: false }, world);
  await world.push(refreshTicket(1));
  look();
  expect(devtools).not.toHaveBeenCalled();
});

it('takes no snapshots and runs no timers after it was unmounted', async () => {
  const world = setup();
  const { unmount } = render(<DLDevtools dl={world.dl} initialIsOpen />);
  click(panel().getByRole('tab', { name: 'Cache' }));
  const devtools = vi.spyOn(world.dl, 'devtools');
  look();
  expect(devtools).toHaveBeenCalled();
  unmount();
  devtools.mockClear();
  world.dl.fetchItem('ticket', 1);
  await world.advance(requestMs);
  look();
  expect(devtools).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

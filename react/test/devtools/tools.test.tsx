// The tools of the panel: diffs, injected directives, simulated faults, and saved sessions.

import { DLDevtools } from '@edict/react/devtools';
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
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a diff', () => {
  /** The lines of the diff after an item changed from one value to the other, as `path: −before +after`. */
  async function linesOf(before: object, after: object): Promise<string[]> {
    const world = setup();
    let current = before;
    world.dl.createType('thing', { fetch: () => current });
    world.dl.fetchItem('thing', 1);
    await world.advance(requestMs);
    await open({}, world);
    current = after;
    world.dl.fetchItem('thing', 1, null, { force: true });
    await world.advance(requestMs);
    look();
    const [newest] = list().getAllByRole('option', { name: /Commit \d+: thing 1 ?new data/ });
    click(newest as HTMLElement);
    return [...root().querySelectorAll('.diff > div')].map((line) => {
      const part = (tag: string, sign: string): string => {
        const text = line.querySelector(tag)?.textContent;
        return text === undefined ? '' : ` ${sign}${text}`;
      };
      return `${line.querySelector('dt')?.textContent}:${part('del', '−')}${part('ins', '+')}`;
    });
  }

  it.each([
    ['a changed field', { a: 1, b: 2 }, { a: 1, b: 3 }, ['b: −2 +3']],
    ['a field of a field', { a: { b: 'x' } }, { a: { b: 'y' } }, ['a.b: −"x" +"y"']],
    ['a new and a removed field', { a: 1 }, { b: 2 }, ['a: −1', 'b: +2']],
    ['ids that were added and removed', { ids: [1, 2, 3] }, { ids: [4, 1, 3] }, ['ids: −2 +4']],
    ['ids in a different order', { ids: [1, 2] }, { ids: [2, 1] }, ['ids: −[1,2] +[2,1]']],
    [
      'an object in a list',
      { rows: [{ n: 1 }, { n: 2 }] },
      { rows: [{ n: 1 }, { n: 3 }] },
      ['rows[1].n: −2 +3'],
    ],
    ['another kind of value', { a: [1] }, { a: { b: 1 } }, ['a: −[1] +{"b":1}']],
  ])('shows %s', async (_, before, after, lines) => {
    expect(await linesOf(before, after)).toEqual(lines);
  });

  it('is shown with the cached entry', async () => {
    const world = await open();
    world.setTitle(1, 'another title');
    await world.push(refreshTicket(1));
    showTab('Cache');
    click(row(/ticket 1/));
    expect(details().getByRole('heading', { name: /^Last change/ })).toBeTruthy();
    expect(details().getByText('"another title"', { selector: 'ins' })).toBeTruthy();
  });
});

describe('an injected directive', () => {
  async function inject(text: string): Promise<World> {
    const world = await open();
    world.calls.length = 0;
    click(button('Inject'));
    expect(root().activeElement).toBe(panel().getByLabelText('Directives'));
    type('Directives', text);
    click(button('Apply'));
    await world.advance(100);
    look();
    return world;
  }

  it('is applied like a directive from the server', async () => {
    const world = await inject(JSON.stringify([refreshTicket(1), refreshTicket(2)]));
    expect(world.calls).toEqual(['ticket 1 default', 'ticket 2 default']);
    expect(panel().getByText('Applied. The timeline shows the effects.')).toBeTruthy();
    click(row(/refresh_item ticket 2/));
    expect(panel().queryByLabelText('Directives')).toBeNull();
    expect(panel().getByRole('list', { name: 'Effects of this directive' })).toBeTruthy();
  });

  it.each([
    ['is refused when it is not JSON', '{', /^Not valid JSON/],
    [
      'names the fault when it is not a directive',
      '{ "op": "refresh_item", "name": "ticket" }',
      /^Rejected: .*id/,
    ],
  ])('%s', async (_, text, message) => {
    const world = await inject(text);
    expect(panel().getByText(message)).toBeTruthy();
    expect(world.calls).toEqual([]);
  });
});

describe('a simulated fault', () => {
  const choose = (name: RegExp, fault: string): void => {
    click(row(name));
    type('Simulated requests', fault);
    click(details().getByRole('button', { name: 'Refetch' }));
  };

  it('makes the requests of one entry fail until it is ended', async () => {
    const world = await open();
    showTab('Cache');
    choose(/ticket 1/, 'failing');
    await world.advance(requestMs);
    look();
    expect(row(/ticket 1/).textContent).toMatch(/^failed/);
    expect(row(/ticket 2/).textContent).toMatch(/^fresh/);
    click(button('End 1 simulated fault'));
    click(button('Refetch'));
    await world.advance(requestMs);
    look();
    expect(row(/ticket 1/).textContent).toMatch(/^fresh/);
    expect(panel().queryByRole('button', { name: /simulated fault/ })).toBeNull();
  });

  it('delays the requests of a collection with one set of params', async () => {
    const world = await open();
    world.dl.fetchCollection('tickets', { params: { status: 'open' } });
    await world.advance(requestMs);
    showTab('Cache');
    choose(/status: open/, 'slow');
    world.dl.fetchCollection('tickets', { params: { status: 'closed' } });
    await world.advance(2900);
    look();
    expect(row(/status: open/).textContent).toMatch(/^loading/);
    expect(row(/status: closed/).textContent).toMatch(/^fresh/);
    await world.advance(200);
    look();
    expect(row(/status: open/).textContent).toMatch(/^fresh/);
  });

  it('does not affect the other items of a batch', async () => {
    const world = await open();
    for (const id of [1, 2, 3]) world.dl.fetchItem('person', id);
    await world.advance(requestMs);
    showTab('Cache');
    choose(/person 2/, 'failing');
    await world.advance(requestMs);
    world.calls.length = 0;
    for (const id of [1, 2, 3]) world.dl.fetchItem('person', id, null, { force: true });
    await world.advance(requestMs);
    look();
    expect(world.calls).toEqual(['people 1,3']);
    expect(row(/person 2/).textContent).toMatch(/^failed/);
    expect(row(/person 3/).textContent).toMatch(/^fresh/);
  });

  it('affects a fetch function that is registered later, and ends when the panel unmounts', async () => {
    const world = setup();
    world.dl.fetchItem('ticket', 3);
    const view = world.show(<DLDevtools initialIsOpen />);
    await world.advance(requestMs);
    showTab('Cache');
    choose(/ticket 3/, 'failing');
    await world.advance(requestMs);
    world.dl.createType('ticket', { fetch: (id) => ({ id, title: 'new' }) });
    world.dl.fetchItem('ticket', 4);
    await world.advance(requestMs);
    const ref = world.dl.fetchItem('ticket', 3, null, { force: true });
    await world.advance(requestMs);
    expect(ref.meta.error).toContain('simulated');
    view.unmount();
    world.dl.fetchItem('ticket', 3, null, { force: true });
    await world.advance(requestMs);
    expect(ref.data).toEqual({ id: 3, title: 'new' });
  });
});

describe('a saved session', () => {
  function exported(): string {
    let saved = '';
    vi.stubGlobal(
      'Blob',
      class {
        constructor([text]: string[]) {
          saved = text ?? '';
        }
      },
    );
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: () => '#', revokeObjectURL: () => undefined }),
    );
    showTab('Connection');
    click(button('Export'));
    return saved;
  }

  async function load(text: string, name = 'session.json'): Promise<void> {
    showTab('Connection');
    const files = [{ name, text: () => Promise.resolve(text) }];
    await act(async () => {
      fireEvent.change(panel().getByLabelText('Session file'), { target: { files } });
      await Promise.resolve();
    });
    look();
  }

  it('shows the same events, traces, and entries on another page', async () => {
    const world = await open();
    world.failing.add('2');
    world.setTitle(1, 'another title');
    await world.push({ op: 'invalidate', targets: [refreshTicket(1), refreshTicket(2)] });
    look();
    const before = rows();
    const text = exported();

    world.dl.reset();
    await load(text);
    expect(panel().getByRole('button', { name: 'Back to live' })).toBeTruthy();
    showTab('Timeline');
    expect(rows()).toEqual(before);
    expect(panel().queryByRole('button', { name: 'Clear' })).toBeNull();
    click(row(/invalidate 2 targets/));
    const trace = within(panel().getByRole('list', { name: 'Effects of this directive' }));
    expect(trace.getByText('Received 1 directive')).toBeTruthy();
    expect(trace.getByText('2 entries to fetch again')).toBeTruthy();
    expect(trace.getByText('2 failed')).toBeTruthy();
    showTab('Cache');
    click(row(/ticket 1/));
    expect(details().getByText('"another title"', { selector: 'ins' })).toBeTruthy();
    expect(details().queryByRole('button', { name: 'Refetch' })).toBeNull();
    click(button('Back to live'));
    look();
    expect(panel().queryByRole('button', { name: 'Back to live' })).toBeNull();
  });

  it('contains the cache at the time of the export', async () => {
    const world = await open();
    showTab('Cache');
    showTab('Timeline');
    world.setTitle(1, 'another title');
    await world.push(refreshTicket(1));
    const text = exported();
    world.dl.reset();
    await load(text);
    showTab('Cache');
    click(row(/ticket 1/));
    expect(details().getByText('"another title"', { selector: '[data-json]' })).toBeTruthy();
  });

  it.each([
    ['is not JSON', 'nothing'],
    ['has another format', '{"format":"other"}'],
    ['has no records', '{"format":"edict-devtools-session","version":1,"exportedAt":1,"snapshot":{}}'],
  ])('is refused when the file %s', async (_, text) => {
    await open();
    await load(text, 'notes.json');
    expect(panel().getByRole('alert').textContent).toBe('notes.json is not a session of these devtools.');
    expect(panel().queryByRole('button', { name: 'Back to live' })).toBeNull();
  });

  it('that is damaged leaves the page and the panel as they are', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {}); // React reports the error of the view.
    await open();
    const parts = '"types":{},"collections":{},"items":[],"refs":{},"sse":{},"bulk":{},"memory":{}';
    await load(
      `{"format":"edict-devtools-session","version":1,"exportedAt":1,"records":[{"message":{},"targets":[]}],"snapshot":{${parts}}}`,
    );
    showTab('Timeline');
    expect(panel().getByRole('alert').textContent).toContain('cannot show the session');
    expect(document.body.textContent).toContain('ticket 1');
    click(button('Back to live'));
    look();
    expect(rows()).not.toEqual([]);
    logged.mockRestore();
  });
});

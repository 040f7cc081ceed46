import { GoneError, useSuspenseCollection, useSuspenseItem } from '@edict/react';
import { act } from '@testing-library/react';
import { Suspense, type ReactElement } from 'react';
import { expect, it, vi } from 'vitest';
import { setup } from '../world.tsx';
import { Boundary, mount, mountWithReset, Title, titleOf } from './screen.tsx';

it('D-REACT-6 the boundary gets the error while there is no data, and its reset requests the data again', async () => {
  const world = setup();
  const { advance, failing, calls } = world;
  failing.add('1');
  const { text, click } = await mountWithReset(world, <Title />);
  await advance(10);
  expect(text()).toBe('1 failed');
  expect(calls).toHaveLength(1);
  await click();
  await advance(10);
  expect(text()).toBe('1 failed');
  expect(calls).toHaveLength(2);
  failing.clear();
  await click();
  expect(text()).toBe('waiting');
  await advance(10);
  expect(text()).toBe('ticket 1');
  expect(calls).toHaveLength(3);
});

it('D-REACT-6 the boundary gets the error of a level while another level of the item is in flight', async () => {
  const world = setup();
  const { dl, sim, advance } = world;
  let isUp = false;
  dl.createType('file', {
    fetch: async (id) => {
      await sim.sleep(1000);
      return { id, title: 'slow' };
    },
    levels: {
      preview: {
        fetch: async (id) => {
          await sim.sleep(10);
          if (!isUp) throw new Error('no preview');
          return { id, title: 'preview' };
        },
      },
    },
  });
  void dl.fetchItem('file', 1);
  const { text, click } = await mountWithReset(world, <Title type="file" level="preview" />);
  await advance(20);
  expect(text()).toBe('no preview');
  isUp = true;
  await click();
  expect(text()).toBe('waiting');
  await advance(20);
  expect(text()).toBe('preview');
  expect(dl.isItemLoading('file', 1)).toBe(true);
});

it('D-REACT-6 a level throws its own error, even if another level has failed since with the same message', async () => {
  const world = setup();
  const { dl, sim } = world;
  const refusal = (status: number): Error => Object.assign(new Error('refused'), { status });
  const causes = { full: refusal(404), default: refusal(500) };
  dl.createType('page', {
    fetch: () => Promise.reject(causes.default),
    levels: { full: { fetch: () => Promise.reject(causes.full) } },
  });
  dl.fetchItem('page', 1, 'full');
  await sim.settled();
  dl.fetchItem('page', 1);
  await sim.settled();
  const caught: unknown[] = [];
  const Row = (): ReactElement => <p>{String(useSuspenseItem('page', 1, 'full').data)}</p>;
  await mount(
    world,
    <Boundary onCatch={(error) => caught.push(error)}>
      <Row />
    </Boundary>,
  );
  expect(caught).toEqual([causes.full]);
  expect(caught[0]).toBe(causes.full);
});

it('D-REACT-6 throws the error of an entry that failed before immediately, without a request until the reset', async () => {
  const world = setup();
  const { advance, failing, calls, dl, sim } = world;
  failing.add('{}');
  dl.fetchCollection('tickets');
  await sim.settled();
  const List = (): ReactElement => <p>{useSuspenseCollection('tickets').data.count}</p>;
  const { text, click } = await mountWithReset(world, <List />);
  await advance(100);
  expect(text()).toBe('{} failed');
  expect(calls).toHaveLength(1);
  failing.clear();
  await click();
  await advance(10);
  expect(text()).toBe('5');
});

it.each([null, undefined])(
  'D-REACT-6 the boundary gets an error even when the fetch throws %s',
  async (thrown) => {
    const world = setup();
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what an application may do
    world.dl.createType('odd', { fetch: () => Promise.reject(thrown) });
    const { text } = await mountWithReset(world, <Title type="odd" />);
    await world.advance(10);
    expect(text()).toBe(world.dl.getItemRef('odd', 1).meta.error);
  },
);

it('D-REACT-6 the boundary gets a thrown value that is no Error as it is', async () => {
  const world = setup();
  const response = new Response(null, { status: 404 });
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what an application may do
  world.dl.createType('odd', { fetch: () => Promise.reject(response) });
  const caught: unknown[] = [];
  await mount(
    world,
    <Boundary onCatch={(error) => caught.push(error)}>
      <Suspense>
        <Title type="odd" />
      </Suspense>
    </Boundary>,
  );
  await world.advance(10);
  expect(caught).toEqual([response]);
});

it.each<[accepts: string, value: string | null, text: string]>([
  ['accepts null', null, 'null'],
  ['requires a string', 'a string', '[edict] note 1 does not exist.'],
])(
  'D-REACT-6 the boundary gets a GoneError unless the schema accepts null: it %s',
  async (_, expected, text) => {
    const world = setup();
    const validate = (value: unknown): { value: unknown } | { issues: { message: string }[] } =>
      value === expected || typeof value === 'string' ? { value } : { issues: [{ message: 'no string' }] };
    world.dl.createType('note', {
      fetch: () => 'text',
      schema: { '~standard': { version: 1, vendor: 'test', validate } },
    });
    const Note = (): ReactElement => <p>{String(useSuspenseItem('note', 1).data)}</p>;
    const view = await mountWithReset(world, <Note />);
    await world.advance(10);
    expect(view.text()).toBe('text');
    await world.push({ op: 'refresh_item', name: 'note', id: 1, result: null });
    expect(view.text()).toBe(text);
  },
);

it('D-REACT-6 the boundary gets a GoneError if the level is null, although another level has data', async () => {
  const world = setup();
  world.dl.createType('note', { fetch: () => 'text', levels: { full: { fetch: () => null } } });
  world.dl.fetchItem('note', 1);
  await world.advance(10);
  const caught = vi.fn();
  const Note = (): ReactElement => <p>{String(useSuspenseItem('note', 1, 'full').data)}</p>;
  await mount(
    world,
    <Boundary onCatch={caught}>
      <Suspense>
        <Note />
      </Suspense>
    </Boundary>,
  );
  await world.advance(10);
  expect(caught.mock.calls).toEqual([[new GoneError('[edict] note 1 does not exist.')]]);
});

it.each([null, undefined])('D-REACT-6 throws for the id %s instead of suspending forever', async (id) => {
  const Row = (): ReactElement => <p>{titleOf(useSuspenseItem('ticket', id as never).data)}</p>;
  const { text } = await mountWithReset(setup(), <Row />);
  expect(text()).toBe(
    '[edict] useSuspenseItem("ticket"): there is no id. Render the component only if there is one.',
  );
});

it('D-REG-1 D-REACT-6 an unregistered level throws to the boundary, and is fetched once it is registered', async () => {
  const world = setup();
  const { text, click } = await mountWithReset(
    world,
    <>
      <Title level="late" />
      <Title id={2} level="late" />
    </>,
  );
  expect(text()).toMatch(/late/);
  world.dl.createType('ticket', {
    fetch: () => ({ title: 'default' }),
    levels: { late: { fetch: async () => ({ title: 'late after all' }) } },
  });
  await click();
  await world.advance(10);
  expect(text()).toBe('late after all'.repeat(2)); // React passes only the first error to the boundary.
});

it('D-FETCH-8 throws an error when the data layer is disposed while it is suspended', async () => {
  const world = setup();
  const { text } = await mountWithReset(world, <Title />);
  await act(async () => world.dl.dispose());
  await world.advance(10);
  expect(text()).toMatch(/disposed|aborted/);
});

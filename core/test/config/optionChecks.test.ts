import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer } from '@edict/core';
import { createStage, untyped } from '../world.ts';

function setup(): DataLayer {
  const dl = createDataLayer();
  onTestFinished(() => dl.dispose());
  dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
  dl.createCollection('tickets', { fetch: () => Promise.resolve({ ids: [] }) });
  return dl;
}

describe('D-REG-4 in development an unknown option of a read', () => {
  it.each<[string, string, (dl: DataLayer) => unknown]>([
    ['fetchItem', 'forced', (dl) => dl.fetchItem('ticket', 7, null, untyped({ forced: true }))],
    ['fetchItem', 'params', (dl) => dl.fetchItem('ticket', 7, null, untyped({ params: {} }))],
    ['fetchCollection', 'status', (dl) => dl.fetchCollection('tickets', untyped({ status: 'open' }))],
    ['prefetchCollection', 'status', (dl) => dl.prefetchCollection('tickets', untyped({ status: 'open' }))],
    ['getCollectionRef', 'force', (dl) => dl.getCollectionRef('tickets', untyped({ force: true }))],
  ])('of %s throws a TypeError that names %s', (operation, option, read) => {
    const name = operation === 'fetchItem' ? 'ticket' : 'tickets';
    expect(() => read(setup())).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringContaining(`[edict] ${operation}("${name}"): ${option} is not an option.`),
      }),
    );
  });

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['fetchCollection', (dl) => dl.fetchCollection('tickets', untyped({ status: 'open' }))],
    ['prefetchCollection', (dl) => dl.prefetchCollection('tickets', untyped({ status: 'open' }))],
    ['getCollectionRef', (dl) => dl.getCollectionRef('tickets', untyped({ status: 'open' }))],
  ])('of %s suggests params', (_operation, read) => {
    expect(() => read(setup())).toThrow(
      'Filters belong in params: { params: { status: … } }. Use one of: params',
    );
  });

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['a wrong value', (dl) => dl.fetchItem('ticket', 7, null, untyped({ force: 1 }))],
    ['options that are not an object', (dl) => dl.fetchCollection('tickets', untyped('open'))],
  ])('or %s throws a TypeError', (_title, read) => {
    expect(() => read(setup())).toThrow(TypeError);
  });

  it('or a name without a JSON form is named too', () => {
    expect(() => setup().fetchCollection(untyped(5n))).toThrow('[edict] collection "5" is not registered');
  });

  it.each<[string, (dl: DataLayer) => unknown]>([
    ['no options', (dl) => dl.fetchItem('ticket', 7)],
    ['undefined', (dl) => dl.fetchCollection('tickets', undefined)],
    ['null', (dl) => dl.fetchItem('ticket', 7, undefined, untyped(null))],
    ['known options', (dl) => dl.fetchCollection('tickets', { params: {}, force: true, silent: false })],
    ['an option that is undefined', (dl) => dl.fetchItem('ticket', 7, null, untyped({ force: undefined }))],
  ])('%s are accepted', (_title, read) => {
    expect(() => read(setup())).not.toThrow();
  });

  it('is ignored in production', () => {
    const dl = setup();
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => dl.fetchItem('ticket', 7, null, untyped({ forced: true }))).not.toThrow();
  });
});

const aReference = 'it must be given a reference, as returned by fetchItem of this data layer, but it is';
const aLevel = 'the level must be a name (only fetchItem has options, as its fourth argument), but it is';

it.each<[string, (dl: DataLayer) => unknown]>([
  [`fetchItem: ${aLevel} an object.`, (dl) => dl.fetchItem('ticket', 7, untyped({ force: true }))],
  [`prefetchItem: ${aLevel} an object.`, (dl) => dl.prefetchItem('ticket', 7, untyped({ level: 'full' }))],
  [
    'reset: audiences is not an option. Use one of: audience.',
    (dl) => dl.reset(untyped({ audiences: ['user-7'] })),
  ],
  [
    'applyDirectives: mode is not an option. Use one of: path.',
    (dl) => dl.applyDirectives([], untyped({ mode: 'pull' })),
  ],
  [
    'applyDirectives: the options must be an object, but it is "pull".',
    (dl) => dl.applyDirectives([], untyped('pull')),
  ],
  [
    'applyDirectives: path must be "push" or "pull", but it is "pul".',
    (dl) => dl.applyDirectives([], { path: untyped('pul') }),
  ],
  [`onRefChange: ${aReference} an object.`, (dl) => dl.onRefChange(untyped({}), () => undefined)],
  [`onRefChange: ${aReference} null.`, (dl) => dl.onRefChange(untyped(null), () => undefined)],
  [`whenSettled: ${aReference} an object.`, (dl) => dl.whenSettled(untyped({ data: null }))],
  [`whenSettled: ${aReference} null.`, (dl) => dl.whenSettled(untyped(null))],
  [
    'onRefChange: the callback must be a function, but it is 5.',
    (dl) => dl.onRefChange(dl.getItemRef('ticket', 7), untyped(5)),
  ],
  [
    'onChange: the callback must be a function, but it is undefined.',
    (dl) => dl.onChange(untyped(undefined)),
  ],
  [
    'onLifecycle: the callback must be a function, but it is null.',
    (dl) => dl.onLifecycle('*', untyped(null)),
  ],
  [
    'onLifecycle: the event must be a string that is not empty, but it is undefined.',
    (dl) => dl.onLifecycle(untyped(undefined), () => undefined),
  ],
])('D-REG-4 a wrong argument of an operation throws a TypeError: %s', (message, run) => {
  expect(() => run(setup())).toThrow(new TypeError(`[edict] ${message}`));
});

it('warns once of an empty id, and reads it', async () => {
  const { sim, dl } = createStage();
  dl.createType('ticket', { fetch: async (id) => ({ id }) });
  for (const id of ['', '', '7']) dl.fetchItem('ticket', id);
  await sim.settled();
  expect(dl.getItemRef('ticket', '').data).toEqual({ id: '' });
  expect(sim.log.map(({ message }) => message)).toEqual([
    'type "ticket": an id is empty. While there is no id, pass null to the hook.',
  ]);
});

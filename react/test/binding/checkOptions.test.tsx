import { useCollection, useItem, useMutation } from '@edict/react';
import { renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { setup } from '../world.tsx';

const itemWith = (options: unknown) => () => useItem('ticket', 1, null, options as never);
const run = () => undefined;
const all = 'enabled, silent, keepPrevious, select, isEqual';

it.each<[message: string, hook: () => unknown]>([
  [
    `useCollection("tickets"): there is no option "status". For a filter, pass { params: { status: … } }. The options are params, ${all}.`,
    () => useCollection('tickets', { status: 'open' } as never),
  ],
  [`useItem("ticket"): there is no option "enable". The options are ${all}.`, itemWith({ enable: true })],
  [
    `useItem("ticket"): there is no option "enable". The options are ${all}, level.`,
    () => useItem('ticket', 1, { enable: true } as never),
  ],
  ['useItem("ticket"): the options must be an object, but are an array.', itemWith(['full'])],
  ['useItem("ticket"): select must be a function, but is "title".', itemWith({ select: 'title' })],
  ['useItem("ticket"): select must be a function, but is the bigint 5n.', itemWith({ select: 5n })],
  [
    'useItem("ticket"): isEqual must be a function, but is "deep".',
    itemWith({ select: run, isEqual: 'deep' }),
  ],
  ['useItem("ticket"): enabled must be true or false, but is 0.', itemWith({ enabled: 0 })],
  ['useItem("ticket"): silent must be true or false, but is "no".', itemWith({ silent: 'no' })],
  ['useItem("ticket"): keepPrevious must be true or false, but is 1.', itemWith({ keepPrevious: 1 })],
  [
    'useMutation: until must be settled, applied, response, but is "setled".',
    () => useMutation(run, { until: 'setled' as never }),
  ],
  [
    'useMutation: the first argument must be a function, but is undefined.',
    () => useMutation(undefined as never),
  ],
  ...['onSuccess', 'onError', 'onSettled'].map((name): [string, () => unknown] => [
    `useMutation: ${name} must be a function, but is "log".`,
    () => useMutation(run, { [name]: 'log' }),
  ]),
])('D-REACT-2 a wrong option throws a TypeError in the render: %s', (message, hook) => {
  const { wrapper } = setup();
  vi.spyOn(console, 'error').mockReturnValue(); // React logs what is thrown.
  expect(() => renderHook(hook, { wrapper })).toThrow(new TypeError(`[edict] ${message}`));
  vi.restoreAllMocks();
});

it('D-REACT-2 null instead of options means no options', async () => {
  const { wrapper, advance } = setup();
  const { result } = renderHook(
    () => [
      useItem('ticket', 1, null, null as never).data,
      useCollection('tickets', null as never).data.ids[0],
    ],
    { wrapper },
  );
  await advance(20);
  expect(result.current).toEqual([{ id: 1, title: 'ticket 1', status: 'open' }, 1]);
});

// Environments without a page: React Native has a `window`, a terminal has neither `window` nor `document`. The package detects the
// environment when it is loaded, so the tests remove these globals only during the import and then render with React DOM.

import { createDataLayer } from '@edict/core';
import { render } from '@testing-library/react';
import { useEffect, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DLProvider } from '@edict/react';

async function loadWithout(globals: readonly string[]): Promise<typeof import('@edict/react')> {
  vi.resetModules();
  for (const name of globals) vi.stubGlobal(name, undefined);
  try {
    return await import('@edict/react');
  } finally {
    vi.unstubAllGlobals();
  }
}

it.each([
  ['React Native', ['document']],
  ['a terminal', ['document', 'window']],
])(
  'D-REACT-8 a run that an effect of a child starts calls the function of the latest render in %s',
  async (_, globals) => {
    const { DLProvider, useMutation } = await loadWithout(globals);
    const dl = createDataLayer();
    onTestFinished(() => dl.dispose());
    const saved: number[] = [];

    function AutoSave({ id, save }: { id: number; save: () => Promise<unknown> }): null {
      useEffect(() => void save(), [id, save]);
      return null;
    }
    function Ticket({ id }: { id: number }): ReactElement {
      const { run } = useMutation(() => void saved.push(id));
      return <AutoSave id={id} save={run} />;
    }

    const show = (id: number): ReactElement => (
      <DLProvider dl={dl}>
        <Ticket id={id} />
      </DLProvider>
    );
    const { rerender } = render(show(1));
    rerender(show(2));
    expect(saved).toEqual([1, 2]);
  },
);

it.each([
  ['React Native, which serves one person', ['document'], 0],
  ['a server, where it would be shared across users', ['document', 'window'], 1],
])(
  'D-REACT-1 hooks outside a provider use DL and warn where users would share it: %s',
  async (_, globals, warnings) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { useDL } = await loadWithout(globals);
    function Who(): null {
      useDL();
      return null;
    }
    for (const name of globals) vi.stubGlobal(name, undefined);
    try {
      renderToString(<Who />);
      renderToString(<Who />);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(warn.mock.calls.filter(([text]) => String(text).includes('across users'))).toHaveLength(warnings);
  },
);

it('D-REACT-1 without a provider, or with one that has no data layer, the hooks use the default one', async () => {
  const { DL } = await import('@edict/core');
  const { DLProvider, useDL } = await import('@edict/react');
  const seen: unknown[] = [];
  function Probe(): null {
    seen.push(useDL());
    return null;
  }
  render(<Probe />);
  render(
    <DLProvider>
      <Probe />
    </DLProvider>,
  );
  expect(seen).toEqual([DL, DL]);
});

it.each<[string, object, string]>([
  ['that is null', { dl: null }, 'dl must be a data layer, but is null. Omit it for DL.'],
  ['that is a number', { dl: 5 }, 'dl must be a data layer, but is 5.'],
  ['that is a string', { dl: 'dl' }, 'dl must be a data layer, but is "dl".'],
  ['that is another object', { dl: {} }, 'dl must be a data layer, but is an object.'],
  ['without a prototype', { dl: Object.create(null) }, 'dl must be a data layer, but is an object.'],
  [
    'in another property',
    { value: createDataLayer() },
    'there is no property "value". Pass the data layer as dl.',
  ],
  ['that is a function', { dl: createDataLayer }, 'dl must be a data layer, but is a function.'],
  [
    'that was not awaited',
    { dl: Promise.resolve() },
    'dl must be a data layer, but is an instance of Promise.',
  ],
])('D-REACT-1 throws a TypeError for a data layer %s', (_, props, message) => {
  const show = (): string => renderToString(<DLProvider {...props} />);
  expect(show).toThrow(`[edict] <DLProvider>: ${message}`);
  expect(show).toThrow(TypeError);
});

it('D-REACT-1 ignores other properties, such as those that build tools add', () => {
  const dl = createDataLayer();
  onTestFinished(() => dl.dispose());
  const added: object = { 'data-source-file': 'App.tsx', ref: null, client: undefined };
  expect(
    renderToString(
      <DLProvider dl={dl} {...added}>
        ok
      </DLProvider>,
    ),
  ).toBe('ok');
});

// Where React runs without a page: React Native has a `window`, a terminal has neither. What is looked up when the package is loaded
// is what counts, so the document is away only then, and React's own renderer for pages does the rest.

import { createDataLayer } from '@edict/core';
import { render } from '@testing-library/react';
import { useEffect, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it, onTestFinished, vi } from 'vitest';

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
  'D-REACT-8 a run that a child starts in an effect is that of the newest render, in %s',
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
])('D-REACT-1 hooks outside a provider share DL: on %s', async (_, globals, warnings) => {
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
});

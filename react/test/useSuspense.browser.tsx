// Suspense in a real browser without `act`, where React 19 renders one suspended component per task.

import { createSimulation } from '@edict/core/testing';
import { DLProvider, useErrorReset, useSuspenseItem } from '@edict/react';
import { Component, Suspense, type ReactElement, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished, vi } from 'vitest';

const ids = Array.from({ length: 100 }, (_, id) => id);

it('D-DIR-7 D-REACT-6 a list of 100 rows that suspend in one boundary needs one request', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const asked: unknown[] = [];
  dl.createType('note', {
    fetch: () => expect.unreachable('fetched alone'),
    bulkFetch: async (wanted) => {
      asked.push(wanted);
      return wanted.map((id) => ({ id, title: `note ${id}` }));
    },
  });
  const Row = ({ id }: { id: number }): ReactElement => (
    <li>{(useSuspenseItem('note', id).data as { title: string }).title}</li>
  );
  const box = document.createElement('ul');
  const root = createRoot(box);
  onTestFinished(() => {
    root.unmount();
    dl.dispose();
  });
  root.render(
    <DLProvider dl={dl}>
      <Suspense fallback="wait">
        {ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </Suspense>
    </DLProvider>,
  );
  // Simulated time does not advance until all rows have requested their item.
  await expect.poll(() => ids.every((id) => dl.isItemLoading('note', id))).toBe(true);
  expect(asked).toEqual([]);
  await sim.settled();
  expect(asked).toEqual([ids]);
  await expect.poll(() => box.children.length).toBe(100);
  expect(box.textContent).toBe(ids.map((id) => `note ${id}`).join(''));
});

class Boundary extends Component<{ children: ReactNode; onReset: () => void }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError(): object {
    return { hasFailed: true };
  }
  override render(): ReactNode {
    const reset = (): void => {
      this.props.onReset();
      this.setState({ hasFailed: false });
    };
    return this.state.hasFailed ? <button onClick={reset}>again</button> : this.props.children;
  }
}

it('D-REACT-6 one reset recovers all rows of a boundary after the server is back', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  let isDown = true;
  dl.createType('ticket', {
    fetch: async (id) => {
      if (isDown) throw new Error('down');
      return { id };
    },
  });
  const Row = ({ id }: { id: number }): ReactElement => (
    <i>{(useSuspenseItem('ticket', id).data as { id: number }).id}</i>
  );
  const Page = (): ReactElement => (
    <Boundary onReset={useErrorReset()}>
      <Suspense fallback="wait">
        {[1, 2, 3, 4, 5].map((id) => (
          <Row key={id} id={id} />
        ))}
      </Suspense>
    </Boundary>
  );
  const box = document.createElement('div');
  const root = createRoot(box);
  onTestFinished(() => {
    root.unmount();
    dl.dispose();
    vi.restoreAllMocks();
  });
  root.render(
    <DLProvider dl={dl}>
      <Page />
    </DLProvider>,
  );
  await expect.poll(() => box.textContent).toBe('again');
  isDown = false;
  box.querySelector('button')?.click();
  await expect.poll(() => box.textContent).toBe('12345');
});

// Suspense in a real browser and without `act`, where React 19 comes to one waiting component per task.

import { createSimulation } from '@edict/core/testing';
import { DLProvider, useSuspenseItem } from '@edict/react';
import { Suspense, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, onTestFinished } from 'vitest';

const ids = Array.from({ length: 100 }, (_, id) => id);

it('D-DIR-7 D-REACT-6 a list of 100 rows that wait within one boundary is one request', async () => {
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
  // Simulated time stands still until all have asked.
  await expect.poll(() => ids.every((id) => dl.isItemLoading('note', id))).toBe(true);
  expect(asked).toEqual([]);
  await sim.settled();
  expect(asked).toEqual([ids]);
  await expect.poll(() => box.children.length).toBe(100);
  expect(box.textContent).toBe(ids.map((id) => `note ${id}`).join(''));
});

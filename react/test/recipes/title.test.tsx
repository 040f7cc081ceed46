// @vitest-environment jsdom
import { createSimulation } from '@edict/core/testing';
import { DLProvider, useItem } from '@edict/react';
import { act, render } from '@testing-library/react';
import { expect, it } from 'vitest';

function Title({ id }: { id: number }) {
  const { data } = useItem('ticket', id);
  return <h1>{data === null ? 'Loading …' : (data as { title: string }).title}</h1>;
}

it('shows the title', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer();
  dl.createType('ticket', { fetch: (id) => ({ id, title: 'Printer on fire' }) });
  const { container } = render(
    <DLProvider dl={dl}>
      <Title id={7} />
    </DLProvider>,
  );
  await act(() => sim.settled());
  expect(container.textContent).toBe('Printer on fire');
});

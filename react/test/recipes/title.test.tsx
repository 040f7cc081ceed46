// @vitest-environment jsdom
import { defineItem } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { DLProvider, useItem } from '@edict/react';
import { act, render } from '@testing-library/react';
import { expect, it } from 'vitest';

const ticket = defineItem('ticket', { fetch: (id: number) => ({ id, title: 'Printer on fire' }) });

function Title({ id }: { id: number }) {
  const { data } = useItem(ticket, id);
  return <h1>{data?.title ?? 'Loading …'}</h1>;
}

it('shows the title', async () => {
  const sim = createSimulation();
  const dl = sim.createDataLayer();
  dl.register(ticket);
  const { container } = render(
    <DLProvider dl={dl}>
      <Title id={7} />
    </DLProvider>,
  );
  await act(() => sim.settled());
  expect(container.textContent).toBe('Printer on fire');
});

// A plain list endpoint fills a table. Its rows come from the items that the list response contained.

import { createDataLayer, defineCollection, defineItem, type DataLayer, type Id } from '@edict/core';
import { refreshCollection, refreshItem } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { DLProvider, useCollection, useItem, useItems } from '@edict/react';
import { act, render } from '@testing-library/react';
import { StrictMode, type ReactNode } from 'react';
import { expect, it } from 'vitest';

interface Ticket {
  id: number;
  title: string;
}

const titleOf = (data: unknown): string => (data as Ticket | null)?.title ?? 'loading';

function Row({ id }: { id: Id }): ReactNode {
  return <li>{titleOf(useItem('ticket', id).data)}</li>;
}

function Rows(): ReactNode {
  return useCollection('tickets').data.ids.map((id) => <Row key={id} id={id} />);
}

function Table(): ReactNode {
  const { ids } = useCollection('tickets').data;
  return useItems('ticket', ids).map(({ data }, at) => <li key={ids[at]}>{titleOf(data)}</li>);
}

const views = { Rows, Table };

function setup(stalenessMs: number) {
  const sim = createSimulation();
  const requests: string[] = [];
  let version = 1;
  const respond = <T,>(path: string, body: () => T): Promise<T> => {
    requests.push(path);
    return sim.sleep(10).then(body);
  };
  const row = (id: number): Ticket => ({ id, title: `Ticket ${id} v${version}` });
  const ticket = defineItem('ticket', {
    stalenessMs,
    fetch: (id: number): Promise<Ticket> => respond(`GET /tickets/${id}`, () => row(id)),
  });
  const tickets = defineCollection('tickets', {
    of: ticket,
    fetch: (): Promise<Ticket[]> => respond('GET /tickets', () => [1, 2, 3].map(row)),
  });
  const dl: DataLayer = createDataLayer({ env: sim.env, register: [ticket, tickets] });
  dl.init({ sse: { enabled: false } });

  const advance = (ms: number): Promise<void> => act(() => sim.advance(ms));
  const write = (): void => void (version += 1);
  return { dl, requests, advance, write };
}

const shown = (container: HTMLElement): string[] =>
  [...container.querySelectorAll('li')].map((li) => li.textContent);

it.each([
  ['one component for each row', 'Rows', 15_000],
  ['one component for each row, and data that is always stale', 'Rows', 0],
  ['one component for all rows', 'Table', 15_000],
  ['one component for all rows, and data that is always stale', 'Table', 0],
] as const)('one request shows a table and one refreshes it: %s', async (_, view, stalenessMs) => {
  const { dl, requests, advance, write } = setup(stalenessMs);
  const View = views[view];
  const { container, unmount } = render(
    <StrictMode>
      <DLProvider dl={dl}>
        <View />
      </DLProvider>
    </StrictMode>,
  );
  await advance(100);
  expect(shown(container)).toEqual(['Ticket 1 v1', 'Ticket 2 v1', 'Ticket 3 v1']);
  expect(requests).toEqual(['GET /tickets']);
  write();
  act(() => void dl.applyDirectives([refreshItem('ticket', 2), refreshCollection('tickets')]));
  await advance(200);
  expect(shown(container)).toEqual(['Ticket 1 v2', 'Ticket 2 v2', 'Ticket 3 v2']);
  expect(requests).toEqual(['GET /tickets', 'GET /tickets']);
  unmount();
  dl.dispose();
});

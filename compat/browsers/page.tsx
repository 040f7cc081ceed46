// The page that each browser opens. It shows a hundred tickets, which are fetched with one request and stay up to date.

import { DL } from '@edict/core';
import { useCollection, useItem, useMutation } from '@edict/react';
import type { ReactElement } from 'react';
import { createRoot } from 'react-dom/client';

interface Ticket {
  title: string;
}

declare module '@edict/core' {
  interface Register {
    types: { ticket: { default: Ticket } };
  }
}

const events: string[] = [];
Object.assign(globalThis, { events });
DL.onLifecycle('*', ({ event }) => void events.push(event));
addEventListener('pageshow', ({ persisted }) => void (persisted && events.push('restored')));

async function json(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The server responded with status ${response.status}.`);
  return response.json();
}

DL.createType('ticket', {
  fetch: (id) => json(`/api/tickets?ids=${id}`).then((all) => (all as Ticket[])[0] as Ticket), // The server responds with a list.
  bulkFetch: (ids) => json(`/api/tickets?ids=${ids.join()}`) as Promise<Ticket[]>,
});
DL.createCollection('tickets', { fetch: () => json('/api/list') as Promise<{ ids: string[] }> });
DL.init({ sse: { initialRetryMs: 100, resyncJitterMinMs: 0, resyncJitterMaxMs: 10 } });

function Row({ id }: { id: string }): ReactElement {
  const { data } = useItem('ticket', id);
  return <li>{data?.title}</li>;
}

function Desk(): ReactElement {
  const { data } = useCollection('tickets');
  const rename = useMutation((_: void, { fetch }) => fetch('/api/tickets', { method: 'POST' }));
  return (
    <>
      <button onClick={() => void rename.run()}>Rename the first</button>
      <ul>
        {data.ids.map((id) => (
          <Row key={id} id={String(id)} />
        ))}
      </ul>
    </>
  );
}

createRoot(document.body.appendChild(document.createElement('main'))).render(<Desk />);

'use client';

import { useServerAction } from '@edict/next';
import { useCollection, useItem } from '@edict/react';
import Link from 'next/link';
import { ticket, tickets } from '../lib/data';
import { solve } from './actions';

export function List() {
  const { data, error, refresh } = useCollection(tickets);
  return (
    <>
      <h1>Tickets</h1>
      {error !== null && (
        <p role="alert">
          The tickets could not be loaded. <button onClick={refresh}>Try again</button>
        </p>
      )}
      <ul>
        {data.ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ul>
    </>
  );
}

function Row({ id }: { id: number }) {
  const { data } = useItem(ticket, id);
  const action = useServerAction(solve);
  // Shown with `aria-disabled`: a `disabled` button would lose the focus.
  const isOff = action.isRunning || data?.status === 'solved';
  return (
    <li>
      <Link href={`/tickets/${id}`}>{data?.title}</Link>
      <span>
        {data?.status}{' '}
        <button aria-disabled={isOff} onClick={isOff ? undefined : () => void action.run(id)}>
          Solve
        </button>
      </span>
      {action.error !== null && <span role="alert">The ticket could not be solved.</span>}
    </li>
  );
}

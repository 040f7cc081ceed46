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
          {error.message} <button onClick={refresh}>Try again</button>
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
  return (
    <li>
      <Link href={`/tickets/${id}`}>{data?.title}</Link>
      <span>
        {data?.status}{' '}
        <button disabled={action.isRunning || data?.status === 'solved'} onClick={() => void action.run(id)}>
          Solve
        </button>
      </span>
      {action.error !== null && <span role="alert">{action.error.message}</span>}
    </li>
  );
}

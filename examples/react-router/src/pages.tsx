import { useCollection, useItem, useMutation } from '@edict/react';
import { Link, useParams, useRevalidator, useRouteError } from 'react-router';
import { ticket, tickets } from './data.ts';

// Pages read the cache, not the loader's result, because the cache follows every change.

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
  return (
    <li>
      <Link to={`/tickets/${id}`}>{data?.title}</Link>
      {data?.status}
    </li>
  );
}

export function Ticket() {
  const id = Number(useParams().id);
  const { data, isGone } = useItem(ticket, id);
  const solve = useMutation((_: void, { json }) => json(`/api/tickets/${id}/solve`, { method: 'POST' }));
  if (isGone || data === null) return <NotFound />;
  return (
    <>
      <p>
        <Link to="/">All tickets</Link>
      </p>
      <h1>{data.title}</h1>
      <p role="status">{data.status}</p>
      <button disabled={solve.isRunning || data.status === 'solved'} onClick={() => void solve.run()}>
        Solve
      </button>
      {solve.error !== null && <p role="alert">{solve.error.message}</p>}
    </>
  );
}

export function NotFound() {
  return (
    <>
      <h1>Not found</h1>
      <Link to="/">All tickets</Link>
    </>
  );
}

/** A loader rejected. */
export function Failure() {
  const error = useRouteError();
  const { revalidate } = useRevalidator();
  return (
    <p role="alert">
      {error instanceof Error ? error.message : 'Something went wrong.'}{' '}
      <button onClick={() => void revalidate()}>Try again</button>
    </p>
  );
}

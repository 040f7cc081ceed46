import { useCollection, useItem, useMutation } from '@edict/react';
import { Link, useParams } from 'react-router';
import { ticket, tickets } from './data.ts';

// Pages read the cache, not the loader's result, because the cache follows every change.

export function List() {
  const { data, error, refresh } = useCollection(tickets);
  return (
    <>
      <h1>Tickets</h1>
      <Failure error={error} onRetry={refresh} />
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
  const { data, error, isGone, refresh } = useItem(ticket, id);
  const solve = useMutation((_: void, { json }) => json(`/api/tickets/${id}/solve`, { method: 'POST' }));
  if (isGone) return <NotFound />;
  // Shown with `aria-disabled`: a `disabled` button would lose the focus.
  const isOff = solve.isRunning || data?.status === 'solved';
  return (
    <>
      <p>
        <Link to="/">All tickets</Link>
      </p>
      <Failure error={error} onRetry={refresh} />
      {data !== null && (
        <>
          <h1>{data.title}</h1>
          <p role="status">{data.status}</p>
          <button aria-disabled={isOff} onClick={isOff ? undefined : () => void solve.run()}>
            Solve
          </button>
        </>
      )}
      {solve.error !== null && <p role="alert">The ticket could not be solved.</p>}
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

function Failure({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (error === null) return null;
  return (
    <p role="alert">
      The data could not be loaded. <button onClick={onRetry}>Try again</button>
    </p>
  );
}

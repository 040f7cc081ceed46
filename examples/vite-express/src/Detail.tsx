import { useItem, useMutation } from '@edict/react';
import { ticket } from './data.ts';

/** Reads the same ticket as its row, so both always agree, and one request serves both. */
export function Detail({ id }: { id: number }) {
  const { data, error, isGone, isPending } = useItem(ticket, id);
  const remove = useMutation((_: void, { json }) => json(`/api/tickets/${id}`, { method: 'DELETE' }));
  if (isGone) return <p role="status">Ticket {id} was deleted.</p>;
  if (isPending) return <p>Loading …</p>;
  return (
    <article>
      <h2>{data?.title}</h2>
      <p>
        Ticket {id} is {data?.status}.
      </p>
      <button disabled={remove.isRunning} onClick={() => void remove.run()}>
        Delete
      </button>
      {(error ?? remove.error) !== null && <p role="alert">{(error ?? remove.error)?.message}</p>}
    </article>
  );
}

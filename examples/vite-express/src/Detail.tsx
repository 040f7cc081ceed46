import { useRef } from 'react';
import { useItem, useMutation } from '@edict/react';
import { messageOf, ticket } from './data.ts';

/** Reads the same ticket as its row, so both always agree, and one request serves both. */
export function Detail({ id }: { id: number }) {
  const article = useRef<HTMLElement>(null);
  const { data, error, isGone, isPending, refresh } = useItem(ticket, id);
  const remove = useMutation((_: void, { json }) => json(`/api/tickets/${id}`, { method: 'DELETE' }), {
    // The button disappears with the ticket, so the focus moves to the notice.
    onSuccess: () => article.current?.focus(),
  });
  return (
    <article ref={article} tabIndex={-1}>
      {isGone && <p role="status">Ticket {id} was deleted.</p>}
      {isPending && <p>Loading …</p>}
      {error !== null && (
        <p role="alert">
          {messageOf(error)} <button onClick={refresh}>Try again</button>
        </p>
      )}
      {data !== null && (
        <>
          <h2>{data.title}</h2>
          <p>
            Ticket {id} is {data.status}.
          </p>
          <button
            aria-disabled={remove.isRunning}
            onClick={remove.isRunning ? undefined : () => void remove.run()}
          >
            Delete
          </button>
        </>
      )}
      {remove.error !== null && <p role="alert">{messageOf(remove.error)}</p>}
    </article>
  );
}

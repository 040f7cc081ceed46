// TicketList.tsx
import { useCollection, useItem } from '@edict/react';
import { ticket, tickets } from './lists.ts';

function Row({ id }: { id: number }) {
  const { data } = useItem(ticket, id);
  return <li>{data?.title}</li>;
}

export function TicketList({ page }: { page: number }) {
  const { data, error, isPending, refresh } = useCollection(tickets, { params: { page } });
  if (isPending) return <p>Loading …</p>;
  return (
    <>
      {error !== null && <button onClick={refresh}>{error.message}: try again</button>}
      <ul>
        {data.ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ul>
    </>
  );
}

// Pages.tsx
import { useCollection, useItem } from '@edict/react';
import { ticket, tickets } from './lists.ts';

function Row({ id }: { id: number }) {
  return <li>{useItem(ticket, id).data?.title}</li>;
}

export function Pages({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const { data, meta } = useCollection(tickets, { params: { page }, keepPrevious: true });
  return (
    <>
      <ol aria-busy={meta.isPrevious}>
        {data.ids.map((id) => (
          <Row key={id} id={id} />
        ))}
      </ol>
      <button disabled={page === 0} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <button onClick={() => onPage(page + 1)}>Next</button>
    </>
  );
}

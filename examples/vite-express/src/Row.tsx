import { useItem, useMutation } from '@edict/react';
import { ticket } from './data.ts';

export function Row({ id, onOpen }: { id: number; onOpen: () => void }) {
  const { data } = useItem(ticket, id);
  const solve = useMutation((_: void, { json }) => json(`/api/tickets/${id}/solve`, { method: 'POST' }));
  return (
    <li>
      <button onClick={onOpen}>{data?.title ?? '…'}</button>
      <span>
        {data?.status}{' '}
        <button disabled={solve.isRunning || data?.status === 'solved'} onClick={() => void solve.run()}>
          Solve
        </button>
      </span>
      {solve.error !== null && <span role="alert">{solve.error.message}</span>}
    </li>
  );
}

import { useItem, useMutation } from '@edict/react';
import { messageOf, ticket } from './data.ts';

export function Row({ id, onOpen }: { id: number; onOpen: () => void }) {
  const { data } = useItem(ticket, id);
  const solve = useMutation((_: void, { json }) => json(`/api/tickets/${id}/solve`, { method: 'POST' }));
  // Shown with `aria-disabled`: a `disabled` button would lose the focus.
  const isOff = solve.isRunning || data?.status === 'solved';
  return (
    <li>
      <button onClick={onOpen}>{data?.title ?? '…'}</button>
      <span>
        {data?.status}{' '}
        <button aria-disabled={isOff} onClick={isOff ? undefined : () => void solve.run()}>
          Solve
        </button>
      </span>
      {solve.error !== null && <span role="alert">{messageOf(solve.error)}</span>}
    </li>
  );
}

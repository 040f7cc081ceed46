import { useMutation, useQuery } from '@tanstack/react-query';
import { dl } from './live.ts';

interface Ticket {
  id: number;
  title: string;
  status: 'open' | 'solved';
}

async function read<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`Status ${response.status}`);
  return response.json();
}

export function App() {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['tickets'],
    queryFn: async ({ signal }) => read<Ticket[]>(await fetch('/api/tickets', { signal })),
  });
  return (
    <>
      <h1>Tickets</h1>
      {isPending && <p>Loading …</p>}
      {error !== null && (
        <p role="alert">
          The tickets could not be loaded. <button onClick={() => void refetch()}>Try again</button>
        </p>
      )}
      <ul>
        {data?.map((ticket) => (
          <Row key={ticket.id} {...ticket} />
        ))}
      </ul>
    </>
  );
}

function Row({ id, title, status }: Ticket) {
  const solve = useMutation({
    // No `onSuccess` with invalidations: the response says what changed, and `dl.fetch` applies it.
    mutationFn: async () => read(await dl.fetch(`/api/tickets/${id}/solve`, { method: 'POST' })),
  });
  // Shown with `aria-disabled`: a `disabled` button would lose the focus.
  const isOff = solve.isPending || status === 'solved';
  return (
    <li>
      {title}
      <span>
        {status}{' '}
        <button aria-disabled={isOff} onClick={isOff ? undefined : () => solve.mutate()}>
          Solve
        </button>
      </span>
      {solve.error !== null && <span role="alert">The ticket could not be solved.</span>}
    </li>
  );
}

import { LiveBoundary, RefreshOn } from '@edict/next';
import Link from 'next/link';
import { Suspense } from 'react';
import { find } from '../../../lib/database';
import { live } from '../../../lib/live';

interface Props {
  params: Promise<{ id: string }>;
}

export default function Page({ params }: Props) {
  return (
    <Suspense fallback={<p>Loading …</p>}>
      <Ticket params={params} />
    </Suspense>
  );
}

/** Rendered on the server alone. `RefreshOn` renders it again when the ticket changes. */
async function Ticket({ params }: Props) {
  const id = Number((await params).id);
  const state = await live.prefetch(); // The position of the stream, before the data.
  const ticket = find(id);
  return (
    <LiveBoundary state={state}>
      <RefreshOn items={[{ type: 'ticket', id }]} />
      <p>
        <Link href="/">All tickets</Link>
      </p>
      <h1>{ticket?.title ?? 'Ticket not found'}</h1>
      {ticket !== null && <p role="status">{ticket.status}</p>}
    </LiveBoundary>
  );
}

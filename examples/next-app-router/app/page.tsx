import { LiveBoundary } from '@edict/next';
import { Suspense } from 'react';
import { tickets } from '../lib/data';
import { live } from '../lib/live';
import { List } from './list';

export default function Page() {
  return (
    <Suspense fallback={<p>Loading …</p>}>
      <Tickets />
    </Suspense>
  );
}

async function Tickets() {
  const state = await live.prefetch((dl) => dl.prefetchCollection(tickets));
  return (
    <LiveBoundary state={state}>
      <List />
    </LiveBoundary>
  );
}

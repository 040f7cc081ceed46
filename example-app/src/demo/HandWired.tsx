// "Without Edict": Mara's queue in a hand-wired TanStack Query cache, on a wire with the same faults.

import { useEffect, useLayoutEffect, useState } from 'react';
import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { getJson } from './api.ts';
import { useSession, useVerdicts } from './context.tsx';
import { follow } from './handWired.ts';
// oxlint-disable-next-line import/default -- Vite makes the text of the file its default export
import source from './handWired.ts?raw';
import { LoadError } from './LoadError.tsx';
import { handWiredScreen, type DemoTicket } from './model.ts';
import { Face, TicketLine } from './TicketLine.tsx';
import { createWire, type Wire } from './wire.ts';

/** Gives the twin the faults of a wire, until the returned function is called. */
function copyFaults(wire: Wire, twin: Wire): () => void {
  let before = wire.faults();
  twin.set(before);
  return wire.subscribe(() => {
    const { delayMs, drop, isCut } = wire.faults();
    // Each wire loses its own next message. So only a new request to drop a message is copied, not its completion.
    const isOrder = drop > before.drop;
    before = wire.faults();
    twin.set({ delayMs, isCut, ...(isOrder ? { drop } : {}) });
  });
}

export function Compared() {
  const { room, people } = useSession();
  const [{ client, twin }] = useState(() => ({
    // The guides for WebSockets recommend it: messages keep the data fresh, so time does not make it stale.
    client: new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } }),
    twin: createWire({ isChange: (data) => data.includes('"type"') }),
  }));
  // Before the effects that send the first requests.
  useLayoutEffect(() => copyFaults(people.Mara.wire, twin), [people, twin]);
  useEffect(() => {
    const ending = new AbortController();
    const url = `/api/demo${room.path}/plain-events`;
    void follow(client, url, twin.fetch, ending.signal);
    return () => ending.abort();
  }, [client, room, twin]);
  const verdicts = useVerdicts();
  const wrong = verdicts[handWiredScreen] ?? [];
  const behind = verdicts['Mara']?.length ?? 0;

  return (
    <section className="compared" aria-label="Without Edict">
      <div className="compared-text">
        <h2>The same faults, without Edict</h2>
        <dl className="score">
          <div data-tone={behind > 0 ? 'amber' : undefined}>
            <dt>Mara with Edict</dt>
            <dd data-score="edict">{behind > 0 ? `${behind} behind, marked` : rowsWrong(0)}</dd>
          </div>
          <div data-tone={wrong.length > 0 ? 'red' : undefined}>
            <dt>Mara, hand-wired</dt>
            <dd data-score="hand-wired">{rowsWrong(wrong.length)}</dd>
          </div>
        </dl>
        <p>
          A TanStack Query cache follows the same announcements from the same server. Its messages have no
          numbers, so it cannot know that one is missing. Drop a message or cut Mara’s wire: the rows stay
          wrong until they change again, or the page is reloaded.
        </p>
        <p>
          You can add numbers, a replay, and a check to it. Refetching everything at every message also works,
          and costs a request from every screen each time.{' '}
          <a href="https://github.com/TanStack/query">TanStack Query</a> is a good cache, and Edict can drive
          it, too.
        </p>
        {/* There is only space for it beside the screen. */}
        <details open={matchMedia('(width > 82.5rem)').matches}>
          <summary>The hand-wired code that runs here</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls needs the keyboard */}
          <pre tabIndex={0}>{source}</pre>
        </details>
      </div>
      <QueryClientProvider client={client}>
        <HandWiredScreen fetch={twin.fetch} />
      </QueryClientProvider>
    </section>
  );
}

const rowsWrong = (count: number): string => (count === 1 ? '1 row wrong' : `${count} rows wrong`);

function HandWiredScreen({ fetch }: { fetch: Wire['fetch'] }) {
  const { room } = useSession();
  const wrong = useVerdicts()[handWiredScreen] ?? [];
  const list = useQuery({
    queryKey: ['tickets'],
    queryFn: () => getJson<DemoTicket[]>(fetch, `${room.path}/tickets`),
  });
  return (
    <section
      className="screen"
      data-screen={handWiredScreen}
      aria-label="Mara's screen without Edict"
      aria-busy={list.data === undefined}
    >
      <header className="screen-head">
        <Face name="Mara" />
        <h2>Mara, without Edict</h2>
        {list.data !== undefined && (
          <span className="tag" data-tone={wrong.length > 0 ? 'red' : 'green'}>
            {wrong.length > 0 ? rowsWrong(wrong.length) : 'Equal'}
          </span>
        )}
      </header>
      {list.isPending && <p className="screen-note">Loading …</p>}
      {list.error !== null && list.data === undefined && (
        <LoadError error={list.error} onRetry={() => void list.refetch()} />
      )}
      <ul className="tickets">
        {list.data?.map(({ id }) => (
          <HandWiredRow key={id} id={id} fetch={fetch} wrong={wrong.find((one) => one.id === id)?.server} />
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  id: number;
  fetch: Wire['fetch'];
  wrong: string | null | undefined;
}

function HandWiredRow({ id, fetch, wrong }: RowProps) {
  const { room } = useSession();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ['ticket', id],
    initialData: () => client.getQueryData<DemoTicket[]>(['tickets'])?.find((one) => one.id === id),
    queryFn: () => getJson<DemoTicket | null>(fetch, `${room.path}/tickets/${id}`),
  });
  return data === null || data === undefined ? null : <TicketLine ticket={data} wrong={wrong} />;
}

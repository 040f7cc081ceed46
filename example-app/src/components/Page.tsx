// Which page the address means.

import { Compass } from 'lucide-react';
import { printFilters, readFilters } from '../filters.ts';
import { Link, type Place } from '../router.tsx';
import { useTitle } from '../title.ts';
import { Empty } from './Bits.tsx';
import { Dashboard } from './Dashboard.tsx';
import { TicketDetail } from './TicketDetail.tsx';
import { TicketList } from './TicketList.tsx';

export function Page({ place }: { place: Place }) {
  if (place.path === '/') return <Dashboard />;

  const match = /^\/tickets(?:\/([1-9]\d{0,8}))?\/?$/.exec(place.path);
  if (match === null) return <NoSuchPage />;
  const [, idText] = match;
  const params = readFilters(place.search);
  const id = idText === undefined ? null : Number(idText);
  return (
    <div className="split" data-detail={id !== null || undefined}>
      <TicketList params={params} openId={id} />
      {id !== null && <TicketDetail key={id} id={id} backTo={`/tickets${printFilters(params)}`} />}
    </div>
  );
}

function NoSuchPage() {
  useTitle('No such page');
  return (
    <Empty
      icon={<Compass size={28} />}
      title="There is no such page"
      action={
        <>
          <Link className="button" to="/tickets">
            All tickets
          </Link>
          <Link className="button" to="/">
            Dashboard
          </Link>
        </>
      }
    >
      The address may be misspelt, or from an older version of the desk.
    </Empty>
  );
}

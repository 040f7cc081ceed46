// Renders the page at the address.

import { Compass } from 'lucide-react';
import { useFocusAfterWay } from '../focus.ts';
import { listAt, pageAt } from '../pages.ts';
import { Link, type Place } from '../router.tsx';
import { useTitle } from '../title.ts';
import { Empty } from './Bits.tsx';
import { Boundary } from './Boundary.tsx';
import { Dashboard } from './Dashboard.tsx';
import { TicketDetail } from './TicketDetail.tsx';
import { TicketList } from './TicketList.tsx';

export function Page({ place }: { place: Place }) {
  useFocusAfterWay(place.path);
  const page = pageAt(place.path, place.search);
  if (page === null) return <NoSuchPage />;
  if (page.name === 'dashboard') return <Dashboard />;

  const { params, openId } = page;
  return (
    <div className="split" data-detail={openId !== null || undefined}>
      <TicketList params={params} openId={openId} />
      {openId !== null && (
        <Boundary at={place.path} what="ticket">
          <TicketDetail key={openId} id={openId} backTo={listAt(params)} />
        </Boundary>
      )}
    </div>
  );
}

function NoSuchPage() {
  useTitle('Page not found');
  return (
    <Empty
      icon={<Compass size={28} />}
      title="Page not found"
      isPage
      action={
        <>
          <Link className="button" to={listAt()}>
            All tickets
          </Link>
          <Link className="button" to="/">
            Dashboard
          </Link>
        </>
      }
    >
      Check the address. It may be from an older version of the desk.
    </Empty>
  );
}

// Which page the address means.

import { Compass } from 'lucide-react';
import { useFocusAfterWay } from '../focus.ts';
import { listAt, pageAt } from '../pages.ts';
import { Link, type Place } from '../router.tsx';
import { useTitle } from '../title.ts';
import { Empty } from './Bits.tsx';
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
      {openId !== null && <TicketDetail key={openId} id={openId} backTo={listAt(params)} />}
    </div>
  );
}

function NoSuchPage() {
  useTitle('No such page');
  return (
    <Empty
      icon={<Compass size={28} />}
      title="There is no such page"
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
      The address may be misspelt, or from an older version of the desk.
    </Empty>
  );
}

// The statuses with their counts. Where the desk has a total, the count comes from it. So tabs, sidebar, and
// dashboard always show the same numbers.

import { useItem } from '@edict/react';
import { counts } from '../data.ts';
import { scopeOf } from '../filters.ts';
import { statuses, type TicketParams } from '../model.ts';
import { listAt } from '../pages.ts';
import { Link } from '../router.tsx';
import { totalOf, totalsOf } from '../views.ts';
import { number, statusWords } from '../words.ts';

/** `count`: the count of the list itself, or null while it is unknown. */
export function StatusTabs({ params, count }: { params: TicketParams; count: number | null }) {
  const { data } = useItem(counts, 'desk');
  const scope = scopeOf(params);
  const totals = data === null || scope === null ? null : totalsOf(data, scope);

  return (
    <nav className="tabs" aria-label="Status">
      {(['all', ...statuses] as const).map((status) => {
        const isHere = params.status === status;
        const shown = totals === null ? (isHere && scope === null ? count : null) : totalOf(totals, status);
        return (
          <Link
            key={status}
            className="tab"
            to={listAt({ ...params, status, page: 1 })}
            aria-current={isHere ? 'page' : undefined}
            data-tab={status}
          >
            {status === 'all' ? 'All' : statusWords[status]}
            {/* This is also rendered when it is empty, so that the tabs do not move. */}
            <span className="tab-count">{shown === null ? '' : number(shown)}</span>
          </Link>
        );
      })}
    </nav>
  );
}

// The statuses with their counts. The counts come from the desk's totals where the view is one of them, so
// that tabs, side bar and dashboard show the same numbers because they are the same numbers.

import { useItem } from '@edict/react';
import { scopeOf } from '../filters.ts';
import { statuses, type TicketParams } from '../model.ts';
import { listAt } from '../pages.ts';
import { Link } from '../router.tsx';
import { totalOf, totalsOf } from '../views.ts';
import { number, statusWords } from '../words.ts';

/** `count`: of the list itself; null while it is not known. */
export function StatusTabs({ params, count }: { params: TicketParams; count: number | null }) {
  const { data: counts } = useItem('counts', 'desk');
  const scope = scopeOf(params);
  const totals = counts === null || scope === null ? null : totalsOf(counts, scope);

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
            {/* Its place is kept where a number is on its way, and only there. */}
            {(shown !== null || scope !== null) && (
              <span className="tab-count">{shown === null ? '' : number(shown)}</span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}

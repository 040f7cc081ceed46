// The position in the list, and links to the other pages.

import type { ReactNode } from 'react';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useFocusAfter } from '../focus.ts';
import { pageSizes, type TicketParams } from '../model.ts';
import { listAt } from '../pages.ts';
import { Link, navigate } from '../router.tsx';
import { number } from '../words.ts';
import { Select } from './Select.tsx';

interface Props {
  params: TicketParams;
  /** The number of pages; null while it is unknown. */
  count: number | null;
  shown: number;
}

export function Pager({ params, count, shown }: Props) {
  const { page, size } = params;
  const to = (other: number): string => listAt({ ...params, page: other });

  return (
    <nav className="pager" aria-label="Pages">
      <p className="pager-where">{count !== null && <Where {...{ page, size, count, shown }} />}</p>
      {count !== null && count > 0 && (
        <span className="pager-turn">
          <label className="choice choice-quiet">
            <span className="unseen">Tickets per page</span>
            <Select
              value={size}
              onChange={({ target: { value } }) =>
                navigate(listAt({ ...params, page: 1, size: Number(value) }))
              }
            >
              {pageSizes.map((one) => (
                <option key={one} value={one}>
                  {one} per page
                </option>
              ))}
            </Select>
          </label>
          {/* On a page beyond the last one, this is the last page. */}
          <Turn to={page > 1 ? to(Math.min(page - 1, Math.ceil(count / size))) : null} label="Previous page">
            <ChevronLeft size={18} aria-hidden="true" />
          </Turn>
          <Turn to={page * size < count ? to(page + 1) : null} label="Next page">
            <ChevronRight size={18} aria-hidden="true" />
          </Turn>
        </span>
      )}
    </nav>
  );
}

function Where({ page, size, count, shown }: { page: number; size: number; count: number; shown: number }) {
  const first = (page - 1) * size + 1;
  if (count === 0) return 'No tickets';
  return (
    <>
      {shown > 0 && `${number(first)}–${number(first + shown - 1)} of `}
      <strong data-total>{number(count)}</strong>
      {shown === 0 && (count === 1 ? ' ticket' : ' tickets')}
    </>
  );
}

interface TurnProps {
  label: string;
  children: ReactNode;
}

function Turn({ to, ...props }: TurnProps & { to: string | null }) {
  if (to !== null) return <TurnLink to={to} {...props} />;
  return (
    <span className="icon-button" role="link" aria-disabled="true" aria-label={props.label}>
      {props.children}
    </span>
  );
}

/** On the last page, the other button has the focus. */
function TurnLink({ to, label, children }: TurnProps & { to: string }) {
  useFocusAfter('.pager a');
  return (
    <Link className="icon-button" to={to} aria-label={label}>
      {children}
    </Link>
  );
}

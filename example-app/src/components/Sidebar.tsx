// The views of the desk, with what is open in each of them.

import { Gauge, Inbox, Plus, UserRound, UserRoundX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useItem } from '@edict/react';
import { useNames } from '../desk.tsx';
import { printFilters, readFilters } from '../filters.ts';
import type { ByStatus, TicketParams } from '../model.ts';
import { Link, usePlace } from '../router.tsx';
import { number } from '../words.ts';
import { TeamDot } from './Bits.tsx';

export function Sidebar({ onNew, onLeave }: { onNew: () => void; onLeave: () => void }) {
  const { data: counts } = useItem('counts', 'desk');
  const names = useNames();
  const { path, search } = usePlace();
  const filters = path.startsWith('/tickets') ? readFilters(search) : null;
  const isView = (view: Partial<TicketParams>): boolean =>
    filters !== null &&
    filters.assignee === (view.assignee ?? 'all') &&
    filters.team === (view.team ?? 'all');

  return (
    <nav className="side" aria-label="Views">
      <button
        type="button"
        className="button button-main side-new"
        onClick={() => {
          onLeave();
          onNew();
        }}
      >
        <Plus size={17} aria-hidden="true" />
        New ticket
      </button>
      <ul className="side-list">
        <li>
          <Link
            className="side-link"
            to="/"
            aria-current={path === '/' ? 'page' : undefined}
            onClick={onLeave}
          >
            <span className="side-icon" aria-hidden="true">
              <Gauge size={17} />
            </span>
            <span className="cut">Dashboard</span>
          </Link>
        </li>
        <View
          label="All tickets"
          icon={<Inbox size={17} />}
          params={{}}
          totals={counts?.all}
          {...{ isView, onLeave }}
        />
        <View
          label="Assigned to me"
          icon={<UserRound size={17} />}
          params={{ assignee: 'me' }}
          totals={counts?.mine}
          {...{ isView, onLeave }}
        />
        <View
          label="Unassigned"
          icon={<UserRoundX size={17} />}
          params={{ assignee: 'none' }}
          totals={counts?.unassigned}
          {...{ isView, onLeave }}
        />
      </ul>
      <h2 className="side-head">Teams</h2>
      <ul className="side-list">
        {names.directory.teams.map((team) => (
          <View
            key={team.id}
            label={team.name}
            icon={<TeamDot team={team} />}
            params={{ team: team.id }}
            totals={counts?.teams.find((one) => one.teamId === team.id)?.counts}
            {...{ isView, onLeave }}
          />
        ))}
      </ul>
    </nav>
  );
}

interface ViewProps {
  label: string;
  icon: ReactNode;
  params: Partial<TicketParams>;
  totals: ByStatus | undefined;
  isView: (params: Partial<TicketParams>) => boolean;
  onLeave: () => void;
}

function View({ label, icon, params, totals, isView, onLeave }: ViewProps) {
  return (
    <li>
      <Link
        className="side-link"
        to={`/tickets${printFilters({ ...params, status: 'open' })}`}
        aria-current={isView(params) ? 'page' : undefined}
        onClick={onLeave}
      >
        <span className="side-icon" aria-hidden="true">
          {icon}
        </span>
        <span className="cut">{label}</span>
        <span className="side-count">
          {totals !== undefined && (
            <>
              {number(totals.open)}
              <span className="unseen"> open</span>
            </>
          )}
        </span>
      </Link>
    </li>
  );
}

// The views of the desk, and the number of tickets in each.

import { Gauge, Inbox, Layers, Plus, UserRound, UserRoundX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useItem } from '@edict/react';
import { counts } from '../data.ts';
import { useNames } from '../desk.tsx';
import type { Counts } from '../model.ts';
import { listAt, pageAt } from '../pages.ts';
import { Link, usePlace } from '../router.tsx';
import { countOf, isSameView, paramsOf, viewOf, type View } from '../views.ts';
import { number } from '../words.ts';
import { TeamDot } from './Bits.tsx';

export function Sidebar({ onNew, onLeave }: { onNew: () => void; onLeave: () => void }) {
  const { data } = useItem(counts, 'desk');
  const names = useNames();
  const { path, search } = usePlace();
  const page = pageAt(path, search);
  const current = page?.name === 'tickets' ? viewOf(page.params) : null;
  const shared = { current, counts: data, onLeave };

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
            aria-current={page?.name === 'dashboard' ? 'page' : undefined}
            onClick={onLeave}
          >
            <span className="side-icon" aria-hidden="true">
              <Gauge size={17} />
            </span>
            <span className="cut">Dashboard</span>
          </Link>
        </li>
        <Entry view="everything" label="All tickets" icon={<Layers size={17} />} {...shared} />
      </ul>
      <h2 className="side-head">Open</h2>
      <ul className="side-list">
        <Entry view={{ open: 'all' }} label="All open" icon={<Inbox size={17} />} {...shared} />
        <Entry view={{ open: 'mine' }} label="Assigned to me" icon={<UserRound size={17} />} {...shared} />
        <Entry view={{ open: 'unassigned' }} label="Unassigned" icon={<UserRoundX size={17} />} {...shared} />
      </ul>
      <h2 className="side-head">Open, by team</h2>
      <ul className="side-list">
        {names.directory.teams.map((team) => (
          <Entry
            key={team.id}
            view={{ open: { teamId: team.id } }}
            label={team.name}
            icon={<TeamDot team={team} />}
            {...shared}
          />
        ))}
      </ul>
    </nav>
  );
}

interface EntryProps {
  view: View;
  label: string;
  icon: ReactNode;
  /** The current view. */
  current: View | null;
  counts: Counts | null;
  onLeave: () => void;
}

function Entry({ view, label, icon, current, counts, onLeave }: EntryProps) {
  const count = counts === null ? null : countOf(view, counts);
  return (
    <li>
      <Link
        className="side-link"
        to={listAt(paramsOf(view))}
        aria-current={current !== null && isSameView(view, current) ? 'page' : undefined}
        onClick={onLeave}
      >
        <span className="side-icon" aria-hidden="true">
          {icon}
        </span>
        <span className="cut">{label}</span>
        <span className="side-count">{count === null ? '' : number(count)}</span>
      </Link>
    </li>
  );
}

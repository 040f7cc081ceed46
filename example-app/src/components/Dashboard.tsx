// The overview. Every number links to the list that it counts.

import { Flame, Inbox, UserRoundX } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useCollection, useItem } from '@edict/react';
import { activity, counts, tickets } from '../data.ts';
import { useNames } from '../desk.tsx';
import { mostUrgent } from '../filters.ts';
import { statuses, type Activity, type ByStatus, type Counts, type Status } from '../model.ts';
import { listAt, ticketAt } from '../pages.ts';
import { Link } from '../router.tsx';
import { useTitle } from '../title.ts';
import { totalOf } from '../views.ts';
import { changeWords, number, statusWords } from '../words.ts';
import { Ago, Avatar, Bone, Empty, Failure, LiveNumber, TeamDot } from './Bits.tsx';
import { RowBones, TicketRow } from './TicketRow.tsx';

const urgentShown = 6;
const activitiesShown = 8;

export function Dashboard() {
  useTitle('Dashboard');
  const { data, error, refresh } = useItem(counts, 'desk');
  return (
    <section className="dashboard" aria-label="Dashboard">
      <header className="page-head">
        <h1>Dashboard</h1>
        <p>Always live: numbers light up when they change.</p>
      </header>
      {error !== null && <Failure error={error} onRetry={refresh} />}
      {(data !== null || error === null) && (
        <>
          <div className="figures">
            {statuses.map((status) => (
              <Figure key={status} status={status} counts={data} />
            ))}
          </div>
          <div className="figures figures-small">
            <Fact
              icon={<Inbox size={18} />}
              label="Open and mine"
              to={listAt({ assignee: 'me', status: 'open' })}
            >
              {data?.mine.open}
            </Fact>
            <Fact
              icon={<UserRoundX size={18} />}
              label="Open and unassigned"
              to={listAt({ assignee: 'none', status: 'open' })}
            >
              {data?.unassigned.open}
            </Fact>
            <Fact icon={<Flame size={18} />} label="Open and urgent" to={listAt(mostUrgent)}>
              {data?.urgent.open}
            </Fact>
          </div>
          <div className="dashboard-columns">
            <Teams counts={data} />
            <div className="dashboard-column">
              <Urgent />
              <Latest />
            </div>
          </div>
        </>
      )}
    </section>
  );
}

function Figure({ status, counts }: { status: Status; counts: Counts | null }) {
  return (
    <Link className="figure" to={listAt({ status })} data-status={status} data-figure={status}>
      <span className="figure-label">
        <span className="badge-dot" aria-hidden="true" />
        {statusWords[status]}
      </span>
      <span className="figure-number">
        {counts === null ? <Bone width="4rem" /> : <LiveNumber value={counts.all[status]} />}
      </span>
    </Link>
  );
}

interface FactProps {
  icon: ReactNode;
  label: string;
  to: string;
  children: number | undefined;
}

function Fact({ icon, label, to, children }: FactProps) {
  return (
    <Link className="fact" to={to}>
      <span className="fact-icon" aria-hidden="true">
        {icon}
      </span>
      <span className="fact-label">{label}</span>
      <span className="fact-number">
        {children === undefined ? <Bone width="2rem" /> : <LiveNumber value={children} />}
      </span>
    </Link>
  );
}

function Teams({ counts }: { counts: Counts | null }) {
  const names = useNames();
  const most = Math.max(1, ...(counts?.teams.map((one) => one.counts.open + one.counts.pending) ?? []));
  return (
    <section className="card" aria-labelledby="teams-head">
      <h2 id="teams-head">Tickets by team</h2>
      <div className="card-scroll">
        <table className="teams">
          <thead>
            <tr>
              <th scope="col">Team</th>
              <th scope="col" className="teams-bar-head">
                Waiting
              </th>
              {statuses.map((status) => (
                <th key={status} scope="col" className="teams-number">
                  {statusWords[status]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.directory.teams.map((team) => {
              const own = counts?.teams.find((one) => one.teamId === team.id)?.counts ?? null;
              return (
                <tr key={team.id}>
                  <th scope="row">
                    <Link className="team" to={listAt({ team: team.id })}>
                      <TeamDot team={team} />
                      <span>{team.name}</span>
                    </Link>
                  </th>
                  <td className="teams-bar">{own !== null && <Share counts={own} most={most} />}</td>
                  {statuses.map((status) => (
                    <td key={status} className="teams-number">
                      {own === null ? (
                        <Bone width="2rem" />
                      ) : (
                        <Link to={listAt({ team: team.id, status })}>
                          <LiveNumber value={own[status]} />
                          <span className="unseen">
                            {' '}
                            {statusWords[status]} in {team.name}
                          </span>
                        </Link>
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
          {counts !== null && (
            <tfoot>
              <tr>
                <th scope="row">All teams</th>
                <td className="teams-bar" />
                {statuses.map((status) => (
                  <td key={status} className="teams-number">
                    <LiveNumber value={counts.all[status]} />
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {counts !== null && <p className="card-note">{number(totalOf(counts.all, 'all'))} tickets in total</p>}
    </section>
  );
}

/** Open and pending tickets, relative to the busiest team. Decorative: the numbers are beside it. */
function Share({ counts, most }: { counts: ByStatus; most: number }) {
  return (
    <span className="share" aria-hidden="true">
      {(['open', 'pending'] as const).map((status) => (
        <span key={status} data-status={status} style={{ width: `${(counts[status] / most) * 100}%` }} />
      ))}
    </span>
  );
}

function Urgent() {
  const { data, error, isPending, refresh } = useCollection(tickets, { params: mostUrgent });
  return (
    <section className="card card-rows" aria-labelledby="urgent-head">
      <h2 id="urgent-head">Open and urgent</h2>
      {error !== null && <Failure error={error} onRetry={refresh} />}
      {!isPending && error === null && data.ids.length === 0 ? (
        <Empty icon={<Flame size={24} />} title="Nothing urgent">
          Time for a coffee.
        </Empty>
      ) : (
        <ul className="rows">
          {isPending
            ? Array.from({ length: urgentShown }, (_, place) => <RowBones key={place} hasCheck={false} />)
            : data.ids
                .slice(0, urgentShown)
                .map((id) => (
                  <TicketRow
                    key={id}
                    id={id}
                    href={ticketAt(id, mostUrgent)}
                    isOpen={false}
                    isSelected={false}
                    onToggle={null}
                  />
                ))}
        </ul>
      )}
    </section>
  );
}

function Latest() {
  const { data, error, refresh } = useItem(activity, 'desk');
  return (
    <section className="card" aria-labelledby="latest-head">
      <h2 id="latest-head">Latest activity</h2>
      {error !== null && <Failure error={error} onRetry={refresh} />}
      {data !== null ? <Activities all={data} /> : error === null && <ActivityBones />}
    </section>
  );
}

/** An entry that arrives later slides in. */
function Activities({ all }: { all: readonly Activity[] }) {
  const names = useNames();
  const [newestAtFirst] = useState(all[0]?.id ?? 0);
  return (
    <ol className="activity">
      {all.map((change) => {
        const actor = names.person(change.actorId);
        return (
          <li key={change.id} data-new={change.id > newestAtFirst || undefined}>
            <Avatar person={actor} size="s" />
            <p>
              <strong>{actor?.name ?? 'The customer'}</strong> {changeWords(change, names)}
              <Link className="cut" to={ticketAt(change.ticketId)}>
                #{change.ticketId} {change.subject}
              </Link>
            </p>
            <Ago at={change.at} />
          </li>
        );
      })}
    </ol>
  );
}

function ActivityBones() {
  return (
    <ol className="activity" aria-busy="true" aria-label="Loading the latest activity">
      {Array.from({ length: activitiesShown }, (_, place) => (
        <li key={place} className="row-bones">
          <Avatar person={null} size="s" />
          <p>
            <Bone width="60%" />
            <Bone width="90%" />
          </p>
        </li>
      ))}
    </ol>
  );
}

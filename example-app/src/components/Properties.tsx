// Status, assignee and so on. Nothing is shown before the server has confirmed it: a control keeps its value
// and shows that it is waiting.

import { useEffect, useRef, type ReactNode } from 'react';
import { useMutation } from '@edict/react';
import { changeTicket } from '../api.ts';
import { useMe, useNames } from '../desk.tsx';
import { focusPage } from '../focus.ts';
import type { ChangeTicket } from '../inputs.ts';
import { priorities, statuses, visibilities, type Person, type Ticket } from '../model.ts';
import { notifyError } from '../notices.ts';
import { notInIt, priorityWords, statusWords, unknownPerson, unknownTeam } from '../words.ts';
import { Avatar, Spinner } from './Bits.tsx';

export function Properties({ ticket, isGone }: { ticket: Ticket; isGone: boolean }) {
  const names = useNames();
  const me = useMe();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  // `settled`: it is waiting until the new state is on the screen, not only on the server.
  const { run, isRunning } = useMutation((change: ChangeTicket, { json }) => {
    // One after the other. In parallel, the server could receive an earlier choice last.
    const response = last.current.then(() => changeTicket(json, ticket.id, change));
    last.current = response.catch(() => {});
    return response;
  });
  const change = (what: ChangeTicket): void =>
    void run(what).catch((error: unknown) => notifyError(error, `#${ticket.id} was not changed.`));
  const isPrivate = ticket.visibility === 'team';
  const candidates = names.directory.people.filter(
    (person) => !isPrivate || person.teamIds.includes(ticket.teamId) || person.id === ticket.assigneeId,
  );
  const isInTeam = me.teamIds.includes(ticket.teamId);
  const isMe = (person: Person): boolean => person.id === me.id;

  const hasFocus = useRef(false);
  useEffect(() => {
    // Browsers remove the focus from a disabled control without an event.
    if (isGone && hasFocus.current && document.activeElement === document.body) focusPage();
  }, [isGone]);

  return (
    <fieldset
      className="properties"
      disabled={isGone}
      aria-busy={isRunning}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
    >
      <legend className="unseen">Properties</legend>
      <Property label="Status">
        <select
          value={ticket.status}
          data-status={ticket.status}
          onChange={({ target: { value } }) => {
            const status = statuses.find((one) => one === value);
            if (status !== undefined) change({ status });
          }}
        >
          {statuses.map((status) => (
            <option key={status} value={status}>
              {statusWords[status]}
            </option>
          ))}
        </select>
      </Property>
      <Property label="Priority">
        <select
          value={ticket.priority}
          onChange={({ target: { value } }) => {
            const priority = priorities.find((one) => one === value);
            if (priority !== undefined) change({ priority });
          }}
        >
          {priorities.map((priority) => (
            <option key={priority} value={priority}>
              {priorityWords[priority]}
            </option>
          ))}
        </select>
      </Property>
      <Property label="Assignee" mark={<Avatar person={names.person(ticket.assigneeId)} size="s" />}>
        <select
          value={ticket.assigneeId ?? ''}
          onChange={({ target: { value } }) => change({ assigneeId: value === '' ? null : Number(value) })}
        >
          <option value="">Unassigned</option>
          {ticket.assigneeId !== null && names.person(ticket.assigneeId) === null && (
            <option value={ticket.assigneeId}>{unknownPerson}</option>
          )}
          {candidates.some(isMe) && <optgroup label="Me">{candidates.filter(isMe).map(optionOf)}</optgroup>}
          <optgroup label="Colleagues">{candidates.filter((person) => !isMe(person)).map(optionOf)}</optgroup>
        </select>
      </Property>
      <Property label="Team">
        <select value={ticket.teamId} onChange={({ target: { value } }) => change({ teamId: Number(value) })}>
          {names.team(ticket.teamId) === null && <option value={ticket.teamId}>{unknownTeam}</option>}
          {names.directory.teams.map((team) => {
            // Private information is shown where the user can see it.
            const isBarred = isPrivate && !me.teamIds.includes(team.id);
            return (
              <option key={team.id} value={team.id} disabled={isBarred}>
                {team.name}
                {isBarred && notInIt}
              </option>
            );
          })}
        </select>
      </Property>
      <Property label="Visible to">
        <select
          value={ticket.visibility}
          onChange={({ target: { value } }) => {
            const visibility = visibilities.find((one) => one === value);
            if (visibility !== undefined) change({ visibility });
          }}
        >
          <option value="everyone">Everyone</option>
          <option value="team" disabled={!isInTeam}>
            Its team only{!isInTeam && notInIt}
          </option>
        </select>
      </Property>
      {isRunning && (
        <span className="properties-busy">
          <Spinner label="Saving" />
        </span>
      )}
    </fieldset>
  );
}

const optionOf = (person: Person) => (
  <option key={person.id} value={person.id}>
    {person.name}
  </option>
);

function Property({ label, mark, children }: { label: string; mark?: ReactNode; children: ReactNode }) {
  return (
    <label className="property">
      <span className="property-label">{label}</span>
      <span className="property-control">
        {mark}
        {children}
      </span>
    </label>
  );
}

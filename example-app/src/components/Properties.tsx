// Status, assignee and so on. A control keeps its value until the server has confirmed the change, and shows that it waits.

import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useMutation } from '@edict/react';
import { changeTicket } from '../api.ts';
import { useMe, useNames } from '../desk.tsx';
import { focusPage } from '../focus.ts';
import type { ChangeTicket } from '../inputs.ts';
import { priorities, statuses, visibilities, type Person, type Ticket } from '../model.ts';
import { notify, notifyError } from '../notices.ts';
import { notInIt, priorityWords, statusWords, unknownPerson, unknownTeam } from '../words.ts';
import { Avatar, Spinner } from './Bits.tsx';
import { Choice, Select } from './Select.tsx';

/** Changes properties one after the other. In parallel, the server could receive an earlier choice last. */
function useChange(ticket: Ticket) {
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const { run, isRunning } = useMutation((change: ChangeTicket, { json }) => {
    const response = last.current.then(() => changeTicket(json, ticket.id, change));
    last.current = response.catch(() => {});
    return response;
  });
  const save = (change: ChangeTicket, undo?: () => void): void => {
    run(change)
      .then(() => notify('done', `#${ticket.id} was changed.`, undo))
      .catch((error: unknown) => notifyError(error, `#${ticket.id} was not changed.`));
  };
  /** `before`: the values that the user can go back to. */
  const change = (what: ChangeTicket, before: ChangeTicket): void => save(what, () => save(before));
  return { change, isRunning };
}

export function Properties({ ticket, isGone }: { ticket: Ticket; isGone: boolean }) {
  const names = useNames();
  const me = useMe();
  const { change, isRunning } = useChange(ticket);
  const { status, priority, assigneeId, teamId, visibility } = ticket;
  const isPrivate = visibility === 'team';
  const candidates = names.directory.people.filter(
    (person) => !isPrivate || person.teamIds.includes(teamId) || person.id === assigneeId,
  );
  const isInTeam = me.teamIds.includes(teamId);
  const isMe = (person: Person): boolean => person.id === me.id;
  /** On a phone only the first two properties are shown. */
  const [areAllShown, setAreAllShown] = useState(false);

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
      data-all={areAllShown || undefined}
      onFocus={() => {
        hasFocus.current = true;
      }}
      onBlur={() => {
        hasFocus.current = false;
      }}
    >
      <legend className="unseen">Properties</legend>
      <Property label="Status">
        <Choice
          value={status}
          values={statuses}
          words={statusWords}
          onChoose={(chosen) => change({ status: chosen }, { status })}
          data-status={status}
        />
      </Property>
      <Property label="Priority">
        <Choice
          value={priority}
          values={priorities}
          words={priorityWords}
          onChoose={(chosen) => change({ priority: chosen }, { priority })}
        />
      </Property>
      <Property label="Assignee" mark={<Avatar person={names.person(assigneeId)} size="s" />}>
        <Select
          value={assigneeId ?? ''}
          onChange={({ target: { value } }) =>
            change({ assigneeId: value === '' ? null : Number(value) }, { assigneeId })
          }
        >
          <option value="">Unassigned</option>
          {assigneeId !== null && names.person(assigneeId) === null && (
            <option value={assigneeId}>{unknownPerson}</option>
          )}
          {candidates.some(isMe) && <optgroup label="Me">{candidates.filter(isMe).map(optionOf)}</optgroup>}
          <optgroup label="Colleagues">{candidates.filter((person) => !isMe(person)).map(optionOf)}</optgroup>
        </Select>
      </Property>
      <Property label="Team">
        <Select
          value={teamId}
          onChange={({ target: { value } }) => change({ teamId: Number(value) }, { teamId })}
        >
          {names.team(teamId) === null && <option value={teamId}>{unknownTeam}</option>}
          {names.directory.teams.map((team) => {
            // The server refuses a private ticket in a team of other users.
            const isBarred = isPrivate && !me.teamIds.includes(team.id);
            return (
              <option key={team.id} value={team.id} disabled={isBarred}>
                {team.name}
                {isBarred && notInIt}
              </option>
            );
          })}
        </Select>
      </Property>
      <Property label="Visible to">
        <Select
          value={visibility}
          onChange={({ target: { value } }) => {
            const chosen = visibilities.find((one) => one === value);
            if (chosen !== undefined) change({ visibility: chosen }, { visibility });
          }}
        >
          <option value="everyone">Everyone</option>
          <option value="team" disabled={!isInTeam}>
            Its team only{!isInTeam && notInIt}
          </option>
        </Select>
      </Property>
      <button
        type="button"
        className="button button-quiet properties-more"
        aria-expanded={areAllShown}
        onClick={() => setAreAllShown(!areAllShown)}
      >
        {areAllShown ? 'Fewer properties' : 'More properties'}
      </button>
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

// Search, filters, and order. The address stores their values.

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Search, X } from 'lucide-react';
import { useNames } from '../desk.tsx';
import { focusPage } from '../focus.ts';
import { longest, priorities, sorts, type TicketParams } from '../model.ts';
import { listAt } from '../pages.ts';
import { navigate } from '../router.tsx';
import { priorityWords, sortWords, unknownPerson } from '../words.ts';
import { Choice, Select, TeamOptions } from './Select.tsx';

const typingMs = 180;

interface Props {
  params: TicketParams;
  /** The number of tickets on this page. */
  selected: number;
  shown: number;
  onSelectAll: (isOn: boolean) => void;
}

export function ListToolbar({ params, selected, shown, onSelectAll }: Props) {
  const names = useNames();
  const show = (change: Partial<TicketParams>): void => navigate(listAt({ ...params, page: 1, ...change }));

  return (
    <div className="toolbar">
      <label className="row-check">
        <input
          type="checkbox"
          ref={(box) => {
            if (box !== null) box.indeterminate = selected > 0 && selected < shown;
          }}
          disabled={shown === 0}
          checked={shown > 0 && selected === shown}
          onChange={(event) => onSelectAll(event.target.checked)}
        />
        <span className="unseen">Select all on this page</span>
      </label>
      <SearchField key={`${params.team}-${params.assignee}`} params={params} />
      <label className="choice" data-active={params.assignee !== 'all' || undefined}>
        <span className="unseen">Assignee</span>
        <Select
          value={String(params.assignee)}
          onChange={({ target: { value } }) =>
            show({ assignee: value === 'all' || value === 'me' || value === 'none' ? value : Number(value) })
          }
        >
          <option value="all">Anyone</option>
          <option value="me">Me</option>
          <option value="none">Unassigned</option>
          {typeof params.assignee === 'number' && names.person(params.assignee) === null && (
            <option value={params.assignee}>{unknownPerson}</option>
          )}
          <optgroup label="People">
            {names.directory.people.map((person) => (
              <option key={person.id} value={person.id}>
                {person.name}
              </option>
            ))}
          </optgroup>
        </Select>
      </label>
      <label className="choice" data-active={params.team !== 'all' || undefined}>
        <span className="unseen">Team</span>
        <Select
          value={String(params.team)}
          onChange={({ target: { value } }) => show({ team: value === 'all' ? 'all' : Number(value) })}
        >
          <option value="all">All teams</option>
          <TeamOptions chosen={params.team} />
        </Select>
      </label>
      <label className="choice" data-active={params.priority !== 'all' || undefined}>
        <span className="unseen">Priority</span>
        <Choice
          value={params.priority}
          values={['all', ...priorities]}
          words={{ all: 'Any priority', ...priorityWords }}
          onChoose={(priority) => show({ priority })}
        />
      </label>
      <label className="choice">
        <span className="unseen">Order</span>
        <Choice value={params.sort} values={sorts} words={sortWords} onChoose={(sort) => show({ sort })} />
      </label>
      {isFiltered(params) && (
        <button
          type="button"
          className="button button-quiet toolbar-clear"
          onClick={() => {
            show({ assignee: 'all', team: 'all', priority: 'all', q: '' });
            focusPage();
          }}
        >
          Clear filters
        </button>
      )}
    </div>
  );
}

const isFiltered = ({ assignee, team, priority, q }: TicketParams): boolean =>
  assignee !== 'all' || team !== 'all' || priority !== 'all' || q !== '';

/** Searches shortly after the last key press, so that the history does not contain every letter. */
function SearchField({ params }: { params: TicketParams }) {
  const [text, setText] = useState(params.q);
  const [addressed, setAddressed] = useState(params.q);
  // The address takes precedence after `back`, and when the filters are cleared.
  if (addressed !== params.q) {
    setAddressed(params.q);
    setText(params.q);
  }
  const input = useRef<HTMLInputElement>(null);

  const search = (): void => {
    if (text === params.q) return;
    // When a ticket is open, the search leads to another page, so it adds an entry to the history.
    navigate(listAt({ ...params, q: text, page: 1 }), { replace: location.pathname === '/tickets' });
  };
  const searchByItself = useEffectEvent(search);
  /** An input method is choosing a character, which is not typed yet. */
  const [isComposing, setIsComposing] = useState(false);
  useEffect(() => {
    if (isComposing) return undefined;
    const timer = setTimeout(() => searchByItself(), typingMs);
    return () => clearTimeout(timer);
  }, [text, isComposing]);

  return (
    <div className="search">
      <Search size={16} aria-hidden="true" />
      <input
        ref={input}
        type="search"
        aria-label="Search tickets"
        placeholder="Subject, customer or #number"
        maxLength={longest.search}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onCompositionStart={() => setIsComposing(true)}
        onCompositionEnd={() => setIsComposing(false)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
          if (event.nativeEvent.isComposing) return; // It is about the choice of a character.
          event.preventDefault();
          search(); // Later it would take away what is opened now.
          document.querySelector<HTMLElement>('[data-row]')?.focus();
        }}
        data-shortcut="search"
      />
      {text !== '' && (
        <button
          type="button"
          className="icon-button"
          aria-label="Clear the search"
          onClick={() => {
            setText('');
            input.current?.focus();
          }}
        >
          <X size={15} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}

// The list: one page of ids, and a row for each.

import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { CheckCheck, FileStack, SearchX } from 'lucide-react';
import { useCollection } from '@edict/react';
import { tickets } from '../data.ts';
import { everything, filtersOf, printFilters, scopeOf } from '../filters.ts';
import { focusPage, useFocusInRows } from '../focus.ts';
import { longest, type TicketParams } from '../model.ts';
import { notify, announceText } from '../notices.ts';
import { listAt, ticketAt } from '../pages.ts';
import { Link } from '../router.tsx';
import { useScrollOfRows } from '../scroll.ts';
import { useSteadyRows } from '../steady.ts';
import { useTitle } from '../title.ts';
import { number, plural } from '../words.ts';
import { Empty, Failure } from './Bits.tsx';
import { BulkBar } from './BulkBar.tsx';
import { ListToolbar } from './ListToolbar.tsx';
import { Pager } from './Pager.tsx';
import { StatusTabs } from './StatusTabs.tsx';
import { RowBones, TicketRow } from './TicketRow.tsx';

const none: ReadonlySet<number> = new Set();
const bonesShown = 12;

export function TicketList({ params, openId }: { params: TicketParams; openId: number | null }) {
  useTitle(openId === null ? 'Tickets' : null);
  // The previous page stays visible but dimmed while the next one loads.
  const { data, error, isPending, meta, refresh } = useCollection(tickets, { params, keepPrevious: true });
  const { selected, setSelected, unselect } = useSelection(params);
  const [lastToggled, setLastToggled] = useState<number | null>(null);
  const list = meta.isPrevious ? null : listAt(params);
  const { ids, aim } = useSteadyRows(list, data.ids);
  const focusInRows = useFocusInRows(ids);
  const scrollOfRows = useScrollOfRows(list, ids, openId);
  const isKnown = meta.lastFetched !== null || meta.isPrevious;
  useFoundWords(isKnown ? list : null, data.count);

  const selectedHere = ids.filter((id) => selected.has(id)).length;

  const toggle = (id: number, isRange: boolean): void => {
    if (meta.isPrevious) return; // Dimmed rows may belong to other filters.
    const next = new Set(selected);
    const range = isRange && lastToggled !== null ? between(ids, lastToggled, id) : [id];
    const isAdding = !selected.has(id);
    for (const one of range) {
      if (isAdding) next.add(one);
      else next.delete(one);
    }
    setSelected(next);
    setLastToggled(id);
  };

  /** Selects from the row where Shift was pressed to the row that has the focus now, in addition to what was selected. */
  const sweep = useRef<{ from: number; before: ReadonlySet<number> } | null>(null);
  const extend = (from: number, to: number): void => {
    if (meta.isPrevious) return;
    sweep.current ??= { from, before: selected };
    setSelected(new Set([...sweep.current.before, ...between(ids, sweep.current.from, to)]));
    setLastToggled(to);
  };

  const selectPage = (isOn: boolean): void => {
    if (meta.isPrevious) return;
    const others = [...selected].filter((id) => !ids.includes(id));
    setSelected(new Set(isOn ? [...selected, ...ids] : others));
  };

  return (
    <section
      className="list"
      aria-label="Tickets"
      tabIndex={-1}
      data-selecting={selected.size > 0 || undefined}
    >
      {openId === null && <h1 className="unseen">Tickets</h1>}
      <StatusTabs params={params} count={isKnown ? data.count : null} />
      <ListToolbar params={params} selected={selectedHere} shown={ids.length} onSelectAll={selectPage} />
      {error !== null && <Failure error={error} onRetry={refresh} />}
      {isPending ? (
        <ul className="rows" aria-busy="true" aria-label="Loading tickets">
          {Array.from({ length: bonesShown }, (_, place) => (
            <RowBones key={place} hasCheck />
          ))}
        </ul>
      ) : !isKnown ? null : ids.length === 0 ? (
        <NothingHere params={params} count={data.count} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys belong to the links in it
        <ul
          className="rows"
          data-previous={meta.isPrevious || undefined}
          aria-busy={meta.isPrevious}
          onKeyDown={(event) => moveByKey(event, { toggle: (id) => toggle(id, false), extend })}
          onKeyUp={({ key }) => {
            if (key === 'Shift') sweep.current = null;
          }}
          {...focusInRows}
          {...scrollOfRows}
          {...aim}
        >
          {ids.map((id) => (
            <TicketRow
              key={id}
              id={id}
              href={ticketAt(id, params)}
              isOpen={id === openId}
              isSelected={selected.has(id)}
              onToggle={toggle}
            />
          ))}
        </ul>
      )}
      {selected.size > 0 && (
        <BulkBar
          params={params}
          selected={selected}
          hidden={selected.size - selectedHere}
          total={data.count}
          onSelect={(more) => setSelected(new Set(more))}
          onClear={() => setSelected(none)}
          onDone={unselect}
        />
      )}
      <Pager params={params} count={isKnown ? data.count : null} shown={ids.length} />
    </section>
  );
}

/** Kept across the pages of one list. Other filters clear the selection, so that no hidden ticket is changed. */
function useSelection(params: TicketParams) {
  const filters = printFilters(filtersOf(params));
  const [selection, setSelection] = useState({ filters, ids: none });
  return {
    selected: selection.filters === filters ? selection.ids : none,
    /** The maximum number of tickets that one action can change. */
    setSelected(ids: ReadonlySet<number>): void {
      if (ids.size > longest.bulk) notify('error', `At most ${longest.bulk} tickets can be selected.`);
      setSelection({ filters, ids: new Set([...ids].slice(0, longest.bulk)) });
    },
    /** Clears the selection of this action. A later selection, perhaps in another list, stays. */
    unselect: (ids: ReadonlySet<number>): void =>
      setSelection((now) =>
        now.filters === filters ? { filters, ids: new Set([...now.ids].filter((id) => !ids.has(id))) } : now,
      ),
  };
}

/** Announces the number of results, because the focus stays in the search field. */
function useFoundWords(list: string | null, count: number): void {
  const announced = useRef(list);
  useEffect(() => {
    if (list === null || list === announced.current) return;
    announced.current = list;
    announceText(count === 0 ? 'No tickets found.' : `${plural(count, 'ticket')} found.`);
  }, [list, count]);
}

/** Explains why the list is empty, and suggests an action. */
function NothingHere({ params, count }: { params: TicketParams; count: number }) {
  const linkTo = (change: Partial<TicketParams>): string => listAt({ ...params, page: 1, ...change });

  if (count > 0) {
    return (
      <Empty
        icon={<FileStack size={28} />}
        title={`Page ${number(params.page)} not found`}
        action={
          <Link className="button" to={linkTo({})} onClick={focusPage}>
            To the first page
          </Link>
        }
      >
        This list has {plural(Math.ceil(count / params.size), 'page')}.
      </Empty>
    );
  }
  if (scopeOf(params) !== null) {
    return (
      <Empty icon={<CheckCheck size={28} />} title="No tickets">
        There are no tickets in this view.
      </Empty>
    );
  }
  const { assignee, team, priority, q } = everything;
  return (
    <Empty
      icon={<SearchX size={28} />}
      title="No matches"
      action={
        <Link
          className="button"
          to={linkTo({ status: 'all', assignee, team, priority, q })}
          onClick={focusPage}
        >
          Clear filters
        </Link>
      }
    >
      Use fewer filters, or search for a customer, a number, or a word of the subject.
    </Empty>
  );
}

function between(ids: readonly number[], one: number, other: number): number[] {
  const [from, to] = [ids.indexOf(one), ids.indexOf(other)].sort((a, b) => a - b);
  return from === undefined || from < 0 || to === undefined ? [other] : ids.slice(from, to + 1);
}

interface RowActions {
  toggle: (id: number) => void;
  extend: (from: number, to: number) => void;
}

/** Arrows or j and k move the focus through the rows, with Shift they also select, and x selects one row. */
function moveByKey(event: KeyboardEvent<HTMLUListElement>, { toggle, extend }: RowActions): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (!(event.target instanceof HTMLElement) || event.target.dataset['row'] === undefined) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const at = links.indexOf(event.target);
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const to = { ArrowDown: at + 1, j: at + 1, ArrowUp: at - 1, k: at - 1, Home: 0, End: links.length - 1 }[
    key
  ];
  if (key === 'x') toggle(Number(event.target.dataset['row']));
  else if (to === undefined) return;
  const link = to === undefined ? undefined : links[to];
  link?.focus();
  if (link !== undefined && event.shiftKey)
    extend(Number(event.target.dataset['row']), Number(link.dataset['row']));
  event.preventDefault();
}

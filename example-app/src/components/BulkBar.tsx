// Actions for the selected tickets. A change of 500 tickets is one request here, and one request for each list on other
// screens.

import { useState } from 'react';
import { X } from 'lucide-react';
import { useDL, useMutation } from '@edict/react';
import { setStatusOfMany, type Before } from '../api.ts';
import { tickets } from '../data.ts';
import { filtersOf } from '../filters.ts';
import { useFocusAfter } from '../focus.ts';
import { useIsHere } from '../here.ts';
import { longest, statuses, type Status, type TicketParams } from '../model.ts';
import { notify, notifyError } from '../notices.ts';
import { number, plural, statusVerbs, statusWords } from '../words.ts';
import { Spinner } from './Bits.tsx';
import { Button } from './Button.tsx';
import { Confirm } from './Dialog.tsx';

interface Props {
  params: TicketParams;
  selected: ReadonlySet<number>;
  /**
   * The number of selected tickets that are not on this page: on another page of the list, or on none since
   * another user changed them.
   */
  hidden: number;
  /** The number of tickets that match the filters, on all pages. */
  total: number;
  onSelect: (ids: readonly number[]) => void;
  onClear: () => void;
  /** Called with the tickets that were selected when the action started. */
  onDone: (ids: ReadonlySet<number>) => void;
}

export function BulkBar({ params, selected, hidden, total, onSelect, onClear, onDone }: Props) {
  const dl = useDL();
  useFocusAfter('#page');
  const isHere = useIsHere();
  const [isCollecting, setIsCollecting] = useState(false);
  const setStatus = useMutation((status: Status, { json }) =>
    // Tickets that left the list meanwhile are handled by other users.
    setStatusOfMany(json, { ids: [...selected], status, within: filtersOf(params) }),
  );
  const undo = useMutation(async (before: Before, { json }) => {
    for (const status of statuses) {
      const ids = before[status] ?? [];
      if (ids.length > 0) await setStatusOfMany(json, { ids, status });
    }
  });
  /** The status that waits for the confirmation of the user. */
  const [asked, setAsked] = useState<Status | null>(null);
  const most = Math.min(total, longest.bulk);

  const selectAll = async (): Promise<void> => {
    setIsCollecting(true);
    try {
      const { ids } = await dl.ensureCollection(tickets, {
        params: { ...params, page: 1, size: longest.bulk },
      });
      if (isHere.current) onSelect(ids); // Otherwise the user cleared the selection or left the list.
    } catch (error) {
      notifyError(error, 'The tickets could not be selected.');
    }
    setIsCollecting(false);
  };

  const apply = async (status: Status): Promise<void> => {
    try {
      const before = await setStatus.run(status);
      const changed = Object.values(before).flat().length;
      const left = selected.size - changed;
      const rest = left === 0 ? '' : ` ${plural(left, 'other')} unchanged.`;
      const takeBack = (): void =>
        void undo
          .run(before)
          .then(() => notify('done', `${plural(changed, 'ticket')} changed back.`))
          .catch((error: unknown) => notifyError(error, 'The tickets were not changed back.'));
      const text = `${plural(changed, 'ticket')} set to ${statusWords[status]}.${rest}`;
      notify('done', text, changed === 0 ? undefined : takeBack);
      onDone(selected);
    } catch (error) {
      notifyError(error, `${plural(selected.size, 'ticket')} not set to ${statusWords[status]}.`);
    }
  };

  return (
    <div className="bulk" role="region" aria-label="Selected tickets" aria-busy={setStatus.isRunning}>
      <button type="button" className="icon-button" aria-label="Clear the selection" onClick={onClear}>
        {/* In its place, so that nothing moves. */}
        {setStatus.isRunning ? <Spinner /> : <X size={17} aria-hidden="true" />}
      </button>
      <strong className="bulk-count">{number(selected.size)} selected</strong>
      {hidden > 0 && <span className="bulk-hidden">{number(hidden)} not shown</span>}
      {selected.size < most && (
        <Button
          type="button"
          className="button button-quiet"
          isOff={isCollecting}
          onClick={() => void selectAll()}
        >
          {total > longest.bulk ? `Select the first ${longest.bulk}` : `Select all ${number(total)}`}
        </Button>
      )}
      <span className="bulk-actions">
        {statuses.map((status) => (
          <Button
            key={status}
            type="button"
            className="button"
            isOff={setStatus.isRunning}
            onClick={() => {
              if (selected.size > params.size) setAsked(status);
              else void apply(status);
            }}
          >
            <span className="badge-dot" data-status={status} aria-hidden="true" />
            {statusVerbs[status]}
          </Button>
        ))}
      </span>
      {asked !== null && (
        <Confirm
          title={`Set ${number(selected.size)} tickets to ${statusWords[asked]}?`}
          action={`Set to ${statusWords[asked]}`}
          onConfirm={() => {
            setAsked(null);
            void apply(asked);
          }}
          onCancel={() => setAsked(null)}
        >
          This page shows only some of them.
        </Confirm>
      )}
    </div>
  );
}

// The notifications of the signed-in user about their tickets. They arrive through the user's own audience.

import { Bell as BellIcon, BellOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useCollection, useInfiniteCollection, useItem, useMutation } from '@edict/react';
import { messageOf, readNotifications } from '../api.ts';
import { notification, notifications } from '../data.ts';
import { useNames } from '../desk.tsx';
import { bellPage, type Notification } from '../model.ts';
import { notifyError } from '../notices.ts';
import { listAt, ticketAt } from '../pages.ts';
import { Link } from '../router.tsx';
import { notificationWords, plural } from '../words.ts';
import { Ago, Avatar, Bone, Empty, Failure } from './Bits.tsx';
import { Button } from './Button.tsx';
import { Popover } from './Popover.tsx';

export function Bell() {
  const { data } = useCollection(notifications);
  const unread = data.info?.unread ?? 0;
  // Defined in this component, because the list closes when a user opens an entry.
  const { run, isRunning } = useMutation((id: number | undefined, { json }) => readNotifications(json, id));
  const read = (id?: number): void => void run(id).catch(notifyError);
  return (
    <Popover
      id="bell"
      label={unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`}
      button={
        <>
          <BellIcon size={18} aria-hidden="true" />
          {unread > 0 && (
            <span className="bell-count" aria-hidden="true" data-unread>
              {unread > 99 ? '99+' : unread}
            </span>
          )}
        </>
      }
    >
      {(close) => <List unread={unread} isReading={isRunning} onRead={read} onClose={close} />}
    </Popover>
  );
}

/** The first page has no params, because its list also contains the number on the bell. */
function nextPage(
  last: { ids: readonly unknown[] } | undefined,
  pages: readonly unknown[],
): { page?: number } | null {
  if (last === undefined) return {};
  return last.ids.length < bellPage ? null : { page: pages.length + 1 };
}

interface ListProps {
  unread: number;
  isReading: boolean;
  /** All notifications, or the one with this id. */
  onRead: (id?: number) => void;
  onClose: () => void;
}

function List({ unread, isReading, onRead, onClose }: ListProps) {
  const { data, error, isPending, meta, hasNextPage, fetchNextPage, refresh } = useInfiniteCollection(
    notifications,
    { nextParams: nextPage },
  );
  const { ids } = data;
  const list = useRef<HTMLUListElement>(null);
  /**
   * The number of entries before more were requested. The button may disappear, so the focus moves to the first new
   * entry.
   */
  const known = useRef<number | null>(null);
  useEffect(() => {
    const before = known.current;
    const first = before === null ? undefined : list.current?.children[before];
    if (before === null || (first === undefined && hasNextPage)) return;
    known.current = null;
    const at = document.activeElement;
    if (first instanceof HTMLElement && (at === document.body || at?.classList.contains('bell-more')))
      first.focus({ preventScroll: true });
  }, [ids, hasNextPage]);
  return (
    <>
      <div className="popover-head">
        <h2>Notifications</h2>
        {ids.length > 0 && (
          <Button
            type="button"
            className="button button-quiet"
            isOff={unread === 0 || isReading}
            onClick={() => onRead()}
          >
            Mark all as read
          </Button>
        )}
      </div>
      {error !== null && <Failure error={error} onRetry={refresh} />}
      {isPending ? (
        <ul aria-busy="true" aria-label="Loading notifications">
          <EntryBones />
        </ul>
      ) : ids.length === 0 ? (
        error === null && (
          <Empty icon={<BellOff size={24} />} title="Nothing yet">
            When a colleague assigns you a ticket, writes on one of yours or changes its status, it shows
            here.
          </Empty>
        )
      ) : (
        <ul className="bell-list" ref={list}>
          {ids.map((id) => (
            <Entry key={id} id={id} onRead={onRead} onClose={onClose} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button
          type="button"
          className="button button-quiet bell-more"
          onClick={() => {
            known.current = list.current?.childElementCount ?? 0; // Those that are gone have no place.
            fetchNextPage();
          }}
        >
          {meta.isLoadingNextPage ? 'Loading …' : 'Show older'}
        </button>
      )}
    </>
  );
}

/** With several notifications, the link leads to the user's own list, which starts with the most recent changes. */
const placeOf = ({ ticketId, others }: Notification): string =>
  others === 0 ? ticketAt(ticketId) : listAt({ assignee: 'me' });

interface EntryProps extends Pick<ListProps, 'onRead' | 'onClose'> {
  id: number;
}

function Entry({ id, onRead, onClose }: EntryProps) {
  const { data, error, isPending } = useItem(notification, id);
  const names = useNames();
  if (data === null) {
    if (error !== null)
      return (
        <li className="bell-entry" tabIndex={-1}>
          {messageOf(error)}
        </li>
      );
    return isPending ? <EntryBones /> : null;
  }
  const actor = names.person(data.actorId);
  return (
    <li className="bell-entry" data-unread={!data.isRead || undefined} tabIndex={-1}>
      <Avatar person={actor} size="s" />
      <Link
        to={placeOf(data)}
        onClick={() => {
          if (!data.isRead) onRead(id);
          onClose();
        }}
      >
        {!data.isRead && <span className="unseen">Unread: </span>}
        <strong>{actor?.name ?? 'Another user'}</strong> {notificationWords(data)}{' '}
        <strong>{data.subject}</strong>
        {data.others > 0 && ` and ${plural(data.others, 'other')}`}
      </Link>
      <Ago at={data.at} />
    </li>
  );
}

function EntryBones() {
  return (
    <li className="bell-entry row-bones" tabIndex={-1}>
      <Avatar person={null} size="s" />
      <Bone width="80%" />
    </li>
  );
}

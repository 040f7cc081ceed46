// What happened to the tickets that one is responsible for. Travels by the person's own audience.

import { Bell as BellIcon, BellOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useCollection, useInfiniteCollection, useItem, useMutation } from '@edict/react';
import { readNotifications } from '../api.ts';
import { useNames } from '../desk.tsx';
import { bellPage, type Notification } from '../model.ts';
import { notifyError } from '../notices.ts';
import { useRetry } from '../retry.ts';
import { listAt, ticketAt } from '../pages.ts';
import { Link } from '../router.tsx';
import { notificationWords, plural } from '../words.ts';
import { Ago, Avatar, Bone, Empty, Failure } from './Bits.tsx';
import { Button } from './Button.tsx';
import { Popover } from './Popover.tsx';

export function Bell() {
  const { data, meta, refresh } = useCollection('notifications');
  const unread = data.count;
  // Here, since the list is gone when an entry has led elsewhere.
  const { run, isRunning } = useMutation((id: number | undefined, { fetch }) => readNotifications(fetch, id));
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
      {(close) => (
        <>
          {meta.lastFetched !== null ? (
            <List unread={unread} isReading={isRunning} onRead={read} onClose={close} />
          ) : (
            meta.error !== null && <Failure message={meta.error} onRetry={refresh} />
          )}
        </>
      )}
    </Popover>
  );
}

/** The first page is the one that the number on the bell comes with: it is there already. */
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
  /** All of them, or the one. */
  onRead: (id?: number) => void;
  onClose: () => void;
}

function List({ unread, isReading, onRead, onClose }: ListProps) {
  const { data, meta, hasNextPage, fetchNextPage, refresh } = useInfiniteCollection('notifications', {
    nextParams: nextPage,
  });
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
      {meta.error !== null && <Failure message={meta.error} onRetry={refresh} />}
      {ids.length === 0 ? (
        <Empty icon={<BellOff size={24} />} title="Nothing yet">
          When a colleague assigns you a ticket, writes on one of yours or changes its status, it shows here.
        </Empty>
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
  id: string | number;
}

function Entry({ id, onRead, onClose }: EntryProps) {
  const { data: notification, meta, refresh } = useItem('notification', id);
  const names = useNames();
  if (notification === null) {
    if (meta.error !== null) return <EntryFailure message={meta.error} onRetry={refresh} />;
    return meta.isLoading ? (
      <li className="bell-entry row-bones" tabIndex={-1}>
        <Avatar person={null} size="s" />
        <Bone width="80%" />
      </li>
    ) : null;
  }
  const actor = names.person(notification.actorId);
  return (
    <li className="bell-entry" data-unread={!notification.isRead || undefined} tabIndex={-1}>
      <Avatar person={actor} size="s" />
      <Link
        to={placeOf(notification)}
        onClick={() => {
          if (!notification.isRead) onRead(notification.id);
          onClose();
        }}
      >
        {!notification.isRead && <span className="unseen">Unread: </span>}
        <strong>{actor?.name ?? 'Somebody'}</strong> {notificationWords(notification)}{' '}
        <strong>{notification.subject}</strong>
        {notification.others > 0 && ` and ${plural(notification.others, 'other')}`}
      </Link>
      <Ago at={notification.at} />
    </li>
  );
}

function EntryFailure({ message, onRetry }: { message: string; onRetry: () => void }) {
  useRetry(onRetry);
  return (
    <li className="bell-entry" tabIndex={-1}>
      {message}
    </li>
  );
}

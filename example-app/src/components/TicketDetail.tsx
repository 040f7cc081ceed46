// One ticket, open.

import { useState } from 'react';
import { ArrowLeft, FileX2, Pencil, Trash2, X } from 'lucide-react';
import { useItem, useMutation } from '@edict/react';
import { removeTicket } from '../api.ts';
import { ticket } from '../data.ts';
import { useNames } from '../desk.tsx';
import { useFocusAfterTicket } from '../focus.ts';
import { useIsHere } from '../here.ts';
import type { Ticket, TicketSummary } from '../model.ts';
import { notify, notifyError } from '../notices.ts';
import { Link, navigate } from '../router.tsx';
import { useTitle } from '../title.ts';
import { Ago, Bone, Empty, Failure, StatusBadge } from './Bits.tsx';
import { Button } from './Button.tsx';
import { Composer } from './Composer.tsx';
import { Confirm } from './Dialog.tsx';
import { EditTicket, useEditDraft } from './EditTicket.tsx';
import { LeftDrafts } from './LeftDrafts.tsx';
import { Properties } from './Properties.tsx';
import { Timeline } from './Timeline.tsx';

export function TicketDetail({ id, backTo }: { id: number; backTo: string }) {
  const { data, error, isGone, refresh } = useItem(ticket, id, 'full');
  // Shown while the rest loads. One request returns both levels.
  const { data: summary } = useItem(ticket, id);
  // A ticket that is gone stays open with its last data, because the user may be writing in it.
  const [shown, setShown] = useState(data);
  if (data !== null && data !== shown) setShown(data);
  const named = shown ?? summary;
  useTitle(named === null ? `#${id}` : `#${id} ${named.subject}`);
  useFocusAfterTicket(id);

  return (
    <article className="detail" aria-label={`Ticket ${id}`} tabIndex={-1} data-detail={id}>
      <Link className="button button-quiet detail-back" to={backTo}>
        <ArrowLeft size={16} aria-hidden="true" />
        <span>Tickets</span>
      </Link>
      <Link className="icon-button detail-close" to={backTo} aria-label="Close the ticket">
        <X size={18} aria-hidden="true" />
      </Link>
      {error !== null && <Failure error={error} onRetry={refresh} />}
      {shown !== null ? (
        <Loaded ticket={shown} isGone={isGone} backTo={backTo} />
      ) : isGone ? (
        <>
          <Empty
            icon={<FileX2 size={28} />}
            title="Ticket not found"
            isPage
            action={
              <Link className="button" to={backTo}>
                Back to the list
              </Link>
            }
          >
            It was deleted, or it is private to another team.
          </Empty>
          <LeftDrafts id={id} />
        </>
      ) : error === null ? (
        <DetailBones id={id} summary={summary} />
      ) : (
        <div className="detail-body">
          <header className="detail-head">
            {summary !== null && <Over ticket={summary} />}
            <h1>{summary?.subject ?? `Ticket #${id}`}</h1>
          </header>
        </div>
      )}
    </article>
  );
}

function Loaded({ ticket, isGone, backTo }: { ticket: Ticket; isGone: boolean; backTo: string }) {
  const names = useNames();
  const [isEditOpen, setIsEditOpen] = useState(false);
  // An edit that was open before a reload continues.
  const edit = useEditDraft(ticket.id).draft;
  const isEditing = (edit !== null || isEditOpen) && !isGone;
  const team = names.team(ticket.teamId);

  return (
    <div className="detail-body" data-gone={isGone || undefined}>
      {isGone && (
        <p className="banner banner-danger" role="alert" data-gone-notice>
          <FileX2 size={18} aria-hidden="true" />
          <span>This ticket was deleted, or you can no longer see it.</span>
        </p>
      )}
      <header className="detail-head">
        <Over ticket={ticket} />
        {isEditing ? (
          <>
            <h1 className="unseen">Editing ticket #{ticket.id}</h1>
            <EditTicket ticket={ticket} onDone={() => setIsEditOpen(false)} />
          </>
        ) : (
          <>
            <h1>{ticket.subject}</h1>
            <div className="detail-actions">
              <Button
                type="button"
                className="button"
                isOff={isGone}
                onClick={() => setIsEditOpen(true)}
                data-edit
              >
                <Pencil size={15} aria-hidden="true" />
                Edit
              </Button>
              <Remove id={ticket.id} isGone={isGone} backTo={backTo} />
            </div>
          </>
        )}
      </header>
      <Properties ticket={ticket} isGone={isGone} />
      {!isEditing && (
        <div className="message message-first">
          <p className="message-head">
            <strong>{ticket.requester}</strong>
            <a href={`mailto:${ticket.requesterEmail}`}>{ticket.requesterEmail}</a>
            {team !== null && <span>to {team.name}</span>}
          </p>
          <p className="message-text">{ticket.body}</p>
        </div>
      )}
      <Timeline ticket={ticket} />
      {isGone ? <LeftDrafts id={ticket.id} /> : <Composer ticket={ticket} />}
    </div>
  );
}

function Over({ ticket }: { ticket: TicketSummary }) {
  return (
    <p className="detail-over">
      <span className="row-id">#{ticket.id}</span>
      <StatusBadge status={ticket.status} />
      <span>
        opened <Ago at={ticket.createdAt} /> by <bdi>{ticket.requester}</bdi>
      </span>
    </p>
  );
}

function Remove({ id, isGone, backTo }: { id: number; isGone: boolean; backTo: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const isHere = useIsHere();
  const removal = useMutation((_: void, { json }) => removeTicket(json, id), {
    // Leaving the page needs no refetched list.
    until: 'response',
  });

  const remove = async (): Promise<void> => {
    try {
      await removal.run();
      notify('done', `Ticket #${id} was deleted.`);
      // A user who has navigated away stays on the current page.
      if (isHere.current) navigate(backTo);
    } catch (error) {
      notifyError(error, `#${id} was not deleted.`);
      setIsAsking(false);
    }
  };

  return (
    <>
      <Button type="button" className="button button-danger" isOff={isGone} onClick={() => setIsAsking(true)}>
        <Trash2 size={15} aria-hidden="true" />
        Delete
      </Button>
      {isAsking && !isGone && (
        <Confirm
          title={`Delete ticket #${id}?`}
          action="Delete"
          isDanger
          isRunning={removal.isRunning}
          onConfirm={() => void remove()}
          onCancel={() => setIsAsking(false)}
        >
          This also deletes its comments and its history, and cannot be undone.
        </Confirm>
      )}
    </>
  );
}

const propertiesShown = 5;

/** `summary`: null if no list has loaded it. */
function DetailBones({ id, summary }: { id: number; summary: TicketSummary | null }) {
  return (
    <div className="detail-body" aria-busy="true">
      <header className="detail-head">
        {summary === null ? (
          <p className="detail-over">
            <Bone width="14rem" />
          </p>
        ) : (
          <Over ticket={summary} />
        )}
        <h1>
          {summary?.subject ?? (
            <>
              <span className="unseen">Loading ticket #{id}</span>
              <Bone width="70%" />
            </>
          )}
        </h1>
        <div className="detail-actions">
          <Bone width="5rem" />
        </div>
      </header>
      <div className="properties">
        {Array.from({ length: propertiesShown }, (_, place) => (
          <span key={place} className="property property-bones">
            <span className="property-label">
              <Bone width="4rem" />
            </span>
            <span className="property-control">
              <Bone width="100%" />
            </span>
          </span>
        ))}
      </div>
      <div className="message message-first">
        <p className="message-head">
          <Bone width="12rem" />
        </p>
        <p className="message-text">
          <Bone width="95%" />
          <Bone width="88%" />
          <Bone width="40%" />
        </p>
      </div>
    </div>
  );
}

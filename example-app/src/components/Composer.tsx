// Writes a comment. Changes by other users never touch the draft. It survives a reload, and a notice lists what
// changed in the ticket meanwhile.

import type { KeyboardEvent } from 'react';
import { Send } from 'lucide-react';
import { useMutation } from '@edict/react';
import { addComment, messageOf } from '../api.ts';
import { useMe, useNames } from '../desk.tsx';
import { newSendingKey, useDraft } from '../drafts.ts';
import { useIsHere } from '../here.ts';
import { newsSince, seenOf, type Seen } from '../meanwhile.ts';
import { longest, type Ticket } from '../model.ts';
import { notifyError } from '../notices.ts';
import { plural } from '../words.ts';
import { Button } from './Button.tsx';
import { Meanwhile } from './Meanwhile.tsx';

interface CommentDraft {
  text: string;
  /** The state of the ticket when the draft was started or the user last dismissed the notice. */
  seen: Seen;
  /** The key of the request that sent this text. */
  key?: string;
}

export const useCommentDraft = (id: number) => useDraft<CommentDraft>(`comment-${id}`);

export function Composer({ ticket }: { ticket: Ticket }) {
  const me = useMe();
  const names = useNames();
  const isHere = useIsHere();
  const { draft, keep, latest } = useCommentDraft(ticket.id);
  const text = draft?.text ?? '';
  const sending = useMutation((comment: { body: string; key: string }, { json }) =>
    addComment(json, ticket.id, comment.body, comment.key),
  );
  const left = longest.comment - text.length;
  const canSend = text.trim() !== '' && left >= 0 && !sending.isRunning;

  const type = (typed: string): void =>
    keep(typed === '' ? null : { text: typed, seen: draft?.seen ?? seenOf(ticket) });
  const send = async (): Promise<void> => {
    const key = draft?.key ?? newSendingKey();
    keep({ seen: seenOf(ticket), ...draft, text, key });
    try {
      await sending.run({ body: text, key });
      type(textAfter(text, latest()?.text ?? ''));
    } catch (error) {
      // The draft stays, with the reason beside it. A user who has left the ticket gets a notice.
      if (!isHere.current) notifyError(error, `Your comment on #${ticket.id} was not sent.`);
    }
  };
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || !canSend) return;
    if (event.nativeEvent.isComposing) return; // It ends the choice of a character.
    event.preventDefault();
    void send();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) void send();
      }}
    >
      {draft !== null && (
        <Meanwhile
          news={newsSince(ticket, draft.seen, me.id, names)}
          onNoted={() => keep({ ...draft, seen: seenOf(ticket) })}
          field={`#composer-${ticket.id}`}
        />
      )}
      <label className="unseen" htmlFor={`composer-${ticket.id}`}>
        Write a comment
      </label>
      <textarea
        id={`composer-${ticket.id}`}
        rows={3}
        placeholder="Write a comment …"
        value={text}
        aria-invalid={left < 0}
        aria-describedby={`composer-note-${ticket.id}`}
        onChange={(event) => type(event.target.value)}
        onKeyDown={sendByKey}
        data-shortcut="reply"
      />
      <div className="composer-foot">
        <Note id={`composer-note-${ticket.id}`} left={left} error={sending.error} />
        <Button type="submit" className="button button-main" isOff={!canSend}>
          <Send size={15} aria-hidden="true" />
          {sending.isRunning ? 'Sending …' : 'Comment'}
        </Button>
      </div>
    </form>
  );
}

/** Text that was typed while the comment was being sent becomes the next draft. */
const textAfter = (sent: string, typed: string): string =>
  typed.startsWith(sent) ? typed.slice(sent.length).trimStart() : typed;

interface NoteProps {
  id: string;
  /** Characters until it is too long. */
  left: number;
  error: Error | null;
}

/** The first reason why the comment cannot be sent. Errors are announced to screen readers, because the focus does not move. */
function Note({ id, left, error }: NoteProps) {
  const isTooLong = left < 0;
  const hasFailed = error !== null && !isTooLong;
  return (
    <p id={id} className="composer-note" data-bad={isTooLong || hasFailed || undefined}>
      {isTooLong && `${plural(-left, 'character')} too long.`}
      {hasFailed && <span role="alert">{messageOf(error)}</span>}
      {!isTooLong && !hasFailed && <span className="composer-keys">Ctrl + Enter to send</span>}
    </p>
  );
}

// Edits the texts of a ticket. Typed text is never replaced. If another user changed the same text, both versions are
// offered, and the server refuses an edit of an outdated version.

import { Fragment, useState, type FormEvent } from 'react';
import { HttpError } from '@edict/core';
import { useDL, useMutation } from '@edict/react';
import { changeTicket, fieldsOf } from '../api.ts';
import { ticket as ticketItem } from '../data.ts';
import { useMe, useNames } from '../desk.tsx';
import { useDraft } from '../drafts.ts';
import { useFocusAfter } from '../focus.ts';
import { useIsHere } from '../here.ts';
import type { ChangeTicket } from '../inputs.ts';
import { newsSince, seenOf, type Seen } from '../meanwhile.ts';
import { printable, type Ticket } from '../model.ts';
import { notifyError } from '../notices.ts';
import { fieldWords } from '../words.ts';
import { Button } from './Button.tsx';
import { useCommentDraft } from './Composer.tsx';
import { FormError, TextFields, type Texts } from './Field.tsx';
import { Meanwhile } from './Meanwhile.tsx';

interface EditDraft extends Texts {
  /** The texts when the edit started. */
  base: Texts;
  /** The texts that were sent last. Their response may be lost although they were saved. */
  sent?: Texts;
  seen: Seen;
}

export const useEditDraft = (id: number) => useDraft<EditDraft>(`edit-${id}`);

interface Props {
  ticket: Ticket;
  onDone: () => void;
}

export function EditTicket({ ticket, onDone }: Props) {
  const dl = useDL();
  const me = useMe();
  const names = useNames();
  const { draft, keep, latest } = useEditDraft(ticket.id);
  const hasComment = useCommentDraft(ticket.id).draft !== null;
  const [untouched] = useState(() => editOf(ticket));
  const edit = draft ?? untouched;
  const { subject, body, seen } = edit;
  const set = (change: Partial<EditDraft>): void => keep({ ...edit, ...change });
  const { run, isRunning, error } = useMutation((change: ChangeTicket, { json }) =>
    changeTicket(json, ticket.id, change),
  );
  useFocusAfter('[data-edit]');
  const isHere = useIsHere();
  // Text that this user just saved is no conflict.
  const theirs = isRunning ? [] : textFields.filter((which) => isOthers(which, ticket, edit));
  const isOvertaken = theirs.length > 0;

  const leave = (): void => {
    keep(null);
    onDone();
  };
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const sent = asKept(edit);
    set({ sent });
    try {
      // The current version. Changes of other properties do not conflict with the texts.
      await run({ subject, body, expectedVersion: ticket.version });
      // Text that was typed while saving continues from the saved version.
      const typed = latest();
      if (typed === null || (typed.subject === subject && typed.body === body)) leave();
      else keep({ ...typed, base: sent });
    } catch (refusal) {
      if (!isHere.current && latest() !== null)
        notifyError(refusal, `Your changes of the texts of #${ticket.id} were not saved.`);
      // Another user saved first, and the directive has not arrived yet. Show both versions.
      if (refusal instanceof HttpError && refusal.status === 409)
        dl.fetchItem(ticketItem, ticket.id, 'full', { force: true });
    }
  };

  return (
    <form className="edit" onSubmit={(event) => void save(event)}>
      {/* One notice at a time. The composer below shows this one while a comment is being written. */}
      {!hasComment && !isOvertaken && (
        <Meanwhile
          news={newsSince(ticket, seen, me.id, names)}
          onNoted={() => set({ seen: seenOf(ticket) })}
          field={firstField}
        />
      )}
      {isOvertaken && (
        <Overtaken
          theirs={theirs.map((which) => ({ which, text: ticket[which] }))}
          onKeep={() => set({ base: textsOf(ticket) })}
          onTake={() => {
            const taken = Object.fromEntries(theirs.map((which) => [which, ticket[which]]));
            set({ ...taken, base: textsOf(ticket) });
          }}
        />
      )}
      <TextFields {...{ subject, body }} rows={6} errors={fieldsOf(error)} onChange={set} />
      <div className="form-actions">
        <FormError error={error} />
        <Button type="submit" className="button button-main" isOff={isRunning || isOvertaken}>
          {isRunning ? 'Saving …' : 'Save'}
        </Button>
        <button type="button" className="button" onClick={leave}>
          Cancel
        </button>
      </div>
    </form>
  );
}

const textFields = ['subject', 'body'] as const;
const firstField = '.edit input';

interface OvertakenProps {
  /** The texts that another user changed. */
  theirs: readonly { which: keyof Texts; text: string }[];
  onKeep: () => void;
  onTake: () => void;
}

function Overtaken({ theirs, onKeep, onTake }: OvertakenProps) {
  useFocusAfter(firstField);
  const words = theirs.map(({ which }) => fieldWords[which].toLowerCase());
  return (
    <div className="banner banner-warn" role="alert" data-overtaken>
      <div>
        <p>
          <strong>Another user changed the {words.join(' and the ')}.</strong> Yours is still in the form.
        </p>
        <dl>
          {theirs.map(({ which, text }) => (
            <Fragment key={which}>
              <dt>Their {fieldWords[which].toLowerCase()}</dt>
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also with the keyboard */}
              <dd tabIndex={0}>{text}</dd>
            </Fragment>
          ))}
        </dl>
      </div>
      <span className="banner-actions">
        <button type="button" className="button" onClick={onKeep}>
          Keep mine
        </button>
        <button type="button" className="button" onClick={onTake}>
          Use theirs
        </button>
      </span>
    </div>
  );
}

const textsOf = ({ subject, body }: Ticket): Texts => ({ subject, body });

/** As the server stores them. */
const asKept = ({ subject, body }: Texts): Texts => ({
  subject: printable(subject).trim(),
  body: printable(body).trim(),
});

/**
 * Whether the current text differs from the start of the edit, from the sent text, and from the text in the form.
 */
const isOthers = (which: keyof Texts, ticket: Ticket, edit: EditDraft): boolean =>
  ![edit.base, edit.sent, asKept(edit)].some((texts) => texts?.[which] === ticket[which]);

const editOf = (ticket: Ticket): EditDraft => ({
  ...textsOf(ticket),
  base: textsOf(ticket),
  seen: seenOf(ticket),
});

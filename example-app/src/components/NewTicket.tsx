// Creates a ticket for a customer.

import type { FormEvent } from 'react';
import { useMutation } from '@edict/react';
import { createTicket, fieldsOf } from '../api.ts';
import { useMe, useNames } from '../desk.tsx';
import { newSendingKey, useDraft } from '../drafts.ts';
import { useIsHere } from '../here.ts';
import type { CreateTicket } from '../inputs.ts';
import { priorities } from '../model.ts';
import { notify, notifyError } from '../notices.ts';
import { ticketAt } from '../pages.ts';
import { navigate } from '../router.tsx';
import { notInIt, priorityWords } from '../words.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field, FormError, TextFields } from './Field.tsx';
import { Choice, Select, TeamOptions } from './Select.tsx';

interface NewTicketDraft extends CreateTicket {
  /** The key of the request that sent these texts. */
  key?: string | undefined;
}

export function NewTicket({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const names = useNames();
  const { draft, keep, latest } = useDraft<NewTicketDraft>('ticket');
  const isHere = useIsHere();
  const input: NewTicketDraft = draft ?? {
    subject: '',
    body: '',
    priority: 'normal',
    teamId: me.teamIds[0] ?? names.directory.teams[0]?.id ?? 1,
    assigneeId: null,
    visibility: 'everyone',
    requesterName: '',
    requesterEmail: '',
  };
  const { run, isRunning, error } = useMutation(
    ({ key, ...wanted }: CreateTicket & { key: string }, { json }) => createTicket(json, wanted, key),
  );
  const fields = fieldsOf(error);
  const set = (change: Partial<CreateTicket>): void => keep({ ...input, ...change, key: undefined });
  const isMine = me.teamIds.includes(input.teamId);

  const leave = (): void => {
    keep(null);
    onClose();
  };
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const sent = { ...input, key: input.key ?? newSendingKey() };
    keep(sent);
    try {
      const id = await run(sent);
      notify('done', `Ticket #${id} was created.`);
      // Text that was typed in the meantime becomes the next draft. A user who has closed the form stays on the
      // current page.
      const typed = latest();
      if (typed !== null && typed.key !== sent.key) return;
      keep(null);
      if (!isHere.current) return;
      onClose();
      navigate(ticketAt(id));
    } catch (refusal) {
      // The form stays open and shows the errors of the server beside the fields.
      if (!isHere.current && latest() !== null) notifyError(refusal, 'Your new ticket was not created.');
    }
  };

  return (
    <Dialog title="New ticket" onClose={onClose}>
      <form className="form" onSubmit={(event) => void create(event)}>
        <TextFields subject={input.subject} body={input.body} rows={4} errors={fields} onChange={set} />
        <div className="form-pair">
          <Field label="Customer" error={fields['requesterName']}>
            {(attributes) => (
              <input
                {...attributes}
                value={input.requesterName}
                required
                autoComplete="off"
                onChange={(event) => set({ requesterName: event.target.value })}
              />
            )}
          </Field>
          <Field label="Email address" error={fields['requesterEmail']}>
            {(attributes) => (
              <input
                {...attributes}
                type="email"
                value={input.requesterEmail}
                required
                autoComplete="off"
                onChange={(event) => set({ requesterEmail: event.target.value })}
              />
            )}
          </Field>
        </div>
        <div className="form-pair">
          <Field label="Team" error={fields['teamId']}>
            {(attributes) => (
              <Select
                {...attributes}
                value={input.teamId}
                onChange={(event) => set({ teamId: Number(event.target.value), visibility: 'everyone' })}
              >
                <TeamOptions chosen={input.teamId} />
              </Select>
            )}
          </Field>
          <Field label="Priority" error={fields['priority']}>
            {(attributes) => (
              <Choice
                {...attributes}
                value={input.priority}
                values={priorities}
                words={priorityWords}
                onChoose={(priority) => set({ priority })}
              />
            )}
          </Field>
        </div>
        <label className="form-check">
          <input
            type="checkbox"
            disabled={!isMine}
            checked={input.visibility === 'team'}
            onChange={(event) => set({ visibility: event.target.checked ? 'team' : 'everyone' })}
          />
          <span>Private to the team{!isMine && notInIt}</span>
        </label>
        <div className="form-actions">
          {fields['visibility'] !== undefined && (
            <p className="form-error" role="alert">
              {fields['visibility']}
            </p>
          )}
          <FormError error={error} />
          <Button type="submit" className="button button-main" isOff={isRunning}>
            {isRunning ? 'Creating …' : 'Create ticket'}
          </Button>
          <button type="button" className="button" onClick={leave}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

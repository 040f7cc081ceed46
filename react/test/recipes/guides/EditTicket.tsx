// EditTicket.tsx
import { useMutation } from '@edict/react';
import type { FormEvent } from 'react';

export function EditTicket({ id, title, onDone }: { id: number; title: string; onDone: () => void }) {
  const save = useMutation(
    (fields: FormData, { json }) =>
      json(`/api/tickets/${id}`, { method: 'PUT', json: Object.fromEntries(fields) }),
    { onSuccess: () => onDone() }, // The form closes when the new title is on the screen.
  );
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    void save.run(new FormData(event.currentTarget)); // An error is in `save.error`.
  }
  return (
    <form onSubmit={submit}>
      <input name="title" defaultValue={title} />
      <button disabled={save.isRunning}>Save</button>
      {save.error !== null && <p role="alert">{save.error.message}</p>}
    </form>
  );
}

// EditTicket.tsx
import { useMutation } from '@edict/react';

export function EditTicket({ id, title, onDone }: { id: number; title: string; onDone: () => void }) {
  const save = useMutation(
    (fields: FormData, { json }) =>
      json(`/api/tickets/${id}`, { method: 'PUT', json: Object.fromEntries(fields) }),
    { onSuccess: () => onDone() }, // The form closes when the new title is on the screen.
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save.run(new FormData(event.currentTarget)); // An error is in `save.error`.
      }}
    >
      <input name="title" defaultValue={title} />
      <button disabled={save.isRunning}>Save</button>
      {save.error !== null && <p role="alert">{save.error.message}</p>}
    </form>
  );
}

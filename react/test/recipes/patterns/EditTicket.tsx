// EditTicket.tsx
import { useMutation } from '@edict/react';
import type { FormEvent } from 'react';

export function EditTicket({ id, title, onDone }: { id: number; title: string; onDone: () => void }) {
  const save = useMutation(
    async (form: FormData, { fetch }) => {
      const response = await fetch(`/api/tickets/${id}`, { method: 'PUT', body: form });
      if (!response.ok) throw new Error(`The ticket could not be saved (${response.status}).`);
    },
    { until: 'settled' }, // The form closes when the new title is on the screen.
  );
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    save.run(new FormData(event.currentTarget)).then(onDone, () => undefined); // What failed is in `save.error`.
  }
  return (
    <form onSubmit={submit}>
      <input name="title" defaultValue={title} />
      <button disabled={save.isRunning}>Save</button>
      {save.error instanceof Error && <p role="alert">{save.error.message}</p>}
    </form>
  );
}

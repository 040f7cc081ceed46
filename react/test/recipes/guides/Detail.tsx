// Detail.tsx
import { defineItem } from '@edict/core';
import { useItem, useMutation } from '@edict/react';

export const invoice = defineItem('invoice', {
  async fetch(id: number, { signal }): Promise<{ title: string } | null> {
    const response = await fetch(`/api/invoices/${id}`, { signal });
    if (response.status === 404) return null; // There is no such invoice.
    if (!response.ok) throw new Error(`The invoice could not be read (${response.status}).`);
    return response.json();
  },
});

export function Detail({ id }: { id: number }) {
  const { data, isGone } = useItem(invoice, id);
  const remove = useMutation((_: void, { json }) => json(`/api/invoices/${id}`, { method: 'DELETE' }));
  if (isGone) return <p>This invoice was deleted.</p>;
  return (
    <>
      <h1>{data?.title}</h1>
      <button disabled={remove.isRunning} onClick={() => void remove.run()}>
        Delete
      </button>
    </>
  );
}

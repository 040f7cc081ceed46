// Board.tsx
import { useCollection, useMutation } from '@edict/react';
import { useState } from 'react';

interface Move {
  id: string | number;
  to: string;
}

function Column({ name, asked, onDrop }: { name: string; asked: Move | null; onDrop: (move: Move) => void }) {
  const { data } = useCollection('cards', { params: { column: name } });
  const ids = data.ids.filter((id) => id !== asked?.id);
  return (
    <ul
      aria-label={name}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => onDrop({ id: Number(event.dataTransfer.getData('text/plain')), to: name })}
    >
      {asked?.to === name && <li aria-busy="true">{asked.id}</li>}
      {ids.map((id) => (
        <li key={id} draggable onDragStart={(event) => event.dataTransfer.setData('text/plain', String(id))}>
          {id}
        </li>
      ))}
    </ul>
  );
}

export function Board({ columns }: { columns: readonly string[] }) {
  const [asked, setAsked] = useState<Move | null>(null);
  const move = useMutation(
    async ({ id, to }: Move, { fetch }) => {
      const response = await fetch(`/api/cards/${id}`, {
        method: 'PUT',
        body: JSON.stringify({ column: to }),
      });
      if (!response.ok) throw new Error(`The card could not be moved (${response.status}).`);
    },
    { until: 'settled' }, // Both lists have been read when the card is no longer on its way.
  );
  function drop(next: Move): void {
    const end = (): void => setAsked((now) => (now === next ? null : now));
    setAsked(next);
    move.run(next).then(end, end);
  }
  return (
    <>
      {columns.map((name) => (
        <Column key={name} name={name} asked={asked} onDrop={drop} />
      ))}
      {move.error instanceof Error && <p role="alert">{move.error.message}</p>}
    </>
  );
}

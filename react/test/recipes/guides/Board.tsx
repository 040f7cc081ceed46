// Board.tsx
import { defineCollection } from '@edict/core';
import { useCollection, useMutation } from '@edict/react';

export const cards = defineCollection('cards', {
  async fetch(params: { column: string }, { signal }): Promise<{ ids: number[] }> {
    const response = await fetch(`/api/cards?column=${params.column}`, { signal });
    if (!response.ok) throw new Error(`The cards could not be read (${response.status}).`);
    return response.json();
  },
});

interface Move {
  id: number;
  to: string;
}

function Column({
  name,
  moving,
  onDrop,
}: {
  name: string;
  moving: Map<number, string>;
  onDrop: (move: Move) => void;
}) {
  const { data } = useCollection(cards, { params: { column: name } });
  return (
    <ul
      aria-label={name}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => onDrop({ id: Number(event.dataTransfer.getData('text/plain')), to: name })}
    >
      {[...moving].map(
        ([id, to]) =>
          to === name && (
            <li key={id} aria-busy="true">
              {id}
            </li>
          ),
      )}
      {data.ids.map(
        (id) =>
          !moving.has(id) && (
            <li
              key={id}
              draggable
              onDragStart={(event) => event.dataTransfer.setData('text/plain', String(id))}
            >
              {id}
            </li>
          ),
      )}
    </ul>
  );
}

export function Board({ columns }: { columns: readonly string[] }) {
  const move = useMutation(({ id, to }: Move, { json }) =>
    json(`/api/cards/${id}`, { method: 'PUT', json: { column: to } }),
  );
  const moving = new Map(move.pending.map(({ id, to }) => [id, to]));
  return (
    <>
      {columns.map((name) => (
        <Column key={name} name={name} moving={moving} onDrop={(next) => void move.run(next)} />
      ))}
      {move.error !== null && <p role="alert">{move.error.message}</p>}
    </>
  );
}

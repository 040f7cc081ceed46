import { useState } from 'react';
import { useCollection, useMutation } from '@edict/react';
import { Detail } from './Detail.tsx';
import { Row } from './Row.tsx';
import { messageOf, tickets } from './data.ts';

export function App() {
  const { data, error, isPending, refresh } = useCollection(tickets);
  const [openId, setOpenId] = useState<number | null>(null);

  return (
    <>
      <h1>Tickets</h1>
      <div className="columns">
        <section>
          <NewTicket />
          {isPending && <p>Loading …</p>}
          {error !== null && (
            <p role="alert">
              {messageOf(error)} <button onClick={refresh}>Try again</button>
            </p>
          )}
          <ul>
            {data.ids.map((id) => (
              <Row key={id} id={id} onOpen={() => setOpenId(id)} />
            ))}
          </ul>
          {!isPending && error === null && data.count === 0 && <p>No tickets.</p>}
        </section>
        {openId !== null && <Detail key={openId} id={openId} />}
      </div>
    </>
  );
}

function NewTicket() {
  const [title, setTitle] = useState('');
  const add = useMutation((_: void, { json }) => json('/api/tickets', { json: { title } }), {
    onSuccess: () => setTitle(''),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!add.isRunning) void add.run();
      }}
    >
      <input
        aria-label="Title of the new ticket"
        placeholder="What is wrong?"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <button aria-disabled={add.isRunning}>Add</button>
      {add.error !== null && <span role="alert">{messageOf(add.error)}</span>}
    </form>
  );
}

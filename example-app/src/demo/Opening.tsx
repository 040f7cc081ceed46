// The stage without content, until the room is open. Nothing moves afterwards.

import { Face } from './TicketLine.tsx';

const rows = [62, 74, 55, 68, 48, 70];

export function Opening() {
  return (
    <main>
      <p className="unseen" role="status">
        Opening a room of your own …
      </p>
      <div className="stage" aria-hidden="true">
        <EmptyScreen />
        <div className="wires" />
        <EmptyScreen />
      </div>
    </main>
  );
}

function EmptyScreen() {
  return (
    <div className="screen">
      <div className="screen-head">
        <span className="bone" style={{ width: 150 }} />
      </div>
      <ul className="tickets">
        {rows.map((width) => (
          <li key={width} className="ticket">
            <Face name={null} />
            <div className="ticket-text">
              <p className="ticket-subject">
                <span className="bone" style={{ width: `${width}%` }} />
              </p>
              <p className="ticket-facts">
                <span className="bone" style={{ width: '40%' }} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

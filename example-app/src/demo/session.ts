// The state of the page: one room, two people, their wires, and the measurements.

import { createColleagues, type Colleagues } from './colleagues.ts';
import { createComparison, type Comparison } from './comparison.ts';
import { createJournal, sides, type Journal, type Side } from './journal.ts';
import { createMeasures, type Measures } from './measures.ts';
import { openRoom, type OpenRoom } from './api.ts';
import { createPerson, type Person } from './person.ts';
import { createWire, type Wire } from './wire.ts';

export interface DemoSession {
  room: OpenRoom;
  people: Readonly<Record<Side, Person>>;
  journal: Journal;
  measures: Measures;
  comparison: Comparison;
  colleagues: Colleagues;
}

export async function openSession(): Promise<DemoSession> {
  const room = await openRoom();
  const isChange = (data: string): boolean => data.includes('"op"');
  const wireOf = (side: Side): Wire =>
    createWire({ isChange, onMessage: (message) => journal.onMessage(side, message) });
  const wires: Record<Side, Wire> = { Priya: wireOf('Priya'), Mara: wireOf('Mara') };
  const journal = createJournal((side) => wires[side].faults().isCut);
  const people: Record<Side, Person> = {
    Priya: createPerson('Priya', room, wires.Priya),
    Mara: createPerson('Mara', room, wires.Mara),
  };
  for (const side of sides) {
    const { dl, wire } = people[side];
    wire.subscribe(() => {
      if (wire.faults().isCut) journal.cut(side);
    });
    dl.onLifecycle('sse:open', () => journal.opened(side));
    dl.onLifecycle('sse:resync-dispatch', () => void dl.whenSettled().then(() => journal.refetched(side)));
  }
  const measures = createMeasures([people.Priya, people.Mara], room.aheadMs);
  return {
    room,
    people,
    journal,
    measures,
    comparison: createComparison(room),
    colleagues: createColleagues(room),
  };
}

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

/** Resolves when this person's requests have succeeded. A cut wire ends them, and then they are repeated over the next stream. */
async function whenRefetched({ dl, wire }: Pick<Person, 'dl' | 'wire'>): Promise<void> {
  const cut = wire.cutSignal();
  await dl.whenSettled();
  if (!cut.aborted) return;
  await new Promise<void>((resolve) => {
    const end = dl.onLifecycle('sse:open', () => {
      end();
      resolve();
    });
  });
  return await whenRefetched({ dl, wire });
}

export async function openSession(): Promise<DemoSession> {
  const room = await openRoom();
  const isChange = (data: string): boolean => data.includes('"op"');
  const wireOf = (side: Side): Wire =>
    createWire({
      isChange,
      onMessage: (message) => journal.onMessage(side, message),
      onOpen: () => journal.opened(side),
    });
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
    dl.onLifecycle('sse:resync-dispatch', () => {
      const fill = journal.refetching(side);
      void whenRefetched(people[side]).then(fill);
    });
  }
  const measures = createMeasures([people.Priya, people.Mara], room.clock);
  return {
    room,
    people,
    journal,
    measures,
    comparison: createComparison(room),
    colleagues: createColleagues(room),
  };
}

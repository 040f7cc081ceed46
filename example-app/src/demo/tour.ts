// The five steps of the tour. Each does one thing to the real clients, and returns what it measured.

import { burst, serverRows } from './api.ts';
import { plural } from '../words.ts';
import { isFilled, isHole, sides, type Row } from './journal.ts';
import { handWiredScreen, type DemoTicket } from './model.ts';
import { timeWords } from './measures.ts';
import type { DemoSession } from './session.ts';

export interface Measured {
  /** The most important value. */
  figure: string;
  sentence: string;
}

export interface TourStep {
  title: string;
  promise: string;
  /** Completes the sentence "Measures …". */
  measures: string;
  run: (session: DemoSession, showHandWired: () => void) => Promise<Measured>;
}

const patienceMs = 20_000;
const tooLong = 'That took too long. The numbers of this step were not measured.';
const now = (): number => performance.now();
const sleep = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to the first result that is not null, and the time of it. It checks now and at each event, and rejects when it takes too long. */
async function when<T>(
  subscribe: (listener: () => void) => () => void,
  check: () => T | null,
): Promise<{ found: T; at: number }> {
  return await new Promise((resolve, reject) => {
    const look = (): void => {
      const found = check();
      if (found === null) return;
      end();
      resolve({ found, at: now() });
    };
    const unsubscribe = subscribe(look);
    const timer = setTimeout(() => {
      end();
      reject(new Error(tooLong));
    }, patienceMs);
    const end = (): void => {
      unsubscribe();
      clearTimeout(timer);
    };
    look();
  });
}

/** For what sends no events. */
const everyMoment = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, 20);
  return () => clearInterval(timer);
};

async function soon<T>(promise: Promise<T>): Promise<T> {
  const late = sleep(patienceMs).then(() => Promise.reject(new Error(tooLong)));
  return await Promise.race([promise, late]);
}

/** Both wires without faults, and Mara's stream open. */
async function ready({ people }: DemoSession): Promise<void> {
  mend(people);
  await when(everyMoment, () => (people.Mara.dl.state().sse.connected ? true : null));
  await people.Mara.dl.whenSettled();
}

function mend(people: DemoSession['people']): void {
  for (const side of sides) people[side].wire.set({ delayMs: 0, drop: 0, isCut: false });
}

/** Runs one step. Whatever its outcome, it leaves both wires without faults. */
export async function runStep(
  step: TourStep,
  session: DemoSession,
  showHandWired: () => void,
): Promise<Measured> {
  try {
    await ready(session);
    return await step.run(session, showHandWired);
  } finally {
    mend(session.people);
  }
}

/** Priya changes the ticket at this place of her queue. */
async function priyaChanges({ people: { Priya } }: DemoSession, at: number): Promise<DemoTicket> {
  const id = Priya.dl.getCollectionRef(Priya.tickets).data.ids[at];
  if (id === undefined) throw new Error('The queue is empty.');
  const isSolved = Priya.dl.getItemRef(Priya.ticket, id).data?.status === 'solved';
  return await Priya.change(id, { status: isSolved ? 'open' : 'solved' });
}

const numbersOf = (rows: readonly Row[], test: (row: Row) => boolean): Set<number> =>
  new Set(rows.filter(test).map(({ seq }) => seq));

/** Cuts Mara's wire during this many changes, reconnects it, and waits until her screen shows them. */
async function cutDuring(session: DemoSession, changes: number) {
  const { colleagues, journal, measures, people, room } = session;
  const { dl, wire } = people.Mara;
  const wereWorking = colleagues.areWorking();
  await colleagues.set(false); // A ticket that leaves the queue meanwhile would never be shown.
  try {
    wire.set({ isCut: true });
    const before = numbersOf(journal.rows(), () => true);
    const news = (): Row[] => journal.rows().filter(({ seq }) => !before.has(seq));
    await burst(room, changes);
    const rows = await serverRows(room);
    await when(journal.subscribe, () => (news().length >= changes ? true : null));
    await sleep(600); // So that the holes can be seen.
    const missed = numbersOf(news(), ({ fates }) => isHole(fates.Mara));
    const reads = wire.reads();
    const opened = when(
      (listener) => dl.onLifecycle('sse:open', listener),
      () => (wire.faults().isCut ? null : true),
    );
    wire.set({ isCut: false });
    const { at: openAt } = await opened;
    const shownAt = await soon(Promise.all(rows.map((row) => measures.whenShown('Mara', row))));
    const filled = (): number =>
      numbersOf(journal.rows(), ({ seq, fates }) => missed.has(seq) && isFilled(fates.Mara)).size;
    await when(journal.subscribe, () => (filled() === missed.size ? true : null)).catch(() => {}); // The counts show it.
    await dl.whenSettled();
    return {
      missed: missed.size,
      filled: filled(),
      reads: wire.reads() - reads,
      tookMs: Math.max(...shownAt) - openAt,
    };
  } finally {
    await colleagues.set(wereWorking);
  }
}

export const tourSteps: readonly TourStep[] = [
  {
    title: 'Live',
    promise: 'Priya changes a ticket, and Mara sees it. No reload.',
    measures: 'the time from Priya’s click to Mara’s screen.',
    async run(session) {
      const from = now();
      const ticket = await priyaChanges(session, 0);
      const took = timeWords((await soon(session.measures.whenShown('Mara', ticket))) - from);
      const did = ticket.status === 'solved' ? 'solved' : 'reopened';
      return { figure: took, sentence: `Priya ${did} #${ticket.id}; Mara saw it ${took} later.` };
    },
  },
  {
    title: 'Late',
    promise: 'A slow wire delays changes, and loses none.',
    measures: 'how many of 3 changes arrive over a wire that is 2 s late.',
    async run(session) {
      const { measures, people } = session;
      people.Mara.wire.set({ delayMs: 2000 });
      const latenesses: Promise<number | null>[] = [];
      for (const at of [0, 1, 2]) {
        const from = now();
        const shown = measures.whenShown('Mara', await priyaChanges(session, at));
        latenesses.push(soon(shown.then((shownAt) => shownAt - from)).catch(() => null));
      }
      const arrived = (await Promise.all(latenesses)).filter((ms) => ms !== null);
      const figure = `${arrived.length} of ${latenesses.length}`;
      const lost = latenesses.length - arrived.length;
      const latest = timeWords(Math.max(0, ...arrived));
      return { figure, sentence: `${figure} changes arrived, up to ${latest} late. ${lost} lost.` };
    },
  },
  {
    title: 'Lost',
    promise: 'Mara’s browser notices a lost message, and repairs itself.',
    measures: 'the time until Mara notices the gap, and until it is filled.',
    async run(session) {
      const { journal, people } = session;
      const { dl, wire } = people.Mara;
      const old = numbersOf(journal.rows(), ({ fates }) => fates.Mara !== 'expected');
      const gaps: number[] = [];
      const end = dl.onLifecycle('sse:gap', () => gaps.push(now()));
      try {
        const losing = when(
          journal.subscribe,
          () => journal.rows().find(({ seq, fates }) => !old.has(seq) && fates.Mara === 'lost') ?? null,
        );
        wire.set({ drop: 1 });
        const [{ found: lost, at: lostAt }] = await Promise.all([losing, priyaChanges(session, 1)]);
        const isLost = ({ seq }: Row): boolean => seq === lost.seq;
        const { at: filledAt } = await when(journal.subscribe, () =>
          journal.rows().some((row) => isLost(row) && isFilled(row.fates.Mara)) ? true : null,
        );
        const had = timeWords(filledAt - lostAt);
        const noticed = timeWords((gaps.find((at) => at >= lostAt) ?? filledAt) - lostAt);
        return {
          figure: had,
          sentence: `#${lost.number} was lost. Mara noticed after ${noticed}, and had it after ${had}.`,
        };
      } finally {
        end();
      }
    },
  },
  {
    title: 'Cut',
    promise: '12 changes while the wire is cut. All are replayed.',
    measures: 'how many of 12 missed changes the server replays.',
    async run(session) {
      const { missed, filled, reads, tookMs } = await cutDuring(session, 12);
      const cost = `${plural(reads, 'request')} and ${timeWords(tookMs)}`;
      return {
        figure: `${filled} of ${missed}`,
        sentence: `${missed} changes missed, ${filled} replayed, ${missed - filled} lost. It took ${cost}.`,
      };
    },
  },
  {
    title: 'Without Edict',
    promise: 'The same cut leaves a hand-wired page wrong.',
    measures: 'how many rows stay wrong, with Edict and without.',
    async run(session, showHandWired) {
      const { colleagues, comparison } = session;
      // A later change would repair the row before the visitor has seen the difference.
      await colleagues.set(false);
      showHandWired();
      await when(everyMoment, () =>
        document.querySelector(`[data-screen="${handWiredScreen}"] [data-ticket]`),
      );
      await sleep(500); // Its stream opens together with its first request.
      await cutDuring(session, 4);
      await comparison.compare();
      await sleep(500); // A row is wrong when it still differs after a while.
      await comparison.compare();
      const wrong = (screen: string): number => comparison.verdicts()[screen]?.length ?? 0;
      const [edict, handWired] = [wrong('Mara'), wrong(handWiredScreen)];
      return {
        figure: `${edict} against ${handWired}`,
        sentence: `After the same cut: ${plural(edict, 'row')} wrong with Edict, ${plural(handWired, 'row')} wrong without.`,
      };
    },
  },
];

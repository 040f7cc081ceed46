// The five steps of the tour. Each does one thing to the real clients, and returns a sentence with what it measured.

import { burst } from './api.ts';
import { plural } from '../words.ts';
import { isFilled, isHole, type Row } from './journal.ts';
import { handWiredScreen, type DemoTicket } from './model.ts';
import { timeWords } from './measures.ts';
import type { DemoSession } from './session.ts';

export interface TourStep {
  title: string;
  /** The promise, before it is measured. */
  promise: string;
  run: (session: DemoSession, showHandWired: () => void) => Promise<string>;
}

const patienceMs = 20_000;
const now = (): number => performance.now();
const sleep = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves to the first result that is not null, and rejects when it takes too long. */
async function until<T>(check: () => T | null): Promise<T> {
  for (const start = now(); now() - start < patienceMs; await sleep(20)) {
    const found = check();
    if (found !== null) return found;
  }
  throw new Error('That took too long. The numbers of this step were not measured.');
}

/** Mara's wire without faults, and her stream open. */
async function ready({ people: { Mara } }: DemoSession): Promise<void> {
  Mara.wire.set({ delayMs: 0, drop: 0, isCut: false });
  await until(() => (Mara.dl.state().sse.connected ? true : null));
  await Mara.dl.whenSettled();
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

/** Cuts Mara's wire during this many changes, repairs it, and waits until she has caught up. */
async function cutDuring({ journal, people: { Mara }, room }: DemoSession, changes: number) {
  Mara.wire.set({ isCut: true });
  const before = numbersOf(journal.rows(), () => true);
  const isNew = ({ seq }: Row): boolean => !before.has(seq);
  await burst(room, changes);
  await until(() =>
    journal.rows().filter((row) => isNew(row) && row.fates.Priya === 'arrived').length >= changes
      ? true
      : null,
  );
  await sleep(600); // So that the holes can be seen.
  const missed = numbersOf(journal.rows(), (row) => isNew(row) && isHole(row.fates.Mara));
  const reads = Mara.wire.reads();
  Mara.wire.set({ isCut: false });
  await until(() => (Mara.dl.state().sse.connected ? true : null));
  const openAt = now();
  const filled = (): Set<number> =>
    numbersOf(journal.rows(), ({ seq, fates }) => missed.has(seq) && isFilled(fates.Mara));
  await until(() => (filled().size === missed.size ? true : null)).catch(() => {}); // The counts show it.
  await Mara.dl.whenSettled();
  return {
    missed: missed.size,
    filled: filled().size,
    reads: Mara.wire.reads() - reads,
    tookMs: now() - openAt,
  };
}

export const tourSteps: readonly TourStep[] = [
  {
    title: 'Live',
    promise: 'Priya changes a ticket, and Mara sees it. No reload.',
    async run(session) {
      await ready(session);
      const from = now();
      const ticket = await priyaChanges(session, 0);
      const at = await session.measures.whenShown('Mara', ticket);
      const did = ticket.status === 'solved' ? 'solved' : 'reopened';
      return `Priya ${did} #${ticket.id}; Mara saw it ${timeWords(at - from)} later.`;
    },
  },
  {
    title: 'Late',
    promise: 'A slow wire delays changes, and loses none.',
    async run(session) {
      const { measures, people } = session;
      await ready(session);
      people.Mara.wire.set({ delayMs: 2000 });
      const times: { from: number; shown: Promise<number> }[] = [];
      for (const at of [0, 1, 2]) {
        const from = now();
        const ticket = await priyaChanges(session, at);
        times.push({ from, shown: measures.whenShown('Mara', ticket) });
      }
      const shown = await Promise.all(times.map((one) => one.shown));
      people.Mara.wire.set({ delayMs: 0 });
      const lateness = Math.max(...times.map(({ from }, at) => (shown[at] ?? 0) - from));
      return `${shown.length} of ${times.length} changes arrived, up to ${timeWords(lateness)} late. 0 lost.`;
    },
  },
  {
    title: 'Lost',
    promise: 'Mara’s browser notices a lost message, and repairs itself.',
    async run(session) {
      const { journal, people } = session;
      await ready(session);
      const old = numbersOf(journal.rows(), ({ fates }) => fates.Mara !== 'expected');
      let noticedAt: number | null = null;
      const end = people.Mara.dl.onLifecycle('sse:gap', () => (noticedAt ??= now()));
      people.Mara.wire.set({ drop: 1 });
      await priyaChanges(session, 1);
      const lost = await until(
        () => journal.rows().find(({ seq, fates }) => !old.has(seq) && fates.Mara === 'lost') ?? null,
      );
      const lostAt = now();
      await until(() => noticedAt);
      await until(
        () => journal.rows().find(({ seq, fates }) => seq === lost.seq && isFilled(fates.Mara)) ?? null,
      );
      end();
      const noticed = timeWords((noticedAt ?? now()) - lostAt);
      return `#${lost.number} was lost. Mara noticed after ${noticed}, and had it after ${timeWords(now() - lostAt)}.`;
    },
  },
  {
    title: 'Cut',
    promise: '12 changes while the wire is cut. All are replayed.',
    async run(session) {
      await ready(session);
      const { missed, filled, reads, tookMs } = await cutDuring(session, 12);
      const requests = plural(reads, 'request');
      return `${missed} changes missed, ${filled} replayed, ${missed - filled} lost. It took ${requests} and ${timeWords(tookMs)}.`;
    },
  },
  {
    title: 'Without Edict',
    promise: 'The same cut leaves a hand-wired page wrong.',
    async run(session, showHandWired) {
      const { colleagues, comparison } = session;
      await ready(session);
      // A later change would repair the row before the visitor has seen the difference.
      await colleagues.set(false);
      showHandWired();
      await until(() => document.querySelector(`[data-screen="${handWiredScreen}"] [data-ticket]`));
      await sleep(500); // Its stream opens together with its first request.
      await cutDuring(session, 4);
      await comparison.compare();
      await sleep(500); // A row is wrong when it still differs after a while.
      await comparison.compare();
      const wrong = (screen: string): string => plural(comparison.verdicts()[screen]?.length ?? 0, 'row');
      return `After the same cut: ${wrong('Mara')} wrong with Edict, ${wrong(handWiredScreen)} wrong without.`;
    },
  },
];

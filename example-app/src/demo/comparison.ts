// Compares what the screens show with the server's rows. It reads the text of the page, not the caches behind it.

import { createSignal } from '../signal.ts';
import { serverRows, type OpenRoom } from './api.ts';
import { demoRowText, type DemoTicket } from './model.ts';

/** A row that differs from the server's. */
export interface WrongRow {
  id: number;
  /** The text of the server's row; null if the server's queue does not contain the ticket. */
  server: string | null;
}

/** The rows that are wrong, under the name of their screen. */
export type Verdicts = Readonly<Record<string, readonly WrongRow[]>>;

export interface Comparison {
  verdicts: () => Verdicts;
  /** The number of comparisons so far. */
  runs: () => number;
  subscribe: (listener: () => void) => () => void;
  /** Compares now. A row is wrong when it differs in two comparisons in a row, because a change needs time to arrive. */
  compare: () => Promise<void>;
}

const everyMs = 600;

export function createComparison(room: OpenRoom): Comparison {
  const { subscribe, announce } = createSignal();
  let runs = 0;
  let before: Verdicts = {};
  let verdicts: Verdicts = {};

  async function compare(): Promise<void> {
    const rows = await serverRows(room);
    const now: Record<string, WrongRow[]> = {};
    for (const screen of document.querySelectorAll<HTMLElement>('[data-screen]')) {
      now[screen.dataset['screen'] ?? ''] = differences(screen, rows);
    }
    verdicts = Object.fromEntries(
      Object.entries(now).map(([screen, wrong]) => [
        screen,
        wrong.filter(({ id }) => isIn(before[screen], id)),
      ]),
    );
    before = now;
    runs += 1;
    announce();
  }
  setInterval(() => {
    if (document.visibilityState === 'visible') compare().catch(() => {}); // A failed comparison proves nothing. The next one follows soon.
  }, everyMs);

  return { verdicts: () => verdicts, runs: () => runs, subscribe, compare };
}

const isIn = (rows: readonly WrongRow[] | undefined, id: number): boolean =>
  rows?.some((one) => one.id === id) === true;

function differences(screen: HTMLElement, rows: readonly DemoTicket[]): WrongRow[] {
  const shown = [...screen.querySelectorAll<HTMLElement>('[data-ticket]')].map((row) => ({
    id: Number(row.dataset['ticket']),
    version: Number(row.dataset['version']),
    text: ['id', 'status', 'assignee']
      .map((part) => row.querySelector(`[data-part="${part}"]`)?.textContent ?? '')
      .join(' · '),
  }));
  const newest = Math.max(0, ...rows.map(({ version }) => version));
  const wrong = rows
    // The screen may already be newer than the rows that were just read.
    .filter((row) => {
      const found = shown.find(({ id }) => id === row.id);
      return found === undefined || (found.text !== demoRowText(row) && found.version <= row.version);
    })
    .map((row) => ({ id: row.id, server: demoRowText(row) }));
  const extra = shown.filter(({ id, version }) => version <= newest && !rows.some((row) => row.id === id));
  return [...wrong, ...extra.map(({ id }) => ({ id, server: null }))];
}

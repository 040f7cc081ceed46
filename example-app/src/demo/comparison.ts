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
  /**
   * Compares now. A row is wrong when a comparison finds that it still has not reached what the server had at the comparison before, because a
   * change needs time to arrive.
   */
  compare: () => Promise<void>;
}

export interface Difference extends WrongRow {
  /** The version of the server's row; without one, the newest version of the queue. */
  serverVersion: number;
  /** The version of the row on the screen; 0 if the screen does not show it. */
  shownVersion: number;
}

const everyMs = 600;

export function createComparison(room: OpenRoom): Comparison {
  const { subscribe, announce } = createSignal();
  let runs = 0;
  let before: Record<string, Difference[]> = {};
  let verdicts: Verdicts = {};
  let last: Promise<void> = Promise.resolve();

  async function compareNow(): Promise<void> {
    const rows = await serverRows(room);
    const now: Record<string, Difference[]> = {};
    // A screen that still loads its first rows is not compared.
    for (const screen of document.querySelectorAll<HTMLElement>('[data-screen]:not([aria-busy="true"])')) {
      now[screen.dataset['screen'] ?? ''] = differences(screen, rows);
    }
    verdicts = Object.fromEntries(
      Object.entries(now).map(([screen, found]) => [screen, stillWrong(before[screen] ?? [], found)]),
    );
    before = now;
    runs += 1;
    announce();
  }

  /** One at a time, so that each comparison follows the one before it. */
  async function compare(): Promise<void> {
    last = last.catch(() => {}).then(compareNow);
    await last;
  }

  async function repeat(): Promise<void> {
    // A failed comparison proves nothing. The next one follows soon.
    if (document.visibilityState === 'visible') await compare().catch(() => {});
    setTimeout(() => void repeat(), everyMs);
  }
  void repeat();

  return { verdicts: () => verdicts, runs: () => runs, subscribe, compare };
}

/** The differences that are not news: the screen has not reached what the server had before, or shows another text for the same version. */
export const stillWrong = (before: readonly Difference[], now: readonly Difference[]): Difference[] =>
  now.filter(({ id, shownVersion, serverVersion }) =>
    before.some(
      (one) => one.id === id && (shownVersion < one.serverVersion || shownVersion === serverVersion),
    ),
  );

function differences(screen: HTMLElement, rows: readonly DemoTicket[]): Difference[] {
  const shown = [...screen.querySelectorAll<HTMLElement>('[data-ticket]')].map((row) => ({
    id: Number(row.dataset['ticket']),
    version: Number(row.dataset['version']),
    text: ['id', 'status', 'assignee']
      .map((part) => row.querySelector(`[data-part="${part}"]`)?.textContent ?? '')
      .join(' · '),
  }));
  const newest = Math.max(0, ...rows.map(({ version }) => version));
  const wrong = rows.flatMap((row): Difference[] => {
    const found = shown.find(({ id }) => id === row.id);
    // The screen may already be newer than the rows that were just read.
    if (found !== undefined && (found.text === demoRowText(row) || found.version > row.version)) return [];
    const server = demoRowText(row);
    return [{ id: row.id, server, serverVersion: row.version, shownVersion: found?.version ?? 0 }];
  });
  const extra = shown.filter(({ id, version }) => version <= newest && !rows.some((row) => row.id === id));
  return [
    ...wrong,
    ...extra.map(({ id, version }) => ({ id, server: null, serverVersion: newest, shownVersion: version })),
  ];
}

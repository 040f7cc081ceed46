// The messages that traveled over the two wires: one row for each message of the server, and its outcome on each
// side.

import { createSignal } from '../signal.ts';
import type { WireMessage } from './wire.ts';

export const sides = ['Priya', 'Mara'] as const;
export type Side = (typeof sides)[number];

/**
 * `expected`: the other side has it. `late`: it is delayed on the wire. `lost` and `missed` are holes: the wire dropped the message, or
 * was cut. `replayed` and `refetched` are holes that were filled.
 */
export type Fate = 'expected' | 'late' | 'arrived' | 'lost' | 'missed' | 'replayed' | 'refetched';

export interface Row {
  seq: number;
  /** Counts from 1, because the server's numbers have 16 digits. */
  number: number;
  /** The content of the message: names and ids, never data. */
  label: string;
  fates: Readonly<Record<Side, Fate>>;
}

export interface Journal {
  rows: () => readonly Row[];
  /** All holes since the start, and the number of filled ones. */
  totals: () => Totals;
  subscribe: (listener: () => void) => () => void;
  /** A message reached the wire of a side. */
  onMessage: (side: Side, message: WireMessage) => void;
  /** A stream of this side opened. After an earlier one, everything until the greeting is a replay. */
  opened: (side: Side) => void;
  /**
   * The side starts to refetch everything on its screen. The returned function notes that the responses arrived, which fills the holes
   * of the time of this call. Later holes need another refetch.
   */
  refetching: (side: Side) => () => void;
  /** The wire of this side was cut, and lost the messages that were still on it. */
  cut: (side: Side) => void;
}

export interface Totals {
  holes: number;
  filled: number;
}

interface Envelope {
  seq: number;
  directives: { name?: string; id?: string | number }[];
  recovered?: boolean;
}

/** Rows that are kept. Older rows are kept, too, while they have a hole. */
const kept = 60;

/** `isCut` of a side decides whether a message that only the other side received is a hole. */
export function createJournal(isCut: (side: Side) => boolean): Journal {
  const { subscribe, announce } = createSignal();
  const replaying = new Set<Side>();
  const opened = new Set<Side>();
  let rows: readonly Row[] = [];
  let first: number | null = null;
  let totals: Totals = { holes: 0, filled: 0 };

  function count(before: Fate, next: Fate): void {
    const opens = (isHole(next) || isFilled(next)) && !isHole(before) && !isFilled(before);
    const fills = isFilled(next) && !isFilled(before);
    totals = { holes: totals.holes + Number(opens), filled: totals.filled + Number(fills) };
  }

  function mark(side: Side, change: (fate: Fate, row: Row) => Fate): void {
    rows = rows.map((row) => {
      const fate = change(row.fates[side], row);
      count(row.fates[side], fate);
      return fate === row.fates[side] ? row : { ...row, fates: { ...row.fates, [side]: fate } };
    });
    announce();
  }

  return {
    rows: () => rows,
    totals: () => totals,
    subscribe,
    onMessage(side, { data, fate }) {
      const { seq, directives, recovered }: Envelope = JSON.parse(data); // Written by the hub of this page.
      if (recovered !== undefined) replaying.delete(side);
      if (directives.length === 0) return;
      if (fate === 'delivered')
        return mark(side, (before, row) => (row.seq === seq && before === 'late' ? 'arrived' : before));
      first ??= seq;
      if (!rows.some((row) => row.seq === seq)) {
        const start = (one: Side): Fate => (isCut(one) ? 'missed' : 'expected');
        const fates = { Priya: start('Priya'), Mara: start('Mara') };
        for (const one of sides) count('expected', fates[one]);
        const row = { seq, number: seq - first + 1, label: labelOf(directives), fates };
        rows = [...rows, row]
          .sort((a, b) => a.seq - b.seq)
          .filter((one, at, { length }) => at >= length - kept || sides.some((by) => isHole(one.fates[by])));
      }
      const next = replaying.has(side) ? 'replayed' : fateOf(fate);
      mark(side, (before, row) => (row.seq === seq ? next : before));
    },
    // The first stream also starts with the changes since the page was loaded. They do not count as holes.
    opened(side) {
      if (opened.has(side)) replaying.add(side);
      opened.add(side);
    },
    refetching(side) {
      const holes = new Set(rows.filter(({ fates }) => isHole(fates[side])).map(({ seq }) => seq));
      return () => mark(side, (fate, { seq }) => (isHole(fate) && holes.has(seq) ? 'refetched' : fate));
    },
    cut: (side) => mark(side, (fate) => (fate === 'late' || fate === 'expected' ? 'missed' : fate)),
  };
}

export const isHole = (fate: Fate): boolean => fate === 'lost' || fate === 'missed';
export const isFilled = (fate: Fate): boolean => fate === 'replayed' || fate === 'refetched';

const fateOf = (fate: WireMessage['fate']): Fate => (fate === 'late' || fate === 'lost' ? fate : 'arrived');

function labelOf(directives: Envelope['directives']): string {
  const [{ name = '', id } = {}, ...others] = directives;
  if (others.length > 0) return `${directives.length} tickets`;
  return id === undefined ? name : `${name} ${id}`;
}

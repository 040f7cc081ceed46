// The session of the page for its components.

import { createContext, use, useSyncExternalStore } from 'react';
import type { Row, Totals } from './journal.ts';
import type { Counts } from './measures.ts';
import type { Signal } from '../signal.ts';
import type { DemoSession } from './session.ts';
import type { Verdicts } from './comparison.ts';
import type { Faults, Wire } from './wire.ts';

const Context = createContext<DemoSession | null>(null);
export const SessionProvider = Context.Provider;

export function useSession(): DemoSession {
  const session = use(Context);
  if (session === null) throw new Error('This component belongs inside <SessionProvider>.');
  return session;
}

function useStore<T>(
  storeOf: (session: DemoSession) => readonly [subscribe: Signal['subscribe'], get: () => T],
): T {
  return useSyncExternalStore(...storeOf(useSession()));
}

export const useRows = (): readonly Row[] => useStore(({ journal }) => [journal.subscribe, journal.rows]);
export const useTotals = (): Totals => useStore(({ journal }) => [journal.subscribe, journal.totals]);
export const useCounts = (): Counts => useStore(({ measures }) => [measures.subscribe, measures.counts]);
export const useVerdicts = (): Verdicts =>
  useStore(({ comparison }) => [comparison.subscribe, comparison.verdicts]);
export const useComparisons = (): number =>
  useStore(({ comparison }) => [comparison.subscribe, comparison.runs]);
export const useFaults = (wire: Wire): Faults => useSyncExternalStore(wire.subscribe, wire.faults);

// The session of the page for its components.

import { createContext, use, useSyncExternalStore } from 'react';
import type { Row, Totals } from './journal.ts';
import type { Counts } from './measures.ts';
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

export function useRows(): readonly Row[] {
  const { journal } = useSession();
  return useSyncExternalStore(journal.subscribe, journal.rows);
}

export function useTotals(): Totals {
  const { journal } = useSession();
  return useSyncExternalStore(journal.subscribe, journal.totals);
}

export function useCounts(): Counts {
  const { measures } = useSession();
  return useSyncExternalStore(measures.subscribe, measures.counts);
}

export function useVerdicts(): Verdicts {
  const { comparison } = useSession();
  return useSyncExternalStore(comparison.subscribe, comparison.verdicts);
}

export function useComparisons(): number {
  const { comparison } = useSession();
  return useSyncExternalStore(comparison.subscribe, comparison.runs);
}

export const useFaults = (wire: Wire): Faults => useSyncExternalStore(wire.subscribe, wire.faults);

// Context of the signed-in desk: the current user and their colleagues.

import { createContext, use, type ReactNode } from 'react';
import { useItem } from '@edict/react';
import { directory } from './data.ts';
import type { Session } from './model.ts';
import { namesOf, type Names } from './words.ts';

interface Desk {
  session: Session;
  names: Names;
}

const DeskContext = createContext<Desk | null>(null);
const nobody = { people: [], teams: [] };

export function DeskProvider({ session, children }: { session: Session; children: ReactNode }) {
  const { data } = useItem(directory, 'desk');
  return <DeskContext value={{ session, names: namesOf(data ?? nobody) }}>{children}</DeskContext>;
}

function useDesk(): Desk {
  const desk = use(DeskContext);
  if (desk === null) throw new Error('This component belongs inside <DeskProvider>.');
  return desk;
}

export const useMe = (): Session['person'] => useDesk().session.person;
export const useNames = (): Names => useDesk().names;

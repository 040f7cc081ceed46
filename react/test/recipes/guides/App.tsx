// App.tsx
import { DLProvider } from '@edict/react';
import { useSyncExternalStore, type ReactNode } from 'react';
import { currentSession, onSession } from './session.ts';

export function App({ signIn, children }: { signIn: ReactNode; children: ReactNode }) {
  const session = useSyncExternalStore(onSession, currentSession);
  if (session === null) return signIn;
  const { dl } = session;
  return (
    <DLProvider key={dl.clientId()} dl={dl}>
      {children}
    </DLProvider>
  );
}

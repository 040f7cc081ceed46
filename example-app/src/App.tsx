// The whole page, in the browser and on the server.

import type { DehydratedState } from '@edict/core/hydration';
import { StrictMode } from 'react';
import type { DataLayer } from '@edict/core';
import { DLProvider, HydrationBoundary } from '@edict/react';
import { DeskProvider } from './desk.tsx';
import type { Directory, Session } from './model.ts';
import { Clock } from './now.tsx';
import { Router } from './router.tsx';
import { Boundary } from './components/Boundary.tsx';
import { Shell } from './components/Shell.tsx';
import { SignIn } from './components/SignIn.tsx';

/** Data that the server puts into the page for the browser. */
export interface Boot {
  href: string;
  /** When it was rendered, ms since the epoch. */
  renderedAt: number;
  /** Null: no user is signed in, and the page shows the sign-in. */
  session: Session | null;
  /** For the sign-in. */
  directory: Directory | null;
  /** The state that the server rendered with, or null when it rendered nothing. */
  state: DehydratedState | null;
}

export function App({ dl, boot }: { dl: DataLayer; boot: Boot }) {
  return (
    <StrictMode>
      <Clock renderedAt={boot.renderedAt}>
        <Router href={boot.href}>
          <Boundary at={boot.href}>
            {boot.session === null ? (
              <SignIn directory={boot.directory ?? { people: [], teams: [] }} />
            ) : (
              <DLProvider dl={dl}>
                <HydrationBoundary state={boot.state}>
                  <DeskProvider session={boot.session}>
                    <Shell />
                  </DeskProvider>
                </HydrationBoundary>
              </DLProvider>
            )}
          </Boundary>
        </Router>
      </Clock>
    </StrictMode>
  );
}

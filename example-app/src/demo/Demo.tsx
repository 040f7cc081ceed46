// The page: two people side by side, and the wire between them.

import { Suspense, use, useState } from 'react';
import { Colleagues } from './Colleagues.tsx';
import { SessionProvider } from './context.tsx';
import { Boundary } from './Boundary.tsx';
import { Footer, Header } from './Header.tsx';
import { Screen } from './Screen.tsx';
import type { DemoSession } from './session.ts';
import { Wires } from './Wires.tsx';

export function Demo({ opening }: { opening: Promise<DemoSession> }) {
  return (
    <div className="demo">
      <Boundary>
        <Suspense
          fallback={
            <>
              <Header />
              <p className="demo-opening">Opening a room of your own …</p>
            </>
          }
        >
          <Page opening={opening} />
        </Suspense>
      </Boundary>
      <Footer />
    </div>
  );
}

function Page({ opening }: { opening: Promise<DemoSession> }) {
  const session = use(opening);
  const [last, setLast] = useState<string | null>(null);
  return (
    <SessionProvider value={session}>
      <Header>
        <Colleagues />
      </Header>
      <main>
        <section className="stage" aria-label="Two people at one desk">
          <Screen person={session.people.Priya} onSeen={setLast} />
          <Wires said={last} />
          <Screen person={session.people.Mara} onSeen={setLast} />
        </section>
      </main>
    </SessionProvider>
  );
}

// The page: two people side by side, and the wire between them.

import { Suspense, use, useState, type ReactNode } from 'react';
import { ColleaguesButton } from './ColleaguesButton.tsx';
import { SessionProvider, useSession } from './context.tsx';
import { Boundary } from './Boundary.tsx';
import { Code } from './Code.tsx';
import { Compared } from './HandWired.tsx';
import { Footer, Header } from './Header.tsx';
import { Opening } from './Opening.tsx';
import { Screen } from './Screen.tsx';
import { Proof } from './Proof.tsx';
import type { DemoSession } from './session.ts';
import { Tour } from './Tour.tsx';
import { Wires } from './Wires.tsx';

export function Demo({ opening }: { opening: Promise<DemoSession> }) {
  return (
    <div className="demo">
      <Boundary>
        <Header>
          <Suspense>
            <Room opening={opening}>
              <ColleaguesButton />
            </Room>
          </Suspense>
        </Header>
        <Suspense fallback={<Opening />}>
          <Room opening={opening}>
            <Main />
          </Room>
        </Suspense>
      </Boundary>
      <Footer />
    </div>
  );
}

/** Waits until the room is open. */
function Room({ opening, children }: { opening: Promise<DemoSession>; children: ReactNode }) {
  return <SessionProvider value={use(opening)}>{children}</SessionProvider>;
}

function Main() {
  const { people } = useSession();
  const [last, setLast] = useState<string | null>(null);
  const [isCompared, setCompared] = useState(false);
  return (
    <main>
      <section className="stage" aria-label="Two people at one desk">
        <Screen person={people.Priya} onSeen={setLast} />
        <Wires said={last} />
        <Screen person={people.Mara} onSeen={setLast} />
      </section>
      <Tour showHandWired={() => setCompared(true)} />
      <div className="compare-switch">
        <button
          type="button"
          role="switch"
          className="switch"
          aria-checked={isCompared}
          onClick={() => setCompared(!isCompared)}
        >
          <span className="switch-track" aria-hidden="true" />
          Without Edict
        </button>
        <p>Adds Mara’s page wired by hand, with the same faults, and marks the rows that stay wrong.</p>
      </div>
      {isCompared && <Compared />}
      <Proof />
      <Code />
    </main>
  );
}

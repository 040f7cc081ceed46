// Five promises. A click measures each of them.

import { useState } from 'react';
import { Check, Play } from 'lucide-react';
import { Button } from '../components/Button.tsx';
import { Spinner } from '../components/Bits.tsx';
import { useSession } from './context.tsx';
import { tourSteps } from './tour.ts';

type Outcome = { text: string; isError: boolean };

export function Tour({ showHandWired }: { showHandWired: () => void }) {
  const session = useSession();
  const [outcomes, setOutcomes] = useState<Readonly<Record<number, Outcome>>>({});
  const [running, setRunning] = useState<number | null>(null);
  const next = tourSteps.findIndex((_, at) => outcomes[at] === undefined);

  async function run(at: number): Promise<void> {
    const step = tourSteps[at];
    if (step === undefined || running !== null) return;
    setRunning(at);
    let outcome: Outcome;
    try {
      outcome = { text: await step.run(session, showHandWired), isError: false };
    } catch (error) {
      outcome = { text: error instanceof Error ? error.message : 'That did not work.', isError: true };
    }
    setOutcomes((before) => ({ ...before, [at]: outcome }));
    setRunning(null);
  }

  return (
    <section className="tour" aria-label="Tour">
      <h2>Five promises, measured here and now</h2>
      <ol>
        {tourSteps.map(({ title, promise }, at) => {
          const outcome = outcomes[at];
          const isNext = running === null && at === next;
          return (
            <li key={title} className="step" data-step={at + 1} data-next={isNext || undefined}>
              <Button
                type="button"
                className={isNext ? 'button button-main' : 'button'}
                isOff={running !== null}
                onClick={() => void run(at)}
              >
                <StepIcon isRunning={running === at} isDone={outcome !== undefined} />
                {at + 1}. {title}
              </Button>
              <p role="status" data-measured={outcome?.isError === false || undefined}>
                {outcome?.text ?? promise}
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function StepIcon({ isRunning, isDone }: { isRunning: boolean; isDone: boolean }) {
  if (isRunning) return <Spinner label="Running" />;
  return isDone ? <Check size={14} aria-hidden="true" /> : <Play size={14} aria-hidden="true" />;
}

// Five promises. A click measures each of them, and the first one measures itself when the page opens.

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Check, Play } from 'lucide-react';
import { Button } from '../components/Button.tsx';
import { Spinner } from '../components/Bits.tsx';
import { useSession } from './context.tsx';
import { runStep, tourSteps, type Measured } from './tour.ts';

type Outcome = Measured & { isError: boolean };

/** The time for a first look at the page. */
const startsAfterMs = 1500;

export function Tour({ showHandWired }: { showHandWired: () => void }) {
  const session = useSession();
  const [outcomes, setOutcomes] = useState<Readonly<Record<number, Outcome>>>({});
  const [running, setRunning] = useState<number | null>(null);
  const isRunning = useRef(false);
  const next = tourSteps.findIndex((_, at) => outcomes[at] === undefined);

  async function run(at: number): Promise<void> {
    const step = tourSteps[at];
    if (step === undefined || isRunning.current) return;
    isRunning.current = true;
    setRunning(at);
    let outcome: Outcome;
    try {
      outcome = { ...(await runStep(step, session, showHandWired)), isError: false };
    } catch (error) {
      const sentence = error instanceof Error ? error.message : 'That did not work.';
      outcome = { figure: '–', sentence, isError: true };
    }
    setOutcomes((before) => ({ ...before, [at]: outcome }));
    setRunning(null);
    isRunning.current = false;
  }

  const start = useEffectEvent(() => void run(0));
  // Not for a visitor who prefers less motion, or who has started to act.
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setTimeout(() => start(), startsAfterMs);
    const cancel = (): void => clearTimeout(timer);
    addEventListener('pointerdown', cancel);
    addEventListener('keydown', cancel);
    return () => {
      cancel();
      removeEventListener('pointerdown', cancel);
      removeEventListener('keydown', cancel);
    };
  }, []);

  return (
    <section className="tour" aria-label="Tour">
      <h2>Five promises, measured here and now</h2>
      <ol>
        {tourSteps.map(({ title, promise, measures }, at) => {
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
                <StepIcon isRunning={running === at} isDone={outcome?.isError === false} />
                {at + 1}. {title}
              </Button>
              <p className="step-promise">{promise}</p>
              <div className="step-result">
                {/* The sentence contains it. */}
                <p className="step-figure" aria-hidden="true" data-empty={outcome === undefined || undefined}>
                  {running === at ? '…' : (outcome?.figure ?? '–')}
                </p>
                <p
                  className="step-sentence"
                  role="status"
                  data-measured={outcome?.isError === false || undefined}
                >
                  {outcome?.sentence ?? `Measures ${measures}`}
                </p>
              </div>
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

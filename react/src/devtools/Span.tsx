import type { ReactElement } from 'react';
import type { Outcome } from './record.ts';

interface SpanProps {
  readonly fromMs: number;
  /** Null while the request is in flight. */
  readonly toMs: number | null;
  readonly axisMs: number;
  readonly outcome: Outcome | null;
}

/** A request as a bar on a time axis. The numbers beside it contain the same information. */
export function Span({ fromMs, toMs, axisMs, outcome }: SpanProps): ReactElement {
  const percent = (ms: number): number => Math.max(0, Math.min(100, (100 * ms) / axisMs));
  const left = Math.min(99, percent(fromMs));
  const width = toMs === null ? 100 - left : Math.max(1, percent(toMs) - left);
  return (
    <span className="span" aria-hidden="true">
      <span data-outcome={outcome ?? 'open'} style={{ left: `${left}%`, width: `${width}%` }} />
    </span>
  );
}

// The proof strip: values that are measured all the time.

import { plural } from '../words.ts';
import { useComparisons, useCounts, useTotals, useVerdicts } from './context.tsx';
import { sides } from './journal.ts';
import { timeWords, type Sample } from './measures.ts';

export function Proof() {
  const { samples, announced, requests } = useCounts();
  const { holes, filled } = useTotals();
  const verdicts = useVerdicts();
  const comparisons = useComparisons();
  const median = medianOf(samples);
  const saved = Math.max(0, announced - requests);
  const behind = sides.filter((side) => (verdicts[side]?.length ?? 0) > 0);

  return (
    <section className="proof" aria-label="Proof">
      <div className="proof-cell">
        <h2>From change to screen</h2>
        <p className="proof-value">{median === null ? '–' : timeWords(median)}</p>
        <LatencyGraph samples={samples} />
        <p>
          {samples.length === 0
            ? 'No change was painted yet.'
            : `The median of the last ${plural(samples.length, 'painted change')}. The scale is logarithmic.`}
        </p>
      </div>
      <div className="proof-cell">
        <h2>Requests saved</h2>
        <p className="proof-value" data-proof="saved">
          {announced === 0 ? '–' : saved}
        </p>
        <Bar part={saved} whole={announced} />
        <p>
          {announced === 0
            ? 'No refetch was announced yet.'
            : `${plural(announced, 'refetch', 'refetches')} announced, ${plural(requests, 'request')} sent. What arrives within 50 ms, or twice, costs one.`}
        </p>
      </div>
      <div className="proof-cell" data-tone={filled < holes ? 'amber' : undefined}>
        <h2>Gaps healed</h2>
        <p className="proof-value" data-proof="gaps">
          {holes === 0 ? '–' : `${filled} of ${holes}`}
        </p>
        <Bar part={filled} whole={holes} />
        <p>
          {holes === 0
            ? 'No message was lost yet. Drop one, or cut a wire.'
            : 'Messages that a wire lost, and that were replayed or refetched.'}
        </p>
      </div>
      <div className="proof-cell" data-tone={behind.length > 0 ? 'amber' : undefined}>
        <h2>Server = screen</h2>
        <p className="proof-value" data-proof="equal">
          {comparisons < 2 ? '–' : behind.length === 0 ? 'Equal' : `${behind.join(' and ')} behind`}
        </p>
        <p>Every row on both screens was compared with the server’s rows {plural(comparisons, 'time')}.</p>
      </div>
    </section>
  );
}

function medianOf(samples: readonly Sample[]): number | null {
  const sorted = samples.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function Bar({ part, whole }: { part: number; whole: number }) {
  const percent = whole === 0 ? 0 : Math.min(100, (part / whole) * 100);
  return (
    <div className="proof-bar" aria-hidden="true">
      <div style={{ width: `${percent}%` }} />
    </div>
  );
}

const size = { width: 240, height: 44 };
const scale = { min: 10, max: 20_000 };
const lines = [100, 1000, 10_000];

function LatencyGraph({ samples }: { samples: readonly Sample[] }) {
  const x = (at: number): number => 4 + (at / 59) * (size.width - 34);
  return (
    <svg className="graph" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      {lines.map((ms) => (
        <g key={ms}>
          <line x1={0} x2={size.width - 32} y1={heightOf(ms)} y2={heightOf(ms)} />
          <text x={size.width} y={heightOf(ms) + 3}>
            {ms < 1000 ? `${ms} ms` : `${ms / 1000} s`}
          </text>
        </g>
      ))}
      {samples.map(({ side, ms }, at) => (
        // The samples have no id, and move by one place with each new one.
        // oxlint-disable-next-line react/no-array-index-key
        <circle
          key={at}
          cx={x(at)}
          cy={heightOf(ms)}
          r={2.2}
          data-side={side}
          data-late={ms > 1000 || undefined}
        />
      ))}
    </svg>
  );
}

function heightOf(ms: number): number {
  const range = Math.log(scale.max / scale.min);
  const part = Math.log(Math.min(scale.max, Math.max(scale.min, ms)) / scale.min) / range;
  return size.height - 3 - part * (size.height - 6);
}

// The wire between the two people: live packets above, and the outcome of each message below.

import { useState, type CSSProperties } from 'react';
import { Clock3, Plug, Scissors, Server, Unplug } from 'lucide-react';
import { plural } from '../words.ts';
import { useFaults, useRows, useSession } from './context.tsx';
import { isFilled, isHole, sides, type Fate, type Row, type Side } from './journal.ts';
import type { Faults } from './wire.ts';

const demoDelayMs = 2000;
/** Packets that are still drawn on the wire. Older ones have arrived. */
const drawn = 6;
const listed = 7;

export function Wires({ said }: { said: string | null }) {
  const rows = useRows();
  const [chosen, setChosen] = useState<Side>('Mara');
  return (
    <section className="wires" aria-label="The wire">
      <div className="wire-map">
        <Lane side="Priya" rows={rows} isChosen={chosen === 'Priya'} onChoose={() => setChosen('Priya')} />
        <div className="hub">
          <Server size={18} aria-hidden="true" />
          <span>Your server</span>
          <span className="hub-number">#{rows.at(-1)?.number ?? 0}</span>
        </div>
        <Lane side="Mara" rows={rows} isChosen={chosen === 'Mara'} onChoose={() => setChosen('Mara')} />
      </div>
      <FaultBar key={chosen} side={chosen} />
      <p className="log-head" aria-hidden="true">
        <span>Priya</span>
        <span>What changed</span>
        <span>Mara</span>
      </p>
      <div className="log-area">
        {rows.length === 0 && <p className="log-empty">Each message of the server appears here.</p>}
        <ol className="log" aria-label="Messages, newest first">
          {[...rows]
            .slice(-listed)
            .reverse()
            .map((row) => (
              <LogRow key={row.seq} row={row} />
            ))}
        </ol>
      </div>
      <p className="said" role="status">
        {missedWords(chosen, rows) ?? said ?? 'Solve a ticket. Then cut the wire, and solve more.'}
      </p>
    </section>
  );
}

/** Null unless this side has holes, or its newest messages filled some. */
function missedWords(side: Side, rows: readonly Row[]): string | null {
  const holes = rows.filter(({ fates }) => isHole(fates[side])).length;
  if (holes > 0) return `${side} missed ${plural(holes, 'change')} so far.`;
  const filled = rows.length - 1 - rows.findLastIndex(({ fates }) => !isFilled(fates[side]));
  return filled === 0 ? null : `${side} missed ${plural(filled, 'change')}, and has caught up. 0 lost.`;
}

const stateOf = ({ isCut, drop, delayMs }: Faults): { state: string; words: string } => {
  if (isCut) return { state: 'cut', words: 'cut' };
  if (drop > 0) return { state: 'drop', words: 'drops the next' };
  if (delayMs > 0) return { state: 'late', words: `${delayMs / 1000} s late` };
  return { state: 'live', words: 'live' };
};

interface LaneProps {
  side: Side;
  rows: readonly Row[];
  isChosen: boolean;
  onChoose: () => void;
}

function Lane({ side, rows, isChosen, onChoose }: LaneProps) {
  const { wire } = useSession().people[side];
  const faults = useFaults(wire);
  const { state, words } = stateOf(faults);
  const packets = rows.slice(-drawn).filter(({ fates }) => !['expected', 'missed'].includes(fates[side]));
  return (
    <button
      type="button"
      className="lane"
      data-side={side}
      data-state={state}
      aria-pressed={isChosen}
      aria-label={`${side}'s wire: ${words}. Disturb it.`}
      onClick={onChoose}
    >
      <span className="lane-line" aria-hidden="true" />
      {packets.map(({ seq, number, fates }) => (
        <span
          key={`${seq} ${isFilled(fates[side])}`}
          className="packet"
          data-fate={fates[side]}
          style={travel(fates[side] === 'late' ? faults.delayMs : 0)}
          aria-hidden="true"
        >
          #{number}
        </span>
      ))}
      {state === 'cut' && <Unplug className="lane-gap" size={18} aria-hidden="true" />}
      <span className="lane-words">{words}</span>
    </button>
  );
}

const travel = (delayMs: number): CSSProperties => ({ '--travel': `${Math.max(450, delayMs)}ms` });

function FaultBar({ side }: { side: Side }) {
  const { wire } = useSession().people[side];
  const { delayMs, drop, isCut } = useFaults(wire);
  return (
    <div className="faults" role="group" aria-label={`Disturb ${side}'s wire`}>
      <span className="faults-name">{side}’s wire</span>
      <button
        type="button"
        className="button"
        aria-pressed={delayMs > 0}
        onClick={() => wire.set({ delayMs: delayMs > 0 ? 0 : demoDelayMs })}
      >
        <Clock3 size={14} aria-hidden="true" />
        Delay
      </button>
      <button
        type="button"
        className="button"
        aria-pressed={drop > 0}
        onClick={() => wire.set({ drop: drop > 0 ? 0 : 1 })}
      >
        <Unplug size={14} aria-hidden="true" />
        Drop one
      </button>
      <button
        type="button"
        className="button"
        aria-pressed={isCut}
        onClick={() => wire.set({ isCut: !isCut })}
      >
        {isCut ? <Plug size={14} aria-hidden="true" /> : <Scissors size={14} aria-hidden="true" />}
        {isCut ? 'Reconnect' : 'Cut'}
      </button>
    </div>
  );
}

const fateWords: Record<Fate, string> = {
  expected: 'in flight',
  late: 'late',
  arrived: 'arrived',
  lost: 'lost',
  missed: 'missed',
  replayed: 'replayed',
  refetched: 'refetched',
};

function LogRow({ row: { number, label, fates } }: { row: Row }) {
  return (
    <li className="log-row">
      {sides.map((side) => (
        <span
          key={side}
          className="log-half"
          data-side={side}
          data-fate={fates[side]}
          title={`${side}: ${fateWords[fates[side]]}`}
        >
          <span className="log-cell" aria-hidden="true" />
          <span className={isHole(fates[side]) || isFilled(fates[side]) ? 'log-fate' : 'unseen'}>
            <span className="unseen">{side}: </span>
            {fateWords[fates[side]]}
          </span>
        </span>
      ))}
      <span className="log-text">
        <span className="log-number">#{number}</span> <span className="cut">{label}</span>
      </span>
    </li>
  );
}

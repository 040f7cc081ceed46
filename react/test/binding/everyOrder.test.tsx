// Plays every order in which a row, a list, and a suspending pair mount and unmount while the server changes their data.

import type { InitOptions } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { DLProvider, useCollection, useItem, useSuspenseCollection, useSuspenseItem } from '@edict/react';
import { act, render } from '@testing-library/react';
import { Activity, StrictMode, Suspense, type ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import {
  answerAll,
  answersTo,
  createRequests,
  playEveryOrder,
  type Stage,
  type Steps,
} from '../../../core/test/properties/orders.ts';

interface Screen {
  /** An item and a collection read by hooks that do not suspend. */
  rows: boolean;
  /** The same entries read by Suspense hooks in one boundary. Neither component mounts before both have a response. */
  pair: boolean;
  isHidden: boolean;
}

const titleOf = (data: unknown): string => `title ${(data as { title: number } | null)?.title ?? 'none'}`; // The server returns only this shape.
const countOf = ({ count }: { count: number }): string => `count ${count}`;

const Item = (): ReactElement => <li>{titleOf(useItem('doc', 1).data)}</li>;
const List = (): ReactElement => <li>{countOf(useCollection('docs').data)}</li>;
const WaitingItem = (): ReactElement => <li>{titleOf(useSuspenseItem('doc', 1).data)}</li>;
const WaitingList = (): ReactElement => <li>{countOf(useSuspenseCollection('docs').data)}</li>;

const Screen = ({ rows, pair, isHidden }: Screen): ReactElement => (
  <StrictMode>
    {rows && (
      <Activity mode={isHidden ? 'hidden' : 'visible'}>
        <Item />
        <List />
      </Activity>
    )}
    {pair && (
      <Suspense fallback={<li>waiting</li>}>
        <WaitingItem />
        <WaitingList />
      </Suspense>
    )}
  </StrictMode>
);

const refreshItem = { op: 'refresh_item', name: 'doc', id: 1 };
const refreshList = { op: 'refresh_collection', name: 'docs' };
/** Marks both entries stale. Only watched entries are refetched. */
const outdate = [
  { op: 'invalidate', kind: 'item', name: 'doc', id: 1 },
  { op: 'invalidate', kind: 'collection', name: 'docs' },
];

function stageOf(init: InitOptions): Stage {
  const sim = createSimulation();
  const dl = sim.createDataLayer({ sse: { enabled: false }, ...init });
  let title = 1;
  let count = 1;
  let seq = 1000;
  const requests = createRequests();
  const { hold } = requests;
  let screen: Screen = { rows: false, pair: false, isHidden: false };

  dl.createType('doc', { stalenessMs: 1e12, timeoutMs: 0, fetch: () => hold(() => ({ id: 1, title })) });
  dl.createCollection('docs', {
    stalenessMs: 1e12,
    timeoutMs: 0,
    fetch: () => hold(() => ({ ids: [1], count })),
  });
  const tell = (directives: object[]): void =>
    dl.ingestEnvelope({ type: 'directives', seq, audience: 'global', directives });
  tell([]);
  const view = render(<Screen {...screen} />, {
    wrapper: ({ children }) => <DLProvider dl={dl}>{children}</DLProvider>,
  });
  const show = (next: Partial<Screen>): void =>
    view.rerender(<Screen {...(screen = { ...screen, ...next })} />);

  function change(directives: object[], isLost = false): void {
    title += 1;
    count += 1;
    seq += 1;
    if (!isLost) tell(directives);
  }
  const steps = (): Steps => ({
    ...answersTo(requests),
    'the rows come or go': () => show({ rows: !screen.rows }),
    'the pair comes or goes': () => show({ pair: !screen.pair }),
    'the rows are hidden or shown': screen.rows && (() => show({ isHidden: !screen.isHidden })),
    'both are refreshed': () => change([refreshItem, refreshList]),
    'both are refreshed, one inline': () =>
      change([{ ...refreshItem, result: { id: 1, title: title + 1 } }, refreshList]),
    'both are outdated': () => change(outdate),
    'a change is not heard of': () => change([], true),
    'the window ends': () => sim.advance(50),
    'a gap is noticed, and what is watched is fetched again': async () => {
      tell([]);
      await sim.advance(12_000);
    },
  });

  const shown = (): string => view.container.textContent ?? '';
  return {
    steps,
    take: (step) =>
      act(async () => {
        await step();
        await sim.advance(0);
      }),
    async settle() {
      do {
        await act(async () => {
          tell([]); // A heartbeat.
          await answerAll(requests, () => sim.advance(0));
          await sim.advance(12_000);
        });
      } while (requests.count() > 0);
    },
    faults() {
      const found = [...view.container.querySelectorAll('li')].filter(
        (row) =>
          row.style.display !== 'none' && ![`title ${title}`, `count ${count}`].includes(row.textContent),
      );
      const rows = view.container.querySelectorAll('li').length;
      const wanted = (screen.rows ? 2 : 0) + (screen.pair ? 2 : 0);
      return [
        ...(found.length > 0 ? [`shows ${shown()} where title ${title} and count ${count} are true`] : []),
        ...(rows < wanted ? [`shows ${rows} of ${wanted}`] : []),
        ...(dl.hasAnyInFlightRequests() ? ['stays loading'] : []),
      ];
    },
    async dispose() {
      view.unmount();
      dl.dispose();
    },
  };
}

/** The run with compiled sources plays shorter sequences. */
const length = Number(process.env['LONGEST_ORDER'] ?? 3);

describe.each<[string, readonly string[], InitOptions]>([
  ['starting with an empty screen', [], {}],
  ['starting with a suspended pair', ['the pair comes or goes'], {}],
  ['when only watched entries are refetched', ['the pair comes or goes'], { bulk: { refetch: 'watched' } }],
])('every order of a few steps, %s', (_, prelude, init) => {
  it('D-REACT-3 D-REACT-6 ends with the data of the server on the screen', async () => {
    const { played, wrong } = await playEveryOrder(() => stageOf(init), prelude, length);
    expect(wrong).toEqual([]);
    expect(played).toBeGreaterThan(8 ** length);
  }, 600_000);
});

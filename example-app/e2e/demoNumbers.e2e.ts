// The numbers of the demo that a slow machine could make wrong. These tests need no browser.

import { expect, test } from '@playwright/test';
import { createClock } from '../src/demo/clock.ts';
import { stillWrong, type Difference } from '../src/demo/comparison.ts';
import { createJournal, type Journal, type Side } from '../src/demo/journal.ts';
import { serverTimeHeader } from '../src/demo/model.ts';

const change = (seq: number): string =>
  JSON.stringify({ seq, directives: [{ op: 'refresh_item', name: 'ticket', id: 1 }] });

function receive(journal: Journal, side: Side, seq: number, fate: 'on time' | 'lost' = 'on time'): void {
  journal.onMessage(side, { data: change(seq), fate });
}

test('a refetch fills the gaps that it covers, but no later ones', () => {
  const journal = createJournal(() => false);
  receive(journal, 'Priya', 1);
  receive(journal, 'Mara', 1, 'lost');
  const fill = journal.refetching('Mara');
  receive(journal, 'Priya', 2);
  receive(journal, 'Mara', 2, 'lost');
  fill();
  expect(journal.rows().map(({ fates }) => fates.Mara)).toEqual(['refetched', 'lost']);
  expect(journal.totals()).toEqual({ holes: 2, filled: 1 });
});

test('every gap from a long cut can be filled', () => {
  let isCut = true;
  const journal = createJournal((side) => side === 'Mara' && isCut);
  journal.opened('Mara');
  for (let seq = 1; seq <= 200; seq += 1) receive(journal, 'Priya', seq);
  expect(journal.totals()).toEqual({ holes: 200, filled: 0 });
  isCut = false;
  journal.opened('Mara');
  for (let seq = 1; seq <= 200; seq += 1) receive(journal, 'Mara', seq);
  expect(journal.totals()).toEqual({ holes: 200, filled: 200 });
});

test('a row is wrong when it stays stale, but not while each change is in flight', () => {
  const row = (serverVersion: number, shownVersion: number): Difference => ({
    id: 1,
    server: '',
    serverVersion,
    shownVersion,
  });
  expect(stillWrong([row(7, 6)], [row(7, 6)])).toHaveLength(1);
  expect(stillWrong([row(7, 6)], [row(8, 6)])).toHaveLength(1);
  // The row has reached an earlier version of the server.
  expect(stillWrong([row(7, 6)], [row(8, 7)])).toEqual([]);
  // The row shows a different text for the newest version.
  expect(stillWrong([row(7, 7)], [row(7, 7)])).toHaveLength(1);
  expect(stillWrong([], [row(7, 6)])).toEqual([]);
});

test('the fastest response sets the clock', async () => {
  let now = 1000;
  const clock = createClock(() => now);
  /** A response of a server whose clock is ahead. The request takes as long as the response. */
  const respond = async (tookMs: number, aheadMs: number): Promise<Response> => {
    now += tookMs / 2;
    const headers = { [serverTimeHeader]: String(now + aheadMs) };
    now += tookMs / 2;
    return new Response(null, { headers });
  };
  await clock.time(() => respond(400, 9000));
  await clock.time(() => respond(10, 5000));
  await clock.time(() => respond(300, 7000));
  expect(clock.aheadMs()).toBe(5000);
});

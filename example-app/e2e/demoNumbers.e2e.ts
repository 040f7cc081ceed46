// The numbers of the demo, where a slow machine could make them wrong. These tests need no browser.

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

test('a refetch fills the holes that it covers, and no later ones', () => {
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

test('a long cut leaves no hole that cannot be filled', () => {
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

test('a row is wrong when it stays behind, and not when each change is only in flight', () => {
  const row = (serverVersion: number, shownVersion: number): Difference => ({
    id: 1,
    server: '',
    serverVersion,
    shownVersion,
  });
  expect(stillWrong([row(7, 6)], [row(7, 6)])).toHaveLength(1);
  expect(stillWrong([row(7, 6)], [row(8, 6)])).toHaveLength(1);
  // It has reached what the server had before.
  expect(stillWrong([row(7, 6)], [row(8, 7)])).toEqual([]);
  // It shows another text for the newest version.
  expect(stillWrong([row(7, 7)], [row(7, 7)])).toHaveLength(1);
  expect(stillWrong([], [row(7, 6)])).toEqual([]);
});

test('the quickest response sets the clock', async () => {
  let now = 1000;
  const clock = createClock(() => now);
  /** A response of a server that is ahead. The request needs as long as the response. */
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

// Runs the code block of docs/server/what-to-emit.md.

import type { Directive } from '@edict/core';
import { expect, it } from 'vitest';
import { openPage } from '../support/pages.ts';

it('“Lists with params”: a move between teams refreshes the item and the lists of both teams', async () => {
  const { teamChanged } = await openPage('docs/server/what-to-emit.md').run<{
    teamChanged: (id: number, from: string, to: string) => Directive[];
  }>('export const teamChanged');
  expect(teamChanged(7, 'a', 'b')).toEqual([
    { op: 'refresh_item', name: 'ticket', id: 7 },
    { op: 'refresh_collection', name: 'tickets', params: { teamId: 'a' }, params_mode: 'contains' },
    { op: 'refresh_collection', name: 'tickets', params: { teamId: 'b' }, params_mode: 'contains' },
  ]);
});

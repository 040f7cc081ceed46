// The server's entry: fetches the data of the first screen, and renders it.

import { dehydrate, type Cursor } from '@edict/core/hydration';
import { renderToString } from 'react-dom/server';
import { createDataLayer } from '@edict/core';
import type { DeskReads } from './api.ts';
import { App, type Boot } from './App.tsx';
import { firstReads, registerDesk } from './data.ts';

/**
 * `reads` already identify the user. `cursors` were read before anything else, so that no change in between is
 * lost.
 */
export async function render(
  boot: Omit<Boot, 'state'>,
  reads: DeskReads,
  cursors: Cursor[],
): Promise<{ html: string; boot: Boot }> {
  // One data layer per request, because it contains data of one user.
  const dl = createDataLayer();
  try {
    registerDesk(dl, reads);
    if (boot.session !== null) await firstReads(dl, boot.href);
    const whole: Boot = { ...boot, state: boot.session === null ? null : dehydrate(dl, { cursors }) };
    return { html: renderToString(<App dl={dl} boot={whole} />), boot: whole };
  } finally {
    dl.dispose();
  }
}

// Refuses changes from pages of other origins. Another site on the same domain could send a form together with the cookie.
// `SameSite` does not prevent that.

import type { MiddlewareHandler } from 'hono';
import { DeskError } from './desk/errors.ts';

const reading = ['GET', 'HEAD', 'OPTIONS'];

/** Programs other than browsers send no origin. They are accepted, because no web page controls them. */
export const ownPagesOnly: MiddlewareHandler = async (c, next) => {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  const isOwn =
    // Browsers send the first header on trusted connections, and the second one always.
    site !== undefined ? site === 'same-origin' || site === 'none' : isHost(origin, c.req.header('host'));
  if (!isOwn && !reading.includes(c.req.method))
    throw new DeskError(403, 'other_site', 'That has to be done on a page of the desk.');
  await next();
};

function isHost(origin: string | undefined, host: string | undefined): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

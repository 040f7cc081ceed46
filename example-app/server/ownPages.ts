// Only pages of the desk change anything in the name of whoever is signed in. A form of another site could send the cookie
// along, if that site is on the same domain: `SameSite` is no help there, nor is it for requests without a body.

import type { MiddlewareHandler } from 'hono';
import { DeskError } from './desk/errors.ts';

const reading = ['GET', 'HEAD', 'OPTIONS'];

/** Programs that are no browser say nothing of where they come from, and nobody can make them call. */
export const ownPagesOnly: MiddlewareHandler = async (c, next) => {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  const isOwn =
    // Browsers say the first where the connection is trusted, and the second always.
    site !== undefined ? site === 'same-origin' || site === 'none' : isHost(origin, c.req.header('host'));
  if (!isOwn && !reading.includes(c.req.method))
    throw new DeskError(403, 'other_site', 'That has to be done on a page of the desk.');
  await next();
};

function isHost(origin: string | undefined, host: string | undefined): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

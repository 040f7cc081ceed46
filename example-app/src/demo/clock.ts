// The difference between the server's clock and the clock of this page.

import { serverTimeHeader } from './model.ts';

export interface Clock {
  /** The server's clock minus this one, in milliseconds. */
  aheadMs: () => number;
  /** Sends a request, and learns from the time in its response. */
  time: (send: () => Promise<Response>) => Promise<Response>;
}

/** `now`: this page's clock. */
export function createClock(now: () => number = Date.now): Clock {
  let aheadMs = 0;
  let shortestMs = Infinity;
  return {
    aheadMs: () => aheadMs,
    async time(send) {
      const sentAt = now();
      const response = await send();
      const receivedAt = now();
      const serverTime = Number(response.headers.get(serverTimeHeader));
      // A busy page or server makes a request slow, and the time in the middle uncertain. So the quickest request counts.
      if (serverTime > 0 && receivedAt - sentAt <= shortestMs) {
        shortestMs = receivedAt - sentAt;
        aheadMs = serverTime - (sentAt + receivedAt) / 2;
      }
      return response;
    },
  };
}

// A program for any runtime: shows a ticket of the server at the address it is given, a line for each change. Ends with its input.

import { createDataLayer } from '@edict/core';

declare module '@edict/core' {
  interface Register {
    types: { ticket: { default: { version: number } } };
  }
}

const base = process.argv[2] ?? '';
const dl = createDataLayer();
dl.createType('ticket', {
  fetch: async (id) => (await fetch(`${base}/api/tickets/${id}`)).json() as Promise<{ version: number }>,
});
dl.init({ sse: { baseUrl: base, initialRetryMs: 100 } });
const ticket = dl.fetchItem('ticket', 7);
let shown: number | undefined;
dl.onRefChange(ticket, () => {
  const version = ticket.data?.version;
  if (version !== undefined && version !== shown) console.log((shown = version));
});

process.stdin.on('data', () => undefined).on('end', () => process.exit());

// A client for any runtime. It fetches a ticket of the server at the given address, and prints a line for each change. It exits when its input
// ends.

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

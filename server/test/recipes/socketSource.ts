// socketSource.ts
import type { DataLayer, DirectiveSource } from '@edict/core';

/** A hub's envelopes over a WebSocket, for the audiences in the option `sse.audience` of `init`. */
export function socketSource(dl: DataLayer, address: string): DirectiveSource {
  let failures = 0;
  return {
    type: 'websocket',
    connect({ ingestEnvelope, clientId }) {
      const url = new URL(address);
      url.searchParams.set('client_id', clientId);
      const { audience, lastSeq } = dl.state().sse;
      for (const name of [audience].flat()) {
        url.searchParams.append('audience', name);
        url.searchParams.append('last_seq', String(lastSeq[name] ?? '')); // The hub replays what came after it.
      }
      // Without a number, it replays what came after the page was opened. A minute covers a slow connection.
      url.searchParams.set('since_ms', String(Math.ceil(performance.now()) + 60_000));

      let timer: ReturnType<typeof setTimeout> | undefined;
      const socket = new WebSocket(url);
      socket.addEventListener('message', ({ data }) => {
        failures = 0;
        ingestEnvelope(JSON.parse(String(data)));
      });
      const reconnect = (): void => {
        const longestMs = Math.min(30_000, 1000 * 2 ** failures++);
        const waitMs = longestMs * (0.5 + Math.random() / 2); // Clients do not reconnect at the same time.
        timer = setTimeout(() => {
          dl.disconnectDirectiveSource(); // Each `connect` counts as a new connection.
          dl.connectDirectiveSource();
        }, waitMs);
      };
      socket.addEventListener('close', reconnect);
      return () => {
        clearTimeout(timer);
        socket.removeEventListener('close', reconnect);
        socket.close();
      };
    },
  };
}

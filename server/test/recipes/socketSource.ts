// socketSource.ts
import type { DataLayer, DirectiveSource } from '@edict/core';

/** A hub's envelopes over a WebSocket, in the place of the event stream. */
export function socketSource(dl: DataLayer, address: string, audience = 'global'): DirectiveSource {
  let failures = 0;
  return {
    type: 'websocket',
    connect({ ingestEnvelope, clientId }) {
      const url = new URL(address);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('audience', audience);
      // The hub replays what came after this number. Without one it says that it cannot know what was missed.
      const lastSeq = dl.state().sse.lastSeq[audience];
      if (lastSeq !== undefined) url.searchParams.set('last_seq', String(lastSeq));

      let timer: ReturnType<typeof setTimeout> | undefined;
      const socket = new WebSocket(url);
      socket.addEventListener('message', ({ data }) => {
        failures = 0;
        ingestEnvelope(JSON.parse(String(data)));
      });
      const reconnect = (): void => {
        timer = setTimeout(
          () => {
            dl.disconnectDirectiveSource(); // Each `connect` is a connection of its own to the sequence rules.
            dl.connectDirectiveSource();
          },
          Math.min(30_000, 500 * 2 ** failures++),
        );
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

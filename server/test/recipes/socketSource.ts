// socketSource.ts
import type { DataLayer, DirectiveSource } from '@edict/core';

/** A hub's envelopes over a WebSocket, in the place of the event stream; of the audiences that `init` names as `sse.audience`. */
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
        // The hub replays what came after this number. Without one it says that it cannot know what was missed.
        url.searchParams.append('last_seq', String(lastSeq[name] ?? ''));
      }

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

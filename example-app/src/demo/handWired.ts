// A typical hand-written live cache: a message invalidates the query that it names.

import type { QueryClient } from '@tanstack/react-query';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Follows the stream until `signal` aborts, and reconnects when it breaks. */
export async function follow(client: QueryClient, url: string, fetch: Fetch, signal: AbortSignal) {
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { signal });
      if (response.body === null) continue;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let buffer = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const frames = (buffer + part.value).split('\n\n');
        buffer = frames.pop() ?? '';
        for (const frame of frames) {
          if (!frame.startsWith('data: ')) continue;
          const { type, id } = JSON.parse(frame.slice('data: '.length));
          void client.invalidateQueries({ queryKey: id === null ? [type] : [type, id] });
        }
      }
    } catch {
      // The stream broke. The next attempt follows.
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

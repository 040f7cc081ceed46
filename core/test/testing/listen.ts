// Opens a stream of the simulated server without a data layer.

import type { Simulation } from '@edict/core/testing';

/** Opens a stream and gathers the envelopes that arrive. */
export async function listen(
  sim: Simulation,
  query = '',
  options: { headers?: Record<string, string>; signal?: AbortSignal; env?: Simulation['env'] } = {},
) {
  const got: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const state = { status: 0, ended: null as null | string };
  const { env = sim.env, ...init } = options;
  const run = async (): Promise<void> => {
    const response = await env.fetch(`/api/events?client_id=me&audience=global${query}`, init);
    state.status = response.status;
    if (!response.ok || response.body === null) return void (state.ended = await response.text());
    const decoder = new TextDecoder();
    for await (const bytes of response.body) {
      const text = decoder.decode(bytes);
      texts.push(text);
      for (const line of text.split('\n')) if (line.startsWith('data: ')) got.push(JSON.parse(line.slice(6)));
    }
    state.ended = 'closed';
  };
  void run().catch((error: unknown) => (state.ended = String(error)));
  await sim.advance(0);
  return { got, texts, state };
}

/** The sequence numbers of envelopes. */
export const seqs = (envelopes: readonly Record<string, unknown>[]): unknown[] =>
  envelopes.map((one) => one['seq']);

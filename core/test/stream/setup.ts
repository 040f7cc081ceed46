// The simulated client of the stream's tests. The test acts as the server: it opens, feeds, and ends each request.

import type { DataLayer, Env, LifecycleEvent, LifecycleEvents, SseInfo, SseOptions } from '@edict/core';
import type { Simulation } from '@edict/core/testing';
import { createWorld, type World } from '../world.ts';

/** One request, and the server's side of it. */
export interface Connection {
  readonly url: URL;
  readonly init: RequestInit;
  /** Simulated milliseconds of its start. */
  readonly at: number;
  readonly isAborted: () => boolean;
  /** Whether the client canceled the body. */
  readonly isReleased: () => boolean;
  /** Responds with an open stream. */
  readonly open: (headers?: Record<string, string>) => Promise<void>;
  /** Responds with an open stream through a `fetch` that has no streams, like React Native's. */
  readonly openUnread: () => Promise<void>;
  /** Responds with this status and a body, by default a short one. */
  readonly refuse: (status: number, headers?: Record<string, string>, body?: string) => Promise<void>;
  /** Responds with this JSON. */
  readonly respond: (body: unknown) => Promise<void>;
  /** The request fails before a response. */
  readonly fail: (error: unknown) => Promise<void>;
  readonly send: (text: string | Uint8Array) => Promise<void>;
  /** Sends one frame with this envelope. */
  readonly envelope: (value: unknown) => Promise<void>;
  readonly end: () => Promise<void>;
  readonly cut: () => Promise<void>;
}

export interface Setup {
  world: World & {
    readonly connections: readonly Connection[];
    /** The newest request; throws if there is none. */
    readonly last: () => Connection;
    /** Moves the clock without running a timer, as on a machine that was asleep. */
    readonly jump: (ms: number) => void;
  };
  dl: DataLayer;
  sse: () => SseInfo;
  /** Every event of the stream so far, in order. */
  events: { event: LifecycleEvent; detail: unknown }[];
  /** The details of one event so far. */
  of: <E extends LifecycleEvent>(event: E) => LifecycleEvents[E][];
  /** The received lists of directives: the id of the first, and what the envelope contains. */
  received: { id: unknown; audience: string | null; source: string | null }[];
  /** Calls `init` and opens the connection. */
  opened: () => Promise<void>;
}

/** Calls `init`, which starts the request of the stream. */
export async function begin(dl: DataLayer): Promise<void> {
  dl.init();
  await Promise.resolve();
}

/** Names a record that this client does not cache, so that only the stream works. */
export const directive = (id: unknown = 1): object => ({ op: 'refresh_item', name: 'ticket', id });

/** An envelope with one directive, whose id is the number, or with none: a position. */
export const envelope = (
  seq: number | null,
  audience = 'global',
  list = [directive(seq ?? 'none')],
): object => ({
  type: 'directives',
  seq,
  audience,
  directives: list,
});
export const position = (seq: number, audience = 'global'): object => envelope(seq, audience, []);
export const greeting = (seq: number, more: object = {}): object => ({
  ...position(seq),
  recovered: true,
  heartbeat_ms: 15_000,
  ...more,
});

/** A request that the test answers. */
function connect(sim: Simulation, url: URL, init: RequestInit, heedsAbort: boolean) {
  const { signal } = init;
  const encoder = new TextEncoder();
  let isReleased = false;
  let source!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => void (source = controller),
    cancel: () => void (isReleased = true),
  });
  let respond!: (response: Response) => void;
  let reject!: (error: unknown) => void;
  const response = new Promise<Response>((resolve, refuse) => {
    [respond, reject] = [resolve, refuse];
  });
  const settled = (run: () => void) => (): Promise<void> => {
    run();
    return sim.advance(0);
  };
  if (heedsAbort) {
    signal?.addEventListener('abort', () => {
      reject(signal.reason);
      if (!isReleased) source.error(signal.reason);
      isReleased = true;
    });
  }
  const send = (bytes: string | Uint8Array): Promise<void> =>
    settled(() => source.enqueue(typeof bytes === 'string' ? encoder.encode(bytes) : bytes))();
  const stream = { 'content-type': 'text/event-stream' };
  const connection: Connection = {
    url,
    init,
    at: sim.now(),
    isAborted: () => signal?.aborted === true,
    isReleased: () => isReleased,
    open: (headers = stream) => settled(() => respond(new Response(body, { headers })))(),
    openUnread: settled(() => respond(new Response(null, { headers: stream }))),
    refuse: (status, headers = {}, text = '{}') =>
      settled(() => respond(new Response(status === 204 ? null : text, { status, headers })))(),
    respond: (json) => settled(() => respond(Response.json(json)))(),
    fail: (error) => settled(() => reject(error))(),
    send,
    envelope: (value) => send(`data: ${JSON.stringify(value)}\n\n`),
    end: settled(() => source.close()),
    cut: settled(() => source.error(new TypeError('terminated'))),
  };
  return { connection, response };
}

/** `heedsAbort: false`: the `fetch` of the platform continues after an abort. */
export function setup(
  options: Partial<SseOptions> = {},
  { env = {}, heedsAbort = true }: { env?: Partial<Env>; heedsAbort?: boolean } = {},
): Setup {
  const connections: Connection[] = [];
  let aheadMs = 0;
  const world = createWorld({
    init: null,
    env: (sim) => ({
      now: () => sim.now() + aheadMs,
      random: () => 0.5,
      fetch(input, init = {}) {
        const url = new URL(input instanceof Request ? input.url : input, 'https://app.test');
        const { connection, response } = connect(sim, url, init, heedsAbort);
        connections.push(connection);
        return response;
      },
      ...env,
    }),
  });
  const { dl, of } = world;
  const received: Setup['received'] = [];
  const events: Setup['events'] = [];
  dl.onLifecycle('*', (message) => {
    if (message.event.startsWith('sse:')) events.push(message);
  });
  dl.onLifecycle('directive:received', ({ detail: { directives, audience, source } }) => {
    const [first] = directives as { id: unknown }[]; // All of these tests' directives have one.
    received.push({ id: first?.id, audience, source });
  });
  const last = (): Connection => {
    const connection = connections.at(-1);
    if (connection === undefined) throw new Error('there was no request');
    return connection;
  };
  // Exact waits; the tests of the jitter set their own.
  dl.configureSse({ retryJitter: 0, ...options });
  return {
    world: { ...world, connections, last, jump: (ms) => void (aheadMs += ms) },
    dl,
    sse: () => dl.state().sse,
    events,
    of,
    received,
    async opened() {
      await begin(dl);
      await last().open();
    },
  };
}

export function becomeVisible({ page }: Simulation): void {
  page.setVisible(false);
  page.setVisible(true);
}

export function comeOnline({ page }: Simulation): void {
  page.setOnline(false);
  page.setOnline(true);
}

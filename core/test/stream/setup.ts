import { createDataLayer, type DataLayer, type LifecycleEvent, type LifecycleEvents } from '@edict/core';
import type { Env, SseInfo, SseOptions } from '@edict/core';
import { createWorld, type World } from './world.ts';

export interface Setup {
  world: World;
  dl: DataLayer;
  sse: () => SseInfo;
  /** Every event of the stream so far, in order. */
  events: { event: LifecycleEvent; detail: unknown }[];
  /** The details of one event so far. */
  of: <E extends LifecycleEvent>(event: E) => LifecycleEvents[E][];
  /** The lists of directives so far, each by the id of its first, with what its envelope says. */
  received: { id: unknown; audience: string | null; source: string | null }[];
  /** Resolves when so many lists have come. */
  untilReceived: (count: number) => Promise<void>;
  /** `init`, and the connection is open. */
  opened: () => Promise<void>;
}

/** `init`, and the request of the stream has begun. */
export async function begin(dl: DataLayer): Promise<void> {
  dl.init();
  await Promise.resolve();
}

/** What this client does not hold, so that nothing but the stream is at work. */
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

/** @param env what the data layer gets of the platform; with `{}`, the platform itself */
export function setup(
  options: Partial<SseOptions> = {},
  world: World = createWorld(),
  env: Partial<Env> = world.env,
): Setup {
  const dl = createDataLayer({ env });
  const received: Setup['received'] = [];
  const all: Setup['events'] = [];
  const events: Setup['events'] = [];
  let tell = (): void => undefined;
  dl.onLifecycle('*', (message) => {
    all.push(message);
    if (message.event.startsWith('sse:')) events.push(message);
  });
  dl.onLifecycle('directive:received', ({ detail: { directives, audience, source } }) => {
    const [first] = directives as { id: unknown }[]; // All of these tests' directives have one.
    received.push({ id: first?.id, audience, source });
    tell();
  });
  // Exact waits; the tests of the jitter set their own.
  dl.configureSse({ retryJitter: 0, ...options });
  return {
    world,
    dl,
    sse: () => dl.state().sse,
    events,
    // An event's details are of its own type.
    of: (event) => all.filter((entry) => entry.event === event).map((entry) => entry.detail) as never,
    received,
    untilReceived: (count) =>
      new Promise((done) => {
        tell = () => {
          if (received.length >= count) done();
        };
        tell();
      }),
    async opened() {
      await begin(dl);
      await world.last().open();
    },
  };
}

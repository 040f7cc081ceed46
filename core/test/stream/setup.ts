import { createEnvelopes, type DirectiveSink } from '../../src/envelopes.ts';
import { createDirectiveSource } from '../../src/directiveSource.ts';
import { createLifecycle } from '../../src/lifecycle.ts';
import type { LifecycleEvent, LifecycleEvents } from '../../src/lifecycleEvents.ts';
import { createResync } from '../../src/resync.ts';
import { createSseClient } from '../../src/sseClient.ts';
import { defaultSettings, mergeSettings } from '../../src/rules/options.ts';
import type { DirectiveSource, SseInfo, SseOptions } from '../../src/types.ts';
import { createWorld, type World } from './world.ts';

/** The stream's parts wired as the data layer wires them, with its names. */
export interface Layer {
  init: () => void;
  connectSse: () => void;
  disconnectSse: () => void;
  configureSse: (options: Partial<SseOptions>) => void;
  configureDirectiveSource: (source: DirectiveSource | null) => void;
  connectDirectiveSource: () => void;
  disconnectDirectiveSource: () => void;
  ingestEnvelope: (envelope: unknown) => void;
  /** A cursor from server rendering. */
  baseline: (audience: string, seq: number) => void;
  sse: () => SseInfo;
  dispose: () => void;
}

export interface Setup {
  world: World;
  dl: Layer;
  /** Every event so far, in order. */
  events: { event: LifecycleEvent; detail: unknown }[];
  /** The details of one event so far. */
  of: <E extends LifecycleEvent>(event: E) => LifecycleEvents[E][];
  on: <E extends LifecycleEvent>(event: E, run: () => void) => () => void;
  /** The directives that were passed on, with what their envelope says. */
  applied: {
    directives: readonly unknown[];
    audience: string | null;
    source: string | null;
    seq: number | null;
  }[];
  /** Resolves when so many lists have been passed on. */
  untilApplied: (count: number) => Promise<void>;
  refetches: () => number;
  /** Now is the age 0 of the oldest request. */
  request: () => void;
  /** `init`, and the connection is open. */
  opened: () => Promise<void>;
}

export const directive = { op: 'refresh_collection', name: 'tickets' };

/** An envelope with one directive, or with none: a position. */
export const envelope = (seq: number | null, audience = 'global', list: unknown[] = [directive]): object => ({
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

export function setup(given: Partial<SseOptions> = {}, world: World = createWorld()): Setup {
  let options = mergeSettings(defaultSettings(), { sse: given });
  let oldest: number | null = null;
  let refetches = 0;
  const settings = () => options;
  const applied: Setup['applied'] = [];
  const events: Setup['events'] = [];
  const { env } = world;
  const lifecycle = createLifecycle(env);
  lifecycle.on('*', (message) => void events.push(message));
  const resync = createResync(env, lifecycle, settings, () => refetches++);
  let waiting = (): void => undefined;
  const sink: DirectiveSink = {
    apply(directives, meta) {
      applied.push({ directives, ...meta });
      waiting();
    },
  };
  const envelopes = createEnvelopes(env, lifecycle, settings, sink, resync);
  const client = createSseClient(env, lifecycle, settings, envelopes, resync, 'me', () => oldest);
  const apply = (directives: readonly unknown[]): Promise<void> => {
    applied.push({ directives, audience: null, source: null, seq: null });
    return Promise.resolve();
  };
  const sources = createDirectiveSource(env, lifecycle, envelopes, apply, 'me', client);
  const dl: Layer = {
    init: () => sources.start(options.sse.connectOnInit),
    connectSse: client.connect,
    disconnectSse: () => client.disconnect('disconnect'),
    configureSse(change) {
      const before = options.sse;
      options = mergeSettings(options, { sse: change });
      client.configured(before, options.sse);
    },
    configureDirectiveSource: sources.configure,
    connectDirectiveSource: sources.connect,
    disconnectDirectiveSource: sources.disconnect,
    ingestEnvelope: envelopes.ingest,
    baseline: envelopes.setBaseline,
    sse: () => ({ ...client.info(), lastSeq: envelopes.numbers() }),
    dispose() {
      sources.dispose();
      client.dispose();
      resync.dispose();
    },
  };
  return {
    world,
    dl,
    events,
    // An event's details are of its own type.
    of: (event) => events.filter((entry) => entry.event === event).map((entry) => entry.detail) as never,
    on: (event, run) => lifecycle.on(event, run),
    applied,
    untilApplied: (count) =>
      new Promise((done) => {
        waiting = () => {
          if (applied.length >= count) done();
        };
        waiting();
      }),
    refetches: () => refetches,
    request: () => void (oldest = env.now()),
    async opened() {
      dl.init();
      await world.last().open();
    },
  };
}

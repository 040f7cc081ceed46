// Responses of mutations in every order with their own echoes and with changes of other clients. One client reads one ticket. Envelopes wait in a
// queue per audience until the schedule delivers them.

import type { Directive } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameters } from './runs.ts';

/** The conditions of one property. */
interface Conditions {
  /** Lists of audiences. Each change is emitted to one of them. */
  readonly emitted: readonly (readonly string[])[];
  readonly subscribed: readonly string[];
  /** Whether the directives of a response have the `seq` of their echoes. Those of an outbox have none. */
  readonly isNumbered: boolean;
  /** Whether the directives of a response name their audience. */
  readonly isNamed: boolean;
  /** Whether nothing has a `seq`. */
  readonly isUncounted?: boolean;
}

/** A lost response is noticed late. By then, the log judges the order of two directives by their arrival (D-DIR-9). */
const lossMs = 12_000;

const two = [['a'], ['b'], ['a', 'b']];

const allConditions: readonly (readonly [title: string, conditions: Conditions])[] = [
  [
    'one audience, with sequence numbers',
    { emitted: [['team']], subscribed: ['team'], isNumbered: true, isNamed: true },
  ],
  [
    'one audience, without sequence numbers',
    { emitted: [['team']], subscribed: ['team'], isNumbered: false, isNamed: true },
  ],
  [
    'one unnamed audience, without sequence numbers',
    { emitted: [['team']], subscribed: ['team'], isNumbered: false, isNamed: false },
  ],
  [
    'one audience, on a server without sequence numbers',
    { emitted: [['team']], subscribed: ['team'], isNumbered: false, isNamed: true, isUncounted: true },
  ],
  [
    'two audiences, with sequence numbers',
    { emitted: two, subscribed: ['a', 'b'], isNumbered: true, isNamed: true },
  ],
  [
    'two audiences, without sequence numbers',
    { emitted: two, subscribed: ['a', 'b'], isNumbered: false, isNamed: true },
  ],
  [
    'one subscribed audience of two, with sequence numbers',
    { emitted: [['b'], ['a', 'b'], ['b', 'a']], subscribed: ['b'], isNumbered: true, isNamed: true },
  ],
  [
    'one subscribed audience of two, without sequence numbers',
    { emitted: [['b'], ['a', 'b'], ['b', 'a']], subscribed: ['b'], isNumbered: false, isNamed: true },
  ],
];

interface Change {
  /** The index of the list of audiences. */
  readonly emitted: number;
  readonly hasResult: boolean;
  readonly isWrapped: boolean;
}

interface OwnChange extends Change {
  readonly commitMs: number;
  readonly responseMs: number;
  /** The response is applied with `applyResponse`, so the client does not know when the mutation was sent. */
  readonly isByHand: boolean;
  readonly hasSource: boolean;
  /** Only the echo shows that the change was committed. */
  readonly isLost: boolean;
}

type Step =
  | { readonly others: Change }
  | { readonly own: OwnChange }
  | { readonly deliver: string; readonly envelopes: number }
  | { readonly waitMs: number }
  | { readonly read: 'ordinary' | 'force' };

interface Schedule {
  /** Whether a second level is cached, which converts to the first one. */
  readonly hasLevels: boolean;
  /** Whether the ticket is cached and watched at the start. */
  readonly isCached: boolean;
  readonly fetchMs: number;
  readonly steps: readonly Step[];
}

function schedules({ emitted, subscribed }: Conditions): fc.Arbitrary<Schedule> {
  const ms = fc.constantFrom(0, 10, 60, 200);
  const mostly = fc.constantFrom(true, true, true, false);
  const change = {
    emitted: fc.nat(emitted.length - 1),
    hasResult: mostly,
    isWrapped: fc.boolean(),
  };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 2, arbitrary: fc.record({ others: fc.record(change) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        own: fc.record({
          ...change,
          commitMs: ms,
          responseMs: ms,
          isByHand: fc.boolean(),
          hasSource: mostly, // Without it, the echo comes first and the response is a duplicate.
          isLost: mostly.map((isReceived) => !isReceived),
        }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        deliver: fc.constantFrom(...subscribed),
        envelopes: fc.constantFrom(1, 2, Infinity),
      }),
    },
    fc.record({ waitMs: ms }),
    fc.record({ read: fc.constantFrom('ordinary' as const, 'force' as const) }),
  );
  return fc.record({
    hasLevels: fc.boolean(),
    isCached: fc.boolean(),
    fetchMs: fc.constantFrom(2, 80),
    steps: fc.array(step, { minLength: 2, maxLength: 9 }),
  });
}

/** Plays a schedule to its end. Returns the data of the server, and the data that the client shows as fresh. */
async function play(
  conditions: Conditions,
  { hasLevels, isCached, fetchMs, steps }: Schedule,
): Promise<[unknown, unknown]> {
  const sim = createSimulation();
  const dl = sim.createDataLayer();
  const server = { version: 0, changes: 0 };
  const streams = new Map(
    ['team', 'a', 'b'].map((audience, place) => [audience, { seq: 1000 * place, queue: [] as object[] }]),
  );

  async function fetch(): Promise<unknown> {
    await sim.sleep(fetchMs / 2);
    const { version } = server;
    await sim.sleep(fetchMs / 2);
    return { version };
  }
  dl.createType('ticket', {
    stalenessMs: 3_600_000,
    fetch,
    ...(hasLevels ? { levels: { full: { fetch } }, levelConversionMap: { full: ['default'] } } : {}),
  });
  dl.init({ sse: { enabled: false, audience: conditions.subscribed } });

  /** Commits a change and appends it to the streams. Returns a copy for each audience, as a hub does. */
  function commit({ emitted, hasResult, isWrapped }: Change, source: string | null): Directive[] {
    server.version += 1;
    server.changes += 1;
    const plain: Directive = {
      op: 'refresh_item',
      name: 'ticket',
      id: 1,
      ...(hasResult ? { result: { version: server.version } } : {}),
    };
    const one: Directive = isWrapped ? { op: 'invalidate', targets: [plain] } : plain;
    return (conditions.emitted[emitted] ?? []).flatMap((audience) => {
      const stream = streams.get(audience);
      if (stream === undefined) return [];
      stream.seq += 1;
      const seq = conditions.isUncounted === true ? null : stream.seq;
      const copy = { ...one, idempotency_key: `change-${server.changes}`, audience, seq, source };
      stream.queue.push({ type: 'directives', seq, audience, directives: [copy] });
      return [copy];
    });
  }

  function responseOf(copies: readonly Directive[]): Response {
    const directives = copies.map(({ seq, audience, ...rest }) => ({
      ...rest,
      ...(conditions.isNumbered ? { seq } : {}),
      ...(conditions.isNamed ? { audience } : {}),
    }));
    return new Response(JSON.stringify({ directives }), { headers: { 'content-type': 'application/json' } });
  }

  function deliver(audience: string, envelopes: number): void {
    for (const envelope of streams.get(audience)?.queue.splice(0, envelopes) ?? [])
      dl.ingestEnvelope(envelope);
  }

  async function respond({ commitMs, responseMs, hasSource, ...change }: OwnChange): Promise<Response> {
    await sim.sleep(commitMs);
    const copies = commit(change, hasSource ? dl.clientId() : null);
    await sim.sleep(responseMs);
    return responseOf(copies);
  }

  function begin(step: Step, place: number): void {
    if ('others' in step) commit(step.others, null);
    else if ('deliver' in step) deliver(step.deliver, step.envelopes);
    else if ('read' in step)
      dl.fetchItem('ticket', 1, hasLevels ? 'full' : null, { force: step.read === 'force' });
    else if ('own' in step && step.own.isByHand)
      void respond(step.own).then((response) => dl.applyResponse(response));
    else if ('own' in step) {
      const { own } = step;
      const lost = new AbortController();
      sim.route(`POST /${place}`, async () => {
        const response = await respond(own);
        if (!own.isLost) return response;
        await sim.sleep(lossMs);
        lost.abort();
        return response;
      });
      dl.fetch(`/${place}`, { method: 'POST', signal: lost.signal }).catch(() => undefined);
    }
  }

  if (isCached) {
    dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
    if (hasLevels) dl.fetchItem('ticket', 1, 'full');
  }
  await sim.settled();
  for (const [place, step] of steps.entries()) {
    begin(step, place);
    await sim.advance('waitMs' in step ? step.waitMs : 0);
  }
  await sim.advance(500); // Every change is committed.
  for (const audience of conditions.subscribed) deliver(audience, Infinity);
  await sim.advance(lossMs); // Every response has arrived, or was lost.
  await sim.settled();
  // An ordinary read sends a request unless the data is fresh.
  const ref = dl.fetchItem('ticket', 1);
  if (!isCached) await sim.settled();
  const { data } = ref;
  dl.dispose();
  return [{ version: server.version }, data];
}

describe('mutation responses and their echoes', () => {
  it.each(allConditions)(
    'D-DIR-9 D-SRC-1 end with the data of the server: %s',
    async (_title, conditions) => {
      await fc.assert(
        fc.asyncProperty(schedules(conditions), async (schedule) => {
          const [truth, shown] = await play(conditions, schedule);
          expect(shown).toEqual(truth);
        }),
        parameters(600),
      );
    },
  );
});

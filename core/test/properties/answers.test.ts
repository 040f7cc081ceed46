// Answers of mutations beside their own echoes, and beside what others change. One client watches one ticket; what the stream has to say waits
// in a queue for each audience until the schedule delivers it, so every order of answers and echoes comes up.

import type { Directive } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parameters } from './runs.ts';

/** What holds in one property. */
interface Climate {
  /** To whom the changes are told; each is told to one of these lists. */
  readonly told: readonly (readonly string[])[];
  readonly followed: readonly string[];
  /** Whether the directives of an answer have the numbers of their echoes; those of an outbox have none. */
  readonly isNumbered: boolean;
  /** Whether they say of which audience they are. */
  readonly isNamed: boolean;
}

const two = [['a'], ['b'], ['a', 'b']];

const climates: readonly (readonly [title: string, climate: Climate])[] = [
  [
    'of one audience, with numbers',
    { told: [['team']], followed: ['team'], isNumbered: true, isNamed: true },
  ],
  [
    'of one audience, without numbers',
    { told: [['team']], followed: ['team'], isNumbered: false, isNamed: true },
  ],
  [
    'of one audience that they do not name, without numbers',
    { told: [['team']], followed: ['team'], isNumbered: false, isNamed: false },
  ],
  ['of two audiences, with numbers', { told: two, followed: ['a', 'b'], isNumbered: true, isNamed: true }],
  [
    'of two audiences, without numbers',
    { told: two, followed: ['a', 'b'], isNumbered: false, isNamed: true },
  ],
  [
    'of two audiences of which one is followed, with numbers',
    { told: [['b'], ['a', 'b'], ['b', 'a']], followed: ['b'], isNumbered: true, isNamed: true },
  ],
  [
    'of two audiences of which one is followed, without numbers',
    { told: [['b'], ['a', 'b'], ['b', 'a']], followed: ['b'], isNumbered: false, isNamed: true },
  ],
];

interface Change {
  /** Which of the climate's lists of audiences is told. */
  readonly told: number;
  readonly hasResult: boolean;
  readonly isWrapped: boolean;
}

interface OwnChange extends Change {
  readonly commitMs: number;
  readonly answerMs: number;
  /** The answer goes through `applyResponse`, and nothing tells when the mutation was sent. */
  readonly isByHand: boolean;
  readonly hasSource: boolean;
}

type Step =
  | { readonly others: Change }
  | { readonly own: OwnChange }
  | { readonly deliver: string; readonly envelopes: number }
  | { readonly waitMs: number }
  | { readonly read: 'ordinary' | 'force' };

interface Schedule {
  /** Whether a second level is held, whose payload is also that of the first. */
  readonly hasLevels: boolean;
  readonly fetchMs: number;
  readonly steps: readonly Step[];
}

function schedules({ told, followed }: Climate): fc.Arbitrary<Schedule> {
  const ms = fc.constantFrom(0, 10, 60, 200);
  const change = {
    told: fc.nat(told.length - 1),
    hasResult: fc.boolean(),
    isWrapped: fc.boolean(),
  };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ others: fc.record(change) }),
    fc.record({
      own: fc.record({
        ...change,
        commitMs: ms,
        answerMs: ms,
        isByHand: fc.boolean(),
        hasSource: fc.boolean(),
      }),
    }),
    fc.record({ deliver: fc.constantFrom(...followed), envelopes: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ waitMs: ms }),
    fc.record({ read: fc.constantFrom('ordinary' as const, 'force' as const) }),
  );
  return fc.record({
    hasLevels: fc.boolean(),
    fetchMs: fc.constantFrom(2, 80),
    steps: fc.array(step, { maxLength: 9 }),
  });
}

/** Plays a schedule to its end. Returns what the server holds then, and what the client shows and calls fresh. */
async function play(climate: Climate, { hasLevels, fetchMs, steps }: Schedule): Promise<[unknown, unknown]> {
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
  dl.init({ sse: { enabled: false, audience: climate.followed } });

  /** Commits a change and puts it on the streams. Returns a copy for each audience, as a hub does. */
  function commit({ told, hasResult, isWrapped }: Change, source: string | null): Directive[] {
    server.version += 1;
    server.changes += 1;
    const plain: Directive = {
      op: 'refresh_item',
      name: 'ticket',
      id: 1,
      ...(hasResult ? { result: { version: server.version } } : {}),
    };
    const one: Directive = isWrapped ? { op: 'invalidate', targets: [plain] } : plain;
    return (climate.told[told] ?? []).flatMap((audience) => {
      const stream = streams.get(audience);
      if (stream === undefined) return [];
      stream.seq += 1;
      const copy = { ...one, idempotency_key: `change-${server.changes}`, audience, seq: stream.seq, source };
      stream.queue.push({ type: 'directives', seq: stream.seq, audience, directives: [copy] });
      return [copy];
    });
  }

  function answerOf(copies: readonly Directive[]): Response {
    const directives = copies.map(({ seq, audience, ...rest }) => ({
      ...rest,
      ...(climate.isNumbered ? { seq } : {}),
      ...(climate.isNamed ? { audience } : {}),
    }));
    return new Response(JSON.stringify({ directives }), { headers: { 'content-type': 'application/json' } });
  }

  function deliver(audience: string, envelopes: number): void {
    for (const envelope of streams.get(audience)?.queue.splice(0, envelopes) ?? [])
      dl.ingestEnvelope(envelope);
  }

  async function answered({ commitMs, answerMs, hasSource, ...change }: OwnChange): Promise<Response> {
    await sim.sleep(commitMs);
    const copies = commit(change, hasSource ? dl.clientId() : null);
    await sim.sleep(answerMs);
    return answerOf(copies);
  }

  function begin(step: Step, place: number): void {
    if ('others' in step) commit(step.others, null);
    else if ('deliver' in step) deliver(step.deliver, step.envelopes);
    else if ('read' in step)
      dl.fetchItem('ticket', 1, hasLevels ? 'full' : null, { force: step.read === 'force' });
    else if ('own' in step && step.own.isByHand)
      void answered(step.own).then((answer) => dl.applyResponse(answer));
    else if ('own' in step) {
      const { own } = step;
      sim.route(`POST /${place}`, () => answered(own));
      void dl.fetch(`/${place}`, { method: 'POST' });
    }
  }

  const ref = dl.fetchItem('ticket', 1);
  dl.onRefChange(ref, () => undefined);
  if (hasLevels) dl.fetchItem('ticket', 1, 'full');
  await sim.settled();
  for (const [place, step] of steps.entries()) {
    begin(step, place);
    if ('waitMs' in step) await sim.advance(step.waitMs);
  }
  await sim.advance(500); // Every answer has come.
  for (const audience of climate.followed) deliver(audience, Infinity);
  await sim.settled();
  // An ordinary read: what is held is called fresh if it asks for nothing.
  const { data } = dl.fetchItem('ticket', 1);
  dl.dispose();
  return [{ version: server.version }, data];
}

describe('answers beside their echoes', () => {
  it.each(climates)('D-DIR-9 D-SRC-1 end with the truth: %s', async (_title, climate) => {
    await fc.assert(
      fc.asyncProperty(schedules(climate), async (schedule) => {
        const [truth, shown] = await play(climate, schedule);
        expect(shown).toEqual(truth);
      }),
      parameters(1000),
    );
  });
});

// Arbitrary climates and schedules.

import fc from 'fast-check';
import type { Climate, Step, What } from './world.ts';
import type { Write } from './truth.ts';

const rarely = (rate: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(rate) });

export const climate: fc.Arbitrary<Climate> = fc.record({
  seed: fc.nat(1_000_000),
  clients: fc.integer({ min: 1, max: 3 }),
  latencyMs: fc.constantFrom(0, 30, 400),
  fetchMs: fc.constantFrom(0, 40, 300, 1200),
  failRate: rarely(0.2),
  hangRate: rarely(0.05),
  dropRate: rarely(0.3),
  duplicateRate: rarely(0.2),
  reorderRate: rarely(0.2),
  refetch: fc.constantFrom('held', 'watched'),
  retryFailedMs: fc.constantFrom(0, 700),
  stalenessMs: fc.constantFrom(600_000, 600_000, 3000),
  delayMs: fc.constantFrom(50, 0, 400),
  hasBulk: fc.boolean(),
  itemsAt: fc.constantFrom(null, 'default', 'full'),
  isMemoryTiny: fc.boolean(),
  replay: fc.constantFrom(1000, 2),
  areAnswersNumbered: fc.constantFrom(true, true, false),
  connects: fc.constantFrom('first', 'first', 'meanwhile', 'later'),
});

const client = fc.nat(2);
/** Mostly the same few values, so that steps collide. */
const few = (max: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constant(3) },
    { weight: 2, arbitrary: fc.nat(max) },
  );
const what: fc.Arbitrary<What> = fc.record({
  kind: fc.constantFrom('doc', 'doc', 'doc', 'list', 'list', 'note'),
  at: few(11),
  level: fc.constantFrom(0, 1, 2, 2, 3),
});
const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom(
    'title',
    'title',
    'body',
    'comments',
    'side',
    'side',
    'slim',
    'status',
    'status',
    'list',
    'erase',
    'note',
  ),
  at: few(4),
  style: fc.nat(19),
  listStyle: fc.nat(15),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('watch'), client, what }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('read'),
      client,
      what,
      force: fc.boolean(),
      silent: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unwatch'), client, nth: fc.nat(9) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('write'),
      write,
      by: fc.oneof(
        { weight: 4, arbitrary: fc.constant('other' as const) },
        { weight: 4, arbitrary: client },
        { weight: 1, arbitrary: fc.constant('lost' as const) },
      ),
      answer: fc.constantFrom('body', 'body', 'body', 'header', 'unreadable', 'lost', 'request-lost'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('outage'),
      client,
      how: fc.constantFrom('cut', 'hang', 'offline', 'disconnect', 'hide'),
      ms: fc.integer({ min: 0, max: 12_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('frames'),
      client,
      how: fc.constantFrom('drop', 'duplicate', 'reorder'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('hub'),
      how: fc.constantFrom('kept', 'log-lost', 'clock', 'zero', 'end', 'down'),
      ms: fc.integer({ min: 0, max: 4000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('away'), client, ms: fc.integer({ min: 10, max: 9000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('render'),
      client,
      whats: fc.array(what, { minLength: 1, maxLength: 4 }),
      cursors: fc.constantFrom('all', 'all', 'one', 'none'),
      ms: fc.oneof(fc.nat(300), fc.nat(8000)),
      again: fc.option(fc.nat(4000), { freq: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('register'),
      client,
      how: fc.record({ hasBulk: fc.boolean(), converts: fc.boolean() }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('follow'),
      client,
      audience: fc.constantFrom('global', 'team', 'both', 'both'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      ms: fc.oneof(fc.nat(60), fc.nat(60), fc.nat(300), fc.nat(300), fc.nat(6000)),
    }),
  },
);

/** A request, and a change while it is in flight. */
const race: fc.Arbitrary<Step[]> = fc
  .record({
    client,
    at: few(4),
    what: fc.constantFrom<[level: number, kind: Write['kind']]>(
      [2, 'title'],
      [2, 'comments'],
      [3, 'side'],
      [1, 'body'],
    ),
    ms: fc.oneof(fc.nat(300), fc.nat(1200)),
    style: fc.nat(9),
    isOwn: fc.boolean(),
  })
  .map(({ client: by, at, what: [level, kind], ms, style, isOwn }) => [
    { do: 'read', client: by, what: { kind: 'doc', at, level }, force: true, silent: false },
    { do: 'wait', ms },
    { do: 'write', write: { kind, at, style, listStyle: 0 }, by: isOwn ? by : 'other', answer: 'body' },
  ]);

/** An own change, and requests that start before it reaches the server, which may respond with older data. */
const overtaking: fc.Arbitrary<Step[]> = fc
  .record({
    client,
    at: few(4),
    kind: fc.constantFrom<Write['kind']>('title', 'body', 'comments', 'status', 'slim'),
    levels: fc.array(fc.constantFrom(0, 1, 2, 2, 3), { minLength: 1, maxLength: 3 }),
    ms: fc.nat(40),
    style: fc.nat(19),
  })
  .map(({ client: by, at, kind, levels, ms, style }) => [
    { do: 'write', write: { kind, at, style, listStyle: 0 }, by, answer: 'body' },
    { do: 'wait', ms },
    ...levels.map((level): Step => ({
      do: 'read',
      client: by,
      what: { kind: 'doc', at, level },
      force: true,
      silent: false,
    })),
  ]);

/** Two own changes at the same time. Their responses may arrive in another order than they were sent or committed. */
const twice: fc.Arbitrary<Step[]> = fc
  .record({
    client,
    at: few(4),
    kind: fc.constantFrom<Write['kind']>('title', 'body', 'slim'),
    ms: fc.nat(40),
    style: fc.nat(19),
  })
  .map(({ client: by, at, kind, ms, style }) => {
    const once: Step = { do: 'write', write: { kind, at, style, listStyle: 0 }, by, answer: 'body' };
    return [
      { do: 'watch', client: by, what: { kind: 'doc', at, level: 0 } },
      { do: 'wait', ms: 500 },
      once,
      { do: 'wait', ms },
      once,
      { do: 'wait', ms: 2000 },
    ];
  });

/** A change of an unwatched entry, which is then watched. */
const comeback: fc.Arbitrary<Step[]> = fc
  .record({ client, what, write, ms: fc.nat(600) })
  .map(({ client: by, what: wanted, write: change, ms }) => [
    { do: 'read', client: by, what: wanted, force: false, silent: false },
    { do: 'wait', ms },
    { do: 'write', write: change, by: 'other', answer: 'body' },
    { do: 'wait', ms },
    { do: 'watch', client: by, what: wanted },
  ]);

export const schedule: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: step.map((one): Step[] => [one]) },
      { weight: 1, arbitrary: race },
      { weight: 1, arbitrary: overtaking },
      { weight: 1, arbitrary: twice },
      { weight: 1, arbitrary: comeback },
    ),
    { minLength: 4, maxLength: 45 },
  )
  .map((parts) => parts.flat());

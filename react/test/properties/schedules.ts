// Arbitrary settings and schedules for a screen.

import fc from 'fast-check';
import type { Write } from '../../../core/test/properties/truth.ts';
import type { Part } from './screen.tsx';
import { placeCount, type Climate, type First, type Step } from './world.tsx';

const rarely = (rate: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(rate) });

export const climate: fc.Arbitrary<Climate> = fc.record({
  seed: fc.nat(1_000_000),
  latencyMs: fc.constantFrom(0, 30, 400),
  fetchMs: fc.constantFrom(0, 40, 300, 1200),
  failRate: rarely(0.25),
  dropRate: rarely(0.2),
  refetch: fc.constantFrom('held', 'watched'),
  stalenessMs: fc.constantFrom(600_000, 600_000, 3000, 0),
  delayMs: fc.constantFrom(50, 0, 400),
  hasBulk: fc.boolean(),
  isMemoryTiny: fc.boolean(),
  isStrict: fc.boolean(),
  tickMs: fc.constantFrom(0, 3, 12),
});

const at = fc.nat(placeCount - 1);
const how = fc.constantFrom('urgent', 'urgent', 'transition', 'transition', 'sync');
const often = fc.constantFrom(true, true, true, false);
const seldom = fc.constantFrom(false, false, false, true);
/** Mostly the same few ids, so that steps affect the same entries. */
const id = fc.constantFrom(0, 0, 0, '0', 3, 1);
const args = {
  id,
  level: fc.constantFrom('default', 'default', 'mid', 'full', 'full', 'side'),
  params: fc.constantFrom(undefined, undefined, { status: 'open' }, { status: 'done' }),
  isEnabled: often,
  isSilent: seldom,
  isSelecting: fc.boolean(),
  keepPrevious: fc.boolean(),
  isDeferred: seldom,
} as const;
const kind = fc.constantFrom(
  'item',
  'item',
  'items',
  'list',
  'pages',
  'waiting item',
  'waiting item',
  'waiting list',
);
const part: fc.Arbitrary<Part> = fc.record({ kind, isWhole: fc.boolean(), ...args });

const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom(
    'title',
    'title',
    'body',
    'comments',
    'side',
    'slim',
    'status',
    'status',
    'list',
    'erase',
  ),
  at: fc.constantFrom(0, 0, 0, 3, 1, 2),
  style: fc.nat(19),
  // The styles whose directives reach every page.
  listStyle: fc.constantFrom(0, 5, 6, 7),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('show'), at, part: fc.option(part, { freq: 6 }), how }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('change'), at, some: fc.record(args, { requiredKeys: [] }), how }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hide'), at, how }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move'), at, to: at, how }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('page'),
      at,
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      hasCursors: fc.boolean(),
      ms: fc.oneof(fc.nat(300), fc.nat(5000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave boundary'), at, how }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refresh'), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('next'), at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset layer') }) },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('write'),
      write,
      by: fc.constantFrom('other', 'other', 'other', 'own', 'own', 'lost'),
      answer: fc.constantFrom('body', 'body', 'body', 'header', 'unreadable', 'lost', 'refused'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give up') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('outage'),
      how: fc.constantFrom('cut', 'offline', 'disconnect', 'hide'),
      ms: fc.integer({ min: 0, max: 8000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('frame'), how: fc.constantFrom('drop', 'duplicate', 'reorder') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart'), numbers: fc.constantFrom('kept', 'clock') }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      ms: fc.oneof(fc.constant(0), fc.nat(60), fc.nat(300), fc.nat(300), fc.nat(5000)),
    }),
  },
);

export const schedule: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 4, maxLength: 40 });

export const first: fc.Arbitrary<First> = fc.record({
  parts: fc.oneof(fc.constant([]), fc.array(part, { maxLength: placeCount })),
  ms: fc.oneof(fc.nat(60), fc.nat(3000)),
  write: fc.option(write),
});

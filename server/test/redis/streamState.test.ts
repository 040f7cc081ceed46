import { describe, expect, it } from 'vitest';
import { missedSince, readStreamState } from '../../src/redis/streamState.ts';

/** A reply of Redis with these entries: sequence number, microseconds, microseconds of the previous entry, and the kind. */
const stateOf = (...entries: [seq: number, micros: number, previous: number, kind?: 'new' | 'lost'][]) =>
  readStreamState([
    '0',
    entries.map(([seq, micros, previous, kind]) => [
      `${seq}-${micros}`,
      ['p', String(previous), 'b', '0', kind ?? 'd', kind === undefined ? `payload ${seq}` : '1'],
    ]),
  ]);

describe('a log as Redis contains it', () => {
  it.each([
    ['that is new', stateOf([7, 5000, 0, 'new']), { position: 7, reachSeq: 7, reachAt: 5, emitted: false }],
    ['that was lost', stateOf([7, 5000, 0, 'lost']), { position: 7, reachSeq: 7, reachAt: 6, emitted: true }],
    ['with an entry', stateOf([7, 5000, 0, 'new'], [8, 6000, 5000]), { position: 8, reachSeq: 7, reachAt: 5, emitted: true }],
    ['that was trimmed', stateOf([8, 6000, 5999], [9, 7000, 6000]), { position: 9, reachSeq: 7, reachAt: 6, emitted: true }],
  ])('is complete from the creation, or from the newest entry that is gone: one %s', (_, { view }, expected) => {
    expect(view).toMatchObject(expected);
  }); // prettier-ignore

  it.each([
    ['nothing', stateOf([7, 5000, 4000]), []],
    ['the following entries', stateOf([7, 5000, 4000], [8, 6000, 5000], [9, 7000, 6000]), [8, 9]],
    ['the following entries without its own', stateOf([8, 6000, 5000]), [8]],
  ])('contains what a reader at its position lacks: %s', (_, state, expected) => {
    expect(missedSince({ seq: 7, micros: 5000 }, state)?.map(({ seq }) => seq)).toEqual(expected);
  });

  it.each([
    ['the same number with another time', stateOf([7, 5001, 4000])],
    ['a lower number', stateOf([6, 4000, 3000])],
    ['a gap', stateOf([9, 7000, 6000])],
    ['an entry that follows another one', stateOf([8, 6000, 5001])],
    ['a mark', stateOf([8, 6000, 0, 'lost'])],
  ])('does not continue a position: %s', (_, state) => {
    expect(missedSince({ seq: 7, micros: 5000 }, state)).toBeNull();
  });
});

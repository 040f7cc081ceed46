import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../src/stream/readEnvelope.ts';
import { runs } from '../seed.ts';

const plain = {
  audience: null,
  source: null,
  seq: null,
  directives: [],
  isReplayMiss: false,
  isGreeting: false,
  heartbeatMs: null,
};

describe('an envelope', () => {
  it.each<[name: string, value: unknown, read: unknown]>([
    [
      '§2.3 with all of its fields',
      { type: 'directives', seq: 4, audience: 'a', source: 's', directives: [1] },
      { ...plain, seq: 4, audience: 'a', source: 's', directives: [1] },
    ],
    ['with the type and the list only', { type: 'directives', directives: [] }, plain],
    [
      'with null in every optional field',
      {
        type: 'directives',
        seq: null,
        audience: null,
        source: null,
        directives: [],
        recovered: null,
        heartbeat_ms: null,
      },
      plain,
    ],
    ['D-SSE-6 whose seq is no number', { type: 'directives', seq: '4', directives: [] }, plain],
    ...[NaN, -1, 1.5, 2 ** 53].map((seq): [string, unknown, unknown] => [
      `D-SSE-6 with the unusable number ${seq}`,
      { type: 'directives', seq, directives: [] },
      { ...plain, seq },
    ]),
    [
      'D-SSE-6 with the largest number',
      { type: 'directives', seq: 2 ** 53 - 1, directives: [] },
      { ...plain, seq: 2 ** 53 - 1 },
    ],
    [
      'D-SSE-7 that is a greeting',
      { type: 'directives', seq: 4, directives: [], recovered: true, heartbeat_ms: 9 },
      { ...plain, seq: 4, isGreeting: true, heartbeatMs: 9 },
    ],
    [
      'D-SSE-7 that missed a replay',
      { type: 'directives', seq: 4, directives: [], recovered: false },
      { ...plain, seq: 4, isGreeting: true, isReplayMiss: true },
    ],
    ['D-SSE-5 whose interval is not above 0', { type: 'directives', directives: [], heartbeat_ms: 0 }, plain],
    [
      'D-SSE-11 that says hello',
      { type: 'hello', audience: 'a', last_seq: 4 },
      { ...plain, audience: 'a', seq: 4, isGreeting: true },
    ],
    ['D-SSE-11 of an unknown type', { type: 'weather', directives: 1 }, null],
  ])('%s is read', (_name, value, read) => {
    expect(readEnvelope(value)).toEqual(read);
  });

  it.each([
    ['null', null, '[edict] an envelope must be an object, but it is null.'],
    ['a text', 'directives', '[edict] an envelope must be an object, but it is "directives".'],
    ['a list', [], '[edict] an envelope must be an object, but it is an empty array.'],
    ['a number for a type', { type: 7 }, '[edict] envelope.type must be a string, but it is 7.'],
    ['no list', { type: 'directives' }, '[edict] envelope.directives must be an array, but it is undefined.'],
    [
      'an object for a list',
      { type: 'directives', directives: {} },
      '[edict] envelope.directives must be an array, but it is an object.',
    ],
    [
      'a number for an audience',
      { type: 'directives', audience: 1, directives: [] },
      '[edict] envelope.audience must be a string, but it is 1.',
    ],
  ])('D-SSE-11 with %s is refused with what is wrong', (_name, value, message) => {
    expect(() => readEnvelope(value)).toThrow(new TypeError(message));
  });

  it('D-SSE-11 of any JSON is read or refused with a TypeError', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('directives', 'hello', 'x'),
        fc.boolean(),
        (json, type, isObject) => {
          const value: unknown = isObject ? { ...(json as object), type } : json;
          try {
            const read = readEnvelope(value);
            expect(read === null || Array.isArray(read.directives)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(TypeError);
          }
        },
      ),
      runs(300),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../seed.ts';
import { setup } from './setup.ts';

/** Returns the error that is reported for one envelope, or null. */
function ingest(value: unknown): unknown {
  const { dl, of } = setup();
  dl.ingestEnvelope(value);
  return of('sse:message-error')[0]?.error ?? null;
}

describe('an envelope', () => {
  it.each([
    ['null', null, '[edict] an envelope must be an object, but it is null.'],
    ['a string', 'directives', '[edict] an envelope must be an object, but it is "directives".'],
    ['an array', [], '[edict] an envelope must be an object, but it is an empty array.'],
    ['a number as the type', { type: 7 }, '[edict] envelope.type must be a string, but it is 7.'],
    [
      'no array of directives',
      { type: 'directives' },
      '[edict] envelope.directives must be an array, but it is undefined.',
    ],
    [
      'an object instead of an array',
      { type: 'directives', directives: {} },
      '[edict] envelope.directives must be an array, but it is an object.',
    ],
    [
      'a number as the audience',
      { type: 'directives', audience: 1, directives: [] },
      '[edict] envelope.audience must be a string, but it is 1.',
    ],
  ])('D-SSE-11 with %s is rejected with the reason', (_name, value, message) => {
    expect(ingest(value)).toEqual(new TypeError(message));
  });

  it('D-SSE-11 of any JSON is read or rejected with a TypeError, and does not throw', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('directives', 'hello', 'x'),
        fc.boolean(),
        (json, type, isObject) => {
          const value: unknown = isObject ? { ...(json as object), type } : json;
          const error = ingest(value);
          expect(error === null || error instanceof TypeError).toBe(true);
        },
      ),
      runs(300),
    );
  });
});

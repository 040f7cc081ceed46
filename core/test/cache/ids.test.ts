import { describe, expect, it } from 'vitest';
import { idKey } from '../../src/cache/ids.ts';

describe('D-REG-5 the key of an id', () => {
  it.each([
    [42, '42'],
    [0, '0'],
    [-7, '-7'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [1.5, '1.5'],
    [1e21, '1e+21'],
  ])('is the same for the number %s and the text "%s"', (number, text) => {
    expect(idKey(number)).toBe(idKey(text));
  });

  it.each([
    ['7', '07'],
    ['7', '7.0'],
    ['7', ' 7'],
    ['', '0'],
    ['1e3', '1000'],
    ['9007199254740993', '9007199254740992'],
    ['constructor', '__proto__'],
  ])('differs for "%s" and "%s"', (one, other) => {
    expect(idKey(one)).not.toBe(idKey(other));
  });
});

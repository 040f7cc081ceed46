import { runInNewContext } from 'node:vm';
import { escapeState } from '@edict/core/hydration';
import { describe, expect, it } from 'vitest';
import { itemState } from './setup.ts';

describe('D-REACT-10 escapeState', () => {
  const evaluated = (text: string): unknown => JSON.parse(JSON.stringify(runInNewContext(`(${text})`)));

  it.each(['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', '"\\\u003c', '\ud800'])(
    'returns the state as JSON and as an expression without <: %j',
    (text) => {
      const state = itemState('doc', { data: { [text]: text } });
      const escaped = escapeState(state);
      expect(escaped).not.toMatch(/[<\u2028\u2029]/);
      expect([JSON.parse(escaped), evaluated(escaped)]).toEqual([state, state]);
    },
  );

  it('names itself when the state is missing', () => {
    expect(() => escapeState(undefined as never)).toThrow(
      new TypeError('[edict] escapeState: the state must be an object, but it is undefined.'),
    );
  });

  it('sets no prototype', () => {
    const data: unknown = JSON.parse('{"a":1,"__proto__":{"isAdmin":true}}');
    const escaped = escapeState(itemState('doc', { data }));
    expect(runInNewContext(`(${escaped}).items[0].payloads[0].data.isAdmin`)).toBe(undefined);
    expect(evaluated(escaped)).toEqual(itemState('doc', { data: { a: 1 } }));
  });
});

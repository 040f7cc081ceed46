import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { directiveRequest, directivesHeader } from '../../src/index.ts';

const wish = 'send me directives';

describe('directiveRequest', () => {
  it.each([
    [
      'both headers',
      { 'X-Service-Client-ID': 'me', 'X-Service-Directive-Request': wish },
      { clientId: 'me', wantsDirectives: true },
    ],
    ['a request without headers', {}, { clientId: null, wantsDirectives: false }],
    [
      'another value of the request header',
      { 'X-Service-Directive-Request': 'yes' },
      { clientId: null, wantsDirectives: false },
    ],
    [
      'the longest id',
      { 'X-Service-Client-ID': 'x'.repeat(128) },
      { clientId: 'x'.repeat(128), wantsDirectives: false },
    ],
    [
      'D-HUB-9 an id that is too long',
      { 'X-Service-Client-ID': 'x'.repeat(129) },
      { clientId: null, wantsDirectives: false },
    ],
    ['D-HUB-9 an empty id', { 'X-Service-Client-ID': '' }, { clientId: null, wantsDirectives: false }],
    [
      'D-HUB-9 a control character',
      { 'X-Service-Client-ID': 'a\u0085b' },
      { clientId: null, wantsDirectives: false },
    ],
  ])('reads %s on both platforms', (_, headers: Record<string, string>, expected) => {
    expect(directiveRequest(new Request('http://x.test/', { headers }))).toEqual(expected);
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(directiveRequest({ headers: lower } as unknown as IncomingMessage)).toEqual(expected); // It only reads the headers.
  });
});

describe('an invalid argument', () => {
  it.each([[undefined], [null], [5], [{}], [{ raw: new Request('http://x.test/') }]])(
    'is named by directiveRequest, with what to pass instead: %o',
    (given) => {
      expect(() => directiveRequest(given as never)).toThrow(
        /^\[edict\] directiveRequest: the request must be an IncomingMessage or a Request \(c\.req\.raw of Hono\), not /,
      );
    },
  );

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [{ op: 'force_reload_page' }, 'an object'],
    [Promise.resolve([]), 'a promise (await it)'],
  ])('is named by directivesHeader: %o', (given, shown) => {
    expect(() => directivesHeader(given as never)).toThrow(
      new TypeError(`[edict] directivesHeader: directives must be an array, not ${shown}.`),
    );
  });
});

describe('directivesHeader', () => {
  it('throws with the path of a part that has no JSON form', () => {
    expect(() => directivesHeader([{ result: { total: 1n } }])).toThrow(
      new TypeError(
        '[edict] directivesHeader: directives[0].result.total has no JSON form, because it is a bigint.',
      ),
    );
  });

  it('D-HUB-9 returns printable ASCII that parses to the same directives', () => {
    const directives = [{ op: 'refresh_item', name: 'tïcket', id: '𝄞\u007f\u0000\r\n', result: '"\\u00e9"' }];
    const value = directivesHeader(directives);
    expect(value).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(value ?? '')).toEqual(directives);
    expect(new Headers({ 'X-Service-Directives': value ?? '' }).get('x-service-directives')).toBe(value);
  });

  it('D-HUB-9 returns null above 4 KiB, measured in the escaped form that is sent', () => {
    const withText = (text: string): string | null => directivesHeader([text]);
    expect(withText('x'.repeat(4092))).toHaveLength(4096);
    expect(withText('x'.repeat(4093))).toBeNull();
    expect(withText('ü'.repeat(682))).toHaveLength(4096);
    expect(withText('ü'.repeat(683))).toBeNull();
  });
});

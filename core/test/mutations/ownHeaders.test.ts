// The client id and the request for directives: which requests have these headers.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Stage, createStage, untyped } from '../world.ts';

describe('§4.1 D-SRC-3 the headers of a mutation', () => {
  const sent = (stage: Stage): (string | null)[] => {
    const headers = stage.sim.requests.findLast(({ isStream }) => !isStream)?.headers;
    return [headers?.get('x-service-client-id') ?? null, headers?.get('x-service-directive-request') ?? null];
  };
  const post = async (stage: Stage, url: string): Promise<(string | null)[]> => {
    await Promise.all([stage.dl.fetch(url, { method: 'POST' }), stage.sim.advance(10)]);
    return sent(stage);
  };
  const mine = ({ dl }: Stage): string[] => [dl.clientId(), 'send me directives'];

  it.each([
    ['another host', 'https://elsewhere.test/x'],
    ['another scheme', 'http://app.test/x'],
    ['another port', 'https://app.test:8443/x'],
    ['a relative scheme', '//elsewhere.test/x'],
    ['a host that starts with the own host', 'https://app.test.evil.test/x'],
  ])('are not sent to %s', async (_title, url) => {
    expect(await post(createStage(), url)).toEqual([null, null]);
  });

  it('are sent to the own origin', async () => {
    const stage = createStage();
    expect(await post(stage, '/x')).toEqual(mine(stage));
    expect(await post(stage, 'https://app.test/x')).toEqual(mine(stage));
  });

  it('are sent only to relative URLs if no origin is known', async () => {
    const stage = createStage({ env: () => ({ origin: () => null }) });
    expect(await post(stage, '/x')).toEqual(mine(stage));
    expect(await post(stage, 'https://app.test/x')).toEqual([null, null]);
  });

  it('are sent to relative URLs if a test set up a document and no location', async () => {
    vi.stubGlobal('document', { baseURI: 'https://elsewhere.test/' });
    onTestFinished(() => void vi.unstubAllGlobals());
    const stage = createStage({ env: () => ({ origin: () => null }) });
    expect(await post(stage, '/x')).toEqual(mine(stage));
    expect(await post(stage, 'https://elsewhere.test/x')).toEqual([null, null]);
  });

  it('are sent to the origins in fetchOrigins', async () => {
    const stage = createStage({ init: { sse: { enabled: false }, fetchOrigins: ['https://api.test'] } });
    expect(await post(stage, 'https://api.test/x')).toEqual(mine(stage));
    expect(await post(stage, '//api.test/x')).toEqual(mine(stage)); // The scheme is that of the page.
    expect(await post(stage, '//api2.test/x')).toEqual([null, null]);
    expect(await post(stage, 'https://api2.test/x')).toEqual([null, null]);
  });

  it('are sent to the origin of sse.baseUrl outside a browser', async () => {
    const init = { sse: { enabled: false, baseUrl: 'https://app.test' } };
    const stage = createStage({ isBrowser: false, init });
    expect(await post(stage, 'https://app.test/x')).toEqual(mine(stage));
    expect(await post(stage, 'https://other.test/x')).toEqual([null, null]);
  });

  it.each<[string, RequestInit['headers'], object]>([
    ['an object', { 'x-mine': '1' }, { 'x-mine': '1' }],
    [
      'a list with repeated names',
      [
        ['X-Mine', '1'],
        ['x-mine', '2'],
      ],
      { 'x-mine': '1, 2' },
    ],
    ['Headers', new Headers({ 'X-Mine': '1' }), { 'x-mine': '1' }],
    ['a header of the same name', { 'x-service-client-id': 'other' }, {}],
    ['nothing', undefined, {}],
    ['null', untyped(null), {}],
    ['a number', untyped(5), {}],
  ])('directiveHeaders adds them to %s', (_title, extra, expected) => {
    const { dl } = createStage();
    expect(dl.directiveHeaders(extra)).toEqual({
      ...expected,
      'X-Service-Client-ID': dl.clientId(),
      'X-Service-Directive-Request': 'send me directives',
    });
  });
});

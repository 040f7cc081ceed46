import { describe, expect, it } from 'vitest';
import { createSimulation } from '@edict/core/testing';
import type { Simulation } from '@edict/core/testing';
import { untyped } from '../world.ts';

describe('an option', () => {
  it.each<[object, string]>([
    [{ sed: 7 }, 'sed is not an option. Use one of: isBrowser, seed, startAt,'],
    [untyped(null), 'the options must be an object, but they are null.'],
    [untyped(7), 'the options must be an object, but they are 7.'],
    [{ seed: '7' }, 'seed must be of type number, not string.'],
    [{ seed: Number.NaN }, 'seed must be of type number, not NaN.'],
    [{ startAt: '2026-01-01' }, 'startAt must be of type number, not string.'],
    [
      { origin: 'app.test' },
      'origin must be a scheme and a host, such as "https://app.test", but it is "app.test".',
    ],
    [
      { origin: 'https://app.test/' },
      'origin must be a scheme and a host, such as "https://app.test", but it is',
    ],
    [{ streamPath: 'events' }, 'streamPath must begin with /, but it is "events".'],
    [{ params: { client: 'id' } }, 'params.client is not an option. Use one of: clientId, audience.'],
    [
      { replay: { maxEnvelope: 5 } },
      'replay.maxEnvelope is not an option. Use one of: maxEnvelopes, maxAgeMs.',
    ],
  ])('of a simulation that is misspelled or wrong throws a TypeError: %j', (options, message) => {
    expect(() => createSimulation(options)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringContaining(`[edict] createSimulation: ${message}`) as string,
      }),
    );
  });

  it('of a route without a handler throws a TypeError', () => {
    expect(() => createSimulation().route('GET /tickets', untyped([]))).toThrow(
      new TypeError(
        '[edict] Simulation: the handler of route "GET /tickets" must be a function. Pass one that returns the response.',
      ),
    );
  });

  it('of a client that is misspelled throws a TypeError', () => {
    const options: object = { isBrowse: false };
    expect(() => createSimulation().createClient(options)).toThrow(
      '[edict] createClient: isBrowse is not an option. Use one of: isBrowser.',
    );
  });

  it.each<[string, (sim: Simulation) => void]>([
    [
      'link.rates: drip is not an option. Use one of: drop, duplicate, reorder.',
      ({ link }) => link.rates(untyped({ drip: 1 })),
    ],
    [
      'link.rates: drop must be of type number, not string.',
      ({ link }) => link.rates(untyped({ drop: '1' })),
    ],
    ['hub.refuse: the options must be an object, but they are 503.', ({ hub }) => hub.refuse(untyped(503))],
    [
      'hub.refuse: count must be of type number, not string.',
      ({ hub }) => hub.refuse(untyped({ status: 503, count: '1' })),
    ],
    [
      'hub.start: number is not an option. Use one of: numbers, log.',
      ({ hub }) => hub.restart(untyped({ number: 'kept' })),
    ],
  ])('of a part that is misspelled or wrong throws a TypeError: %s', (message, act) => {
    expect(() => act(createSimulation())).toThrow(new TypeError(`[edict] ${message}`));
  });
});

import { describe, expect, it } from 'vitest';
import { createHub, memoryBackplane, type HubOptions } from '../src/index.ts';

/** Passes a value as an untyped caller might. */
const untyped = (value: unknown): HubOptions => value as HubOptions;

describe('createHub', () => {
  it.each([
    ['heartbeatMs', { heartbeatMs: 0 }],
    ['heartbeatMs', { heartbeatMs: '15s' }],
    ['maxAgeMs', { maxAgeMs: Number.NaN }],
    ['maxAgeMs', { maxAgeMs: 2 ** 31 }],
    ['replay', { replay: 5 }],
    ['replay', { replay: null }],
    ['params', { params: null }],
    ['replay.maxEnvelopes', { replay: { maxEnvelopes: 1.5 } }],
    ['replay.maxAgeMs', { replay: { maxAgeMs: -1 } }],
    ['replay.maxBytes', { replay: { maxBytes: Infinity } }],
    ['limits.maxConnections', { limits: { maxConnections: 0 } }],
    ['limits.maxConnectionsPerClient', { limits: { maxConnectionsPerClient: null } }],
    ['limits.stallMs', { limits: { stallMs: 'long' } }],
    ['limits.maxConnectionsPerKey', { connectionKey: () => 'a', limits: { maxConnectionsPerKey: 0 } }],
    [
      'limits.maxConnectionsPerKey has no effect without connectionKey',
      { limits: { maxConnectionsPerKey: 5 } },
    ],
    ['limits.maxConnectsPerMinutePerKey has no effect', { limits: { maxConnectsPerMinutePerKey: 5 } }],
    ['connectionKey', { connectionKey: 'ip' }],
    ['admin', { admin: true }],
    ['limits.maxDirectivesPerEnvelope', { limits: { maxDirectivesPerEnvelope: 10_001 } }],
    ['limits.maxStreams', { limits: { maxStreams: 5 } }],
    ['params.clientId', { params: { clientId: '' } }],
    ['params.clientId', { params: { clientId: null } }],
    ['params.audience', { params: { clientId: 'x', audience: 'x' } }],
    ['params.audience', { params: { audience: 'last_seq' } }],
    ['params.clientId', { params: { clientId: 'since_ms' } }],
    ['authorize', { authorize: true }],
    ['backplane', { backplane: {} }],
    ['backplane', { backplane: null }],
    ['such as memoryBackplane(), not a function', { backplane: memoryBackplane }],
    ['log', { log: 'console' }],
    ['cors.origin', { cors: {} }],
    ['not 5', { cors: { origin: ['https://a.test', 5] } }],
    ['not "https://b.test/"', { cors: { origin: ['https://a.test', 'https://b.test/'] } }],
    ['cors.origin', { cors: { origin: '' } }],
    ['cors.origin', { cors: { origin: 'https://a.test/' } }],
    ['cors.origin', { cors: { origin: 'https://A.test' } }],
    ['cors.origin', { cors: { origin: 'a.test' } }],
    ['cors.origin', { cors: { origin: 'https://a.test:443' } }],
    ['cors.origin', { cors: { origin: 'https://bücher.test' } }],
    ['cors.origin', { cors: { origin: 'https://*.a.test' } }],
    ['cors.credentials', { cors: { origin: 'https://a.test', credentials: 'yes' } }],
    ['cors.credentials', { cors: { origin: 'https://a.test', credentials: null } }],
    ['heartbeat', { heartbeat: 15 }],
    ['options', null],
    ['options must be an object, not a promise (await it)', Promise.resolve({})],
  ])('D-HUB-1 throws a TypeError that names %s: %j', (name, options) => {
    expect(() => createHub(untyped(options))).toThrow(TypeError);
    expect(() => createHub(untyped(options))).toThrow(name);
  });

  it.each([['*'], ['null'], [['https://a.test', '*']], [['https://a.test', 'null']]])(
    'D-HUB-2 does not allow the origin %j together with credentials',
    (origin) => {
      expect(() => createHub({ cors: { origin, credentials: true } })).toThrow(TypeError);
      expect(() => createHub({ cors: { origin, credentials: true } })).toThrow('cors.origin');
      expect(() => createHub({ cors: { origin } })).not.toThrow();
    },
  );

  it.each(['https://a.test', 'http://[::1]:8080', 'capacitor://localhost'])(
    'accepts the origin %s',
    (origin) => {
      expect(() => createHub({ cors: { origin, credentials: true } })).not.toThrow();
    },
  );

  it('treats undefined as an omitted option', () => {
    expect(() =>
      createHub(untyped({ heartbeatMs: undefined, replay: undefined, limits: { stallMs: undefined } })),
    ).not.toThrow();
  });
});

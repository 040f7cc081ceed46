// The options of a hub: types, defaults, and checks (D-HUB-1). The checks are pure.

import {
  AUDIENCE_PARAM,
  CLIENT_ID_PARAM,
  LAST_SEQ_PARAM,
  maxDirectives,
  SINCE_MS_PARAM,
} from '@edict/core/protocol';
import { readMaxDirectives } from './emit/directiveList.ts';
import type { LogLevel } from './env.ts';
import type { Backplane, ReplayLimits } from './log/backplane.ts';
import { countOr, durationOr, functionOrNone, membersOf, wrong } from './optionErrors.ts';

/** Request headers by lower-case name. `get(name)` works like that of `Headers` on every platform. */
export type RequestHeaders = Readonly<Record<string, string | undefined>> & {
  /** Returns the header with this name in any case, or null. */
  readonly get: (name: string) => string | null;
};

/**
 * A request, as `authorize` and `connectionKey` receive it. All calls for one request receive the same object, so a lookup for one
 * audience can be cached for the others (for example in a `WeakMap`).
 */
export interface AuthorizeRequest {
  /** For example `headers.get('cookie')`. */
  readonly headers: RequestHeaders;
  /** The absolute URL with the query. It is built from what the client sent (`Host`), so do not trust it. */
  readonly url: string;
  /** The platform's own object: an `IncomingMessage` or a `Request`. */
  readonly raw: unknown;
}

/** What `authorize` decides about. */
export interface AuthorizeAsk {
  /** The audience that the client wants to subscribe to. */
  readonly audience: string;
  /**
   * The client id, exactly as the client sent it. It proves nothing about the client. Null if the client sent
   * none.
   */
  readonly clientId: string | null;
}

/**
 * A result of `authorize`. `true` admits, `false` refuses with 403, `'unauthenticated'` refuses with 401. An object admits when it has
 * at least one of these fields and only valid ones. Every other value is refused with 403, and an error is logged.
 */
export type Authorization =
  | boolean
  | 'unauthenticated'
  | {
      /**
       * The time at which the stream ends, in milliseconds since the epoch. A time in the past refuses with 403.
       */
      expiresAt?: number;
      /** The id of the user, for `hub.disconnect({ user })` and for the limit per client. 1 to 128 characters. */
      user?: string;
    };

/** Options of `createHub`. An invalid option causes a `TypeError` that names it. */
export interface HubOptions {
  /** Where sequence numbers and logs are stored. Default `memoryBackplane()`, which serves one process. */
  backplane?: Backplane | undefined;
  /**
   * Decides whether a request may subscribe to an audience. It is called for every audience, `global` included. Without it, only
   * `global` is allowed. If it throws, or takes longer than 10 s, the response is 503 with `Retry-After` and the client tries again.
   */
  authorize?:
    | ((request: AuthorizeRequest, ask: AuthorizeAsk) => Authorization | Promise<Authorization>)
    | undefined;
  /**
   * Groups requests for `limits.maxConnectionsPerKey` and `limits.maxConnectsPerMinutePerKey`, for example by IP address or tenant. It
   * runs before `authorize`. Return null for "no limit". Replays are limited too: to 16 times `replay.maxBytes` a minute for
   * each key. Without this option, that limit applies to each user and client id.
   */
  connectionKey?: ((request: AuthorizeRequest) => string | null) | undefined;
  /** An audience of a connection that received no frame for this time gets a heartbeat. Milliseconds, default 15000. */
  heartbeatMs?: number | undefined;
  /** How long a connection may live, spread by ± 20 %. Milliseconds, default 900000 (15 min). */
  maxAgeMs?: number | undefined;
  /** The log that is kept of each audience for clients that reconnect. The first limit that is reached applies. */
  replay?:
    | {
        /** Number of envelopes. Default 1000. */
        maxEnvelopes?: number | undefined;
        /** Age in milliseconds. Default 300000 (5 min). */
        maxAgeMs?: number | undefined;
        /** Bytes of the payloads. Default 1048576 (1 MiB). */
        maxBytes?: number | undefined;
      }
    | undefined;
  /** Limits per client and per process. */
  limits?:
    | {
        /** Open streams of this process. More are refused with 503. Default 50000. */
        maxConnections?: number | undefined;
        /** Open streams of one user and client id. One more ends the oldest of them. Default 8. */
        maxConnectionsPerClient?: number | undefined;
        /** Open streams with one `connectionKey`. More are refused with 429. Default: no limit. */
        maxConnectionsPerKey?: number | undefined;
        /**
         * Stream requests per minute with one `connectionKey`, including refused ones. More are refused with 429.
         * Default: no limit.
         */
        maxConnectsPerMinutePerKey?: number | undefined;
        /** Audiences of one stream. More are refused with 400. Default 32. */
        maxAudiencesPerConnection?: number | undefined;
        /** Bytes of one envelope. `emit` rejects a larger one. Default 65536 (64 KiB). */
        maxEnvelopeBytes?: number | undefined;
        /**
         * Directives in one list, including targets. Default and maximum 10000, because clients drop a longer
         * list.
         */
        maxDirectivesPerEnvelope?: number | undefined;
        /** A socket that stays full for this time is destroyed. Milliseconds, default 60000. */
        stallMs?: number | undefined;
      }
    | undefined;
  /** Names of the query parameters of the stream. The client must be configured with the same names. */
  params?:
    | {
        /** Default `client_id`. */
        clientId?: string | undefined;
        /** Default `audience`. */
        audience?: string | undefined;
      }
    | undefined;
  /** The other origins that may read the stream. Default: none. */
  cors?:
    | {
        /** The allowed origins: one such as `https://app.example.com`, a list of origins, or `'*'`. */
        origin: string | string[];
        /** Whether requests may carry cookies. Default false. Cannot be combined with the origins `'*'` and `'null'`. */
        credentials?: boolean | undefined;
      }
    | undefined;
  /**
   * Checks a request to `hub.adminHandler`, for example for an administrator's session. Only the result `true`
   * admits the request. Without this option, `hub.adminHandler` always responds with 404.
   */
  admin?: ((request: AuthorizeRequest) => boolean | Promise<boolean>) | undefined;
  /** Receives warnings and errors instead of the console. May be async. */
  log?: ((level: LogLevel, message: string, detail?: unknown) => void | Promise<void>) | undefined;
}

/** Limits with defaults. `Infinity` means no limit. */
export type HubLimits = { readonly [K in keyof NonNullable<HubOptions['limits']>]-?: number };

/** Options with defaults. */
export interface HubSettings {
  readonly heartbeatMs: number;
  readonly maxAgeMs: number;
  readonly replay: ReplayLimits;
  readonly limits: HubLimits;
  readonly params: { readonly clientId: string; readonly audience: string };
  readonly cors: { readonly origins: ReadonlySet<string>; readonly credentials: boolean } | null;
  readonly authorize: HubOptions['authorize'];
  readonly connectionKey: HubOptions['connectionKey'];
  readonly admin: HubOptions['admin'];
}

const caller = 'createHub';

const optionNames = [
  'backplane',
  'authorize',
  'connectionKey',
  'heartbeatMs',
  'maxAgeMs',
  'replay',
  'limits',
  'params',
  'cors',
  'admin',
  'log',
];

const callbacks = ['authorize', 'connectionKey', 'admin', 'log'];

const defaults = {
  replay: { maxEnvelopes: 1000, maxAgeMs: 300_000, maxBytes: 1_048_576 },
  limits: {
    maxConnections: 50_000,
    maxConnectionsPerClient: 8,
    maxConnectionsPerKey: Infinity,
    maxConnectsPerMinutePerKey: Infinity,
    maxAudiencesPerConnection: 32,
    maxEnvelopeBytes: 65_536,
    maxDirectivesPerEnvelope: maxDirectives,
    stallMs: 60_000,
  },
} as const;

/** Checks options and adds the defaults. Throws a `TypeError` that names the invalid option. */
export function readOptions(options: HubOptions): HubSettings {
  const given = membersOf(options, optionNames, caller);
  for (const name of callbacks) functionOrNone(`${caller}: ${name}`, given[name]);
  const backplane = given['backplane'];
  if (backplane !== undefined && !hasConnect(backplane)) {
    throw broken('backplane', 'a backplane, such as memoryBackplane()', backplane);
  }
  return {
    heartbeatMs: durationOr(15_000, `${caller}: heartbeatMs`, given['heartbeatMs']),
    maxAgeMs: durationOr(900_000, `${caller}: maxAgeMs`, given['maxAgeMs']),
    replay: readNumbers('replay', defaults.replay, given['replay']),
    limits: hubLimits(given['limits'], options.connectionKey !== undefined),
    params: paramNames(given['params']),
    cors: corsSettings(given['cors']),
    authorize: options.authorize,
    connectionKey: options.connectionKey,
    admin: options.admin,
  };
}

function hubLimits(value: unknown, hasKey: boolean): HubLimits {
  const limits = readNumbers('limits', defaults.limits, value);
  for (const name of ['maxConnectionsPerKey', 'maxConnectsPerMinutePerKey'] as const) {
    if (!hasKey && limits[name] < Infinity)
      throw new TypeError(
        `[edict] ${caller}: limits.${name} has no effect without connectionKey. Pass connectionKey: (request) => string | null.`,
      );
  }
  readMaxDirectives(`${caller}: limits.maxDirectivesPerEnvelope`, limits.maxDirectivesPerEnvelope);
  return limits;
}

function hasConnect(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
  );
}

function paramNames(value: unknown = {}): HubSettings['params'] {
  const given = membersOf(value, ['clientId', 'audience'], caller, 'params');
  const name = (key: string, standard: string): string => {
    const { [key]: named = standard } = given;
    if (typeof named !== 'string' || named === '')
      throw broken(`params.${key}`, 'the name of a query parameter', named);
    return named;
  };
  const params = { clientId: name('clientId', CLIENT_ID_PARAM), audience: name('audience', AUDIENCE_PARAM) };
  if (params.clientId === params.audience)
    throw broken('params.audience', 'another name than params.clientId', params.audience);
  for (const [key, named] of Object.entries(params)) {
    if (named === LAST_SEQ_PARAM || named === SINCE_MS_PARAM)
      throw broken(`params.${key}`, 'another name than the hub uses itself', named);
  }
  return params;
}

/**
 * Only the form that a browser sends is accepted, because origins are compared as text: no path, no default port, and an encoded domain. Mobile
 * app shells have schemes such as `capacitor://`.
 */
function isOrigin(value: unknown): value is string {
  if (value === '*' || value === 'null') return true;
  if (typeof value !== 'string' || value.includes('*') || !URL.canParse(value)) return false;
  const { protocol, host } = new URL(value);
  return host !== '' && value === `${protocol}//${host}`;
}

function corsSettings(value: unknown): HubSettings['cors'] {
  if (value === undefined) return null;
  const { origin: allowed, credentials = false } = membersOf(
    value,
    ['origin', 'credentials'],
    caller,
    'cors',
  );
  const origins = [allowed].flat().map((origin): string => {
    if (isOrigin(origin)) return origin;
    const rule = 'an origin as browsers send it, such as "https://example.com", or a list of them';
    throw broken('cors.origin', rule, origin);
  });
  if (typeof credentials !== 'boolean') throw broken('cors.credentials', 'true or false', credentials);
  // Browsers refuse `*` with cookies. Any page can have the origin `null`, for example in a sandboxed frame.
  const open = origins.find((origin) => origin === '*' || origin === 'null');
  if (credentials && open !== undefined)
    throw broken('cors.origin', 'a list of origins when cors.credentials is true', open);
  return { origins: new Set(origins), credentials };
}

function readNumbers<T extends Readonly<Record<string, number>>>(
  name: string,
  standards: T,
  value: unknown = {},
): { [K in keyof T]: number } {
  const given = membersOf(value, Object.keys(standards), caller, name);
  const read = Object.entries(standards).map(([key, standard]): [string, number] => [
    key,
    (key.endsWith('Ms') ? durationOr : countOr)(standard, `${caller}: ${name}.${key}`, given[key]),
  ]);
  return Object.fromEntries(read) as { [K in keyof T]: number }; // The keys are those of `standards`.
}

const broken = (name: string, rule: string, value: unknown): TypeError =>
  wrong(`${caller}: ${name}`, rule, value);

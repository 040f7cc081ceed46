// Options of a hub: types, defaults, checks (D-HUB-1). The checks are pure.

import {
  AUDIENCE_PARAM,
  CLIENT_ID_PARAM,
  LAST_SEQ_PARAM,
  maxDirectives,
  SINCE_MS_PARAM,
} from '@edict/core/protocol';
import type { Backplane, ReplayLimits } from './log/backplane.ts';
import { readMaxDirectives } from './emit/directiveList.ts';
import type { LogLevel } from './env.ts';
import { countOr, durationOr, functionOrNone, membersOf, wrong } from './optionErrors.ts';

/** Request headers by lower-case name. `get(name)` works as that of `Headers`, whatever the platform. */
export type RequestHeaders = Readonly<Record<string, string | undefined>> & {
  /** By name in any case; null where there is none. */
  readonly get: (name: string) => string | null;
};

/** What `authorize` is told of a request; the same object for each of its audiences, so that what is looked up for one can be kept for all. */
export interface AuthorizeRequest {
  /** Such as `headers.cookie` or `headers.get('authorization')`. */
  readonly headers: RequestHeaders;
  /** Absolute, with the query. Of `Host`, or as sent where the target of the request is a whole URL: nothing to trust. */
  readonly url: string;
  /** The platform's own object: an `IncomingMessage` or a `Request`. */
  readonly raw: unknown;
}

/** What `authorize` is asked. */
export interface AuthorizeAsk {
  /** What it wants to hear. */
  readonly audience: string;
  /** As sent, and nothing more than that: no identity. Null where none was. */
  readonly clientId: string | null;
}

/** An answer of `authorize`: no, yes, or yes until a moment (milliseconds since the epoch). */
export type AuthorizeAnswer =
  | boolean
  | {
      /** Milliseconds since the epoch, when the stream ends; in the past it is a refusal. Without it this is a plain yes. */
      expiresAt?: number | undefined;
    };

/** Options of `createHub`. Wrong ones are a `TypeError` that names the option. */
export interface HubOptions {
  /** Where numbers and logs live. Default `memoryBackplane()`: one process. */
  backplane?: Backplane | undefined;
  /**
   * Whether a request may subscribe to an audience; asked for every audience, and the only way to any but `global` (D-HUB-2).
   * An `expiresAt` ends the stream at that moment; the client comes back and is asked again. A throw refuses, 10 s without an answer too.
   */
  authorize?:
    | ((request: AuthorizeRequest, ask: AuthorizeAsk) => AuthorizeAnswer | Promise<AuthorizeAnswer>)
    | undefined;
  /** An audience that was silent on a connection for this long gets a heartbeat. Milliseconds, default 15000. */
  heartbeatMs?: number | undefined;
  /** How long a connection lives, spread by ± 20 %. Milliseconds, default 900000 (15 min). */
  maxAgeMs?: number | undefined;
  /** What is kept of each audience, for clients that come back; the first limit that is reached counts (D-HUB-3). */
  replay?:
    | {
        /** Envelopes. Default 1000. */
        maxEnvelopes?: number | undefined;
        /** How old they may be. Milliseconds, default 300000 (5 min). */
        maxAgeMs?: number | undefined;
        /** Bytes of their payloads. Default 1048576 (1 MiB). */
        maxBytes?: number | undefined;
      }
    | undefined;
  /** What a client, or all of them, may take up. */
  limits?:
    | {
        /** Streams in all, those being authorised included; more are refused with 503. Default 50000. */
        maxConnections?: number | undefined;
        /** Streams of one client id; more are refused with 429. Default 8. */
        maxConnectionsPerClient?: number | undefined;
        /** Audiences of one stream; more are refused with 400. Default 32. */
        maxAudiencesPerConnection?: number | undefined;
        /** Bytes of one envelope; `emit` rejects a larger one. Default 65536 (64 KiB). */
        maxEnvelopeBytes?: number | undefined;
        /** Directives in one list, targets included. Default 10000, which is also the most that clients take. */
        maxDirectivesPerEnvelope?: number | undefined;
        /** A socket that stays full for this long is destroyed. Milliseconds, default 60000. */
        stallMs?: number | undefined;
      }
    | undefined;
  /** Names of the stream's query parameters, as clients are configured too. */
  params?:
    | {
        /** Default `client_id`. */
        clientId?: string | undefined;
        /** Default `audience`. */
        audience?: string | undefined;
      }
    | undefined;
  /** Which other origins may read the stream. Default: none. `'*'` cannot be combined with `credentials`. */
  cors?:
    | {
        /** Such as `https://app.example.com`, a list of such, or `'*'`. */
        origin: string | string[];
        /** Whether their cookies count. Default false. */
        credentials?: boolean | undefined;
      }
    | undefined;
  /** Takes what an operator should know, instead of the console. */
  log?: ((level: LogLevel, message: string, detail?: unknown) => void) | undefined;
}

/** Limits with their defaults filled in. */
export type HubLimits = { readonly [K in keyof NonNullable<HubOptions['limits']>]-?: number };

/** Options with their defaults filled in. */
export interface HubSettings {
  readonly heartbeatMs: number;
  readonly maxAgeMs: number;
  readonly replay: ReplayLimits;
  readonly limits: HubLimits;
  readonly params: { readonly clientId: string; readonly audience: string };
  readonly cors: { readonly origins: ReadonlySet<string>; readonly credentials: boolean } | null;
  readonly authorize: HubOptions['authorize'];
}

const caller = 'createHub';

const known = {
  options: ['backplane', 'authorize', 'heartbeatMs', 'maxAgeMs', 'replay', 'limits', 'params', 'cors', 'log'],
  replay: { maxEnvelopes: 1000, maxAgeMs: 300_000, maxBytes: 1_048_576 },
  limits: {
    maxConnections: 50_000,
    maxConnectionsPerClient: 8,
    maxAudiencesPerConnection: 32,
    maxEnvelopeBytes: 65_536,
    maxDirectivesPerEnvelope: maxDirectives,
    stallMs: 60_000,
  },
} as const;

/** Checks options and fills in the defaults. Throws a `TypeError` that names the wrong option. */
export function readOptions(options: HubOptions): HubSettings {
  const given = membersOf(options, known.options, caller);
  for (const name of ['authorize', 'log']) functionOrNone(`${caller}: ${name}`, given[name]);
  const backplane = given['backplane'];
  if (backplane !== undefined && !hasConnect(backplane)) {
    throw broken('backplane', 'a backplane, such as memoryBackplane()', backplane);
  }
  return {
    heartbeatMs: durationOr(15_000, `${caller}: heartbeatMs`, given['heartbeatMs']),
    maxAgeMs: durationOr(900_000, `${caller}: maxAgeMs`, given['maxAgeMs']),
    replay: numbers(given['replay'], 'replay', known.replay),
    limits: hubLimits(given['limits']),
    params: paramNames(given['params']),
    cors: corsSettings(given['cors']),
    authorize: options.authorize,
  };
}

function hubLimits(value: unknown): HubLimits {
  const limits = numbers(value, 'limits', known.limits);
  readMaxDirectives(`${caller}: limits.maxDirectivesPerEnvelope`, limits.maxDirectivesPerEnvelope);
  return limits;
}

function hasConnect(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function'
  );
}

function paramNames(value: unknown): HubSettings['params'] {
  const given = membersOf(value === undefined ? {} : value, ['clientId', 'audience'], caller, 'params');
  const name = (key: string, standard: string): string => {
    const named = given[key] ?? standard;
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

/** As a browser writes it: anything else would never be matched. Also of shells for phones and desktops: `capacitor://localhost`. */
const isOrigin = (value: unknown): value is string =>
  typeof value === 'string' &&
  (value === '*' || value === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^\s/?#*A-Z]+$/.test(value));

function corsSettings(value: unknown): HubSettings['cors'] {
  if (value === undefined) return null;
  const given = membersOf(value, ['origin', 'credentials'], caller, 'cors');
  const origins: unknown[] = Array.isArray(given['origin']) ? given['origin'] : [given['origin']];
  if (!origins.every(isOrigin)) {
    const rule = 'an origin such as "https://example.com", without a path, or a list of such';
    throw broken('cors.origin', rule, given['origin']);
  }
  const credentials = given['credentials'] ?? false;
  if (typeof credentials !== 'boolean') throw broken('cors.credentials', 'true or false', credentials);
  if (credentials && origins.includes('*')) {
    // D-HUB-2: browsers refuse the pair, and echoing every origin with cookies would let any page read.
    throw broken('cors.origin', 'a list of origins when cors.credentials is true', '*');
  }
  return { origins: new Set(origins), credentials };
}

function numbers<T extends Readonly<Record<string, number>>>(
  value: unknown,
  name: string,
  defaults: T,
): { [K in keyof T]: number } {
  const given = membersOf(value === undefined ? {} : value, Object.keys(defaults), caller, name);
  const read = Object.entries(defaults).map(([key, standard]): [string, number] => [
    key,
    (key.endsWith('Ms') ? durationOr : countOr)(standard, `${caller}: ${name}.${key}`, given[key]),
  ]);
  return Object.fromEntries(read) as { [K in keyof T]: number }; // The keys are those of `defaults`.
}

const broken = (name: string, rule: string, value: unknown): TypeError =>
  wrong(`${caller}: ${name}`, rule, value);

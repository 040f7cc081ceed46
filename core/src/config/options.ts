// The options of `init`: their defaults, and how they are merged. Development builds check them first (`optionChecks.ts`).

import { AUDIENCE_PARAM, CLIENT_ID_PARAM, DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { BulkOptions, InitOptions, MemoryOptions, SseOptions } from '../types/options.ts';
import { merge } from '../platform/plainObject.ts';
import { urlOf } from '../platform/urls.ts';
import { checkMerged, checkOptions } from './optionChecks.ts';

/** The options in force. */
export interface Settings {
  sse: SseOptions;
  memory: MemoryOptions;
  bulk: BulkOptions;
  fetchOrigins: readonly string[];
}

/** The defaults of the document (§2.8) and of D-REG-3. */
export const defaultSettings = (): Settings => ({
  sse: {
    enabled: true,
    url: '/api/events',
    baseUrl: '',
    audience: DEFAULT_AUDIENCE,
    clientIdParam: CLIENT_ID_PARAM,
    audienceParam: AUDIENCE_PARAM,
    withCredentials: false,
    connectOnInit: true,
    initialRetryMs: 2000,
    maxRetryMs: 30_000,
    backoffMultiplier: 2,
    retryJitter: 0.5,
    resyncOnGap: true,
    resyncJitterMinMs: 1500,
    resyncJitterMaxMs: 3500,
    headers: {},
    share: false,
    pauseHidden: false,
  },
  memory: {
    enabled: true,
    maxItemsPerType: 512,
    itemEntryTtlMs: 900_000,
    maxCollectionRefsPerCollection: 12,
    collectionEntryTtlMs: 600_000,
    pruneIntervalMs: 60_000,
  },
  bulk: {
    delayMs: 50,
    maxBatchSize: 100,
    readWindowMs: 0,
    jitterMs: 0,
    pullDelayMs: 0,
    refetch: 'held',
    retryFailedMs: 0,
  },
  fetchOrigins: [],
});

/**
 * The current settings with the given options merged in. Members that are `undefined` change nothing.
 * In development, throws a `TypeError` that names a wrong option (D-REG-4).
 */
export function mergeSettings(current: Settings, given: unknown = {}): Settings {
  if (process.env.NODE_ENV !== 'production') checkOptions(given, defaultSettings());
  const { sse, memory, bulk, fetchOrigins } = given as InitOptions;
  const merged: Settings = {
    sse: merge(current.sse, sse),
    memory: merge(current.memory, memory),
    bulk: merge(current.bulk, bulk),
    // Origins of requests are compared with these, so they need the form that the platform uses.
    fetchOrigins: fetchOrigins?.map((origin) => urlOf(origin)?.origin ?? origin) ?? current.fetchOrigins,
  };
  if (process.env.NODE_ENV !== 'production') checkMerged(merged);
  return merged;
}

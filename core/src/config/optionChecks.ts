// The rules for the options of `init`. Only development builds contain this file (D-REG-4).

import { isPlainObject } from '../platform/plainObject.ts';
import { longestTimerMs } from '../platform/timers.ts';
import { urlOf } from '../platform/urls.ts';
import type { BulkOptions, MemoryOptions, SseOptions } from '../types/options.ts';
import type { Check, Checks } from './checks.ts';
import {
  aFlag,
  aList,
  aName,
  anObject,
  aText,
  check,
  isFunction,
  isListOf,
  isName,
  isText,
  must,
  mustBeKnown,
  mustHave,
} from './checks.ts';
import { fail } from './describe.ts';
import type { Settings } from './options.ts';

const isWithin = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

/** The length of a timer. */
export const aWait = (min: number): Check =>
  check(`be a number of milliseconds from ${min} to ${longestTimerMs}`, (value) =>
    isWithin(value, min, longestTimerMs),
  );
/** A length of time that no timer has to wait for. */
export const anAge = (): Check =>
  check('be a number of milliseconds, at least 0', (value) => isWithin(value, 0, Infinity));
/** A whole number, or `Infinity`. */
export const aCount = (min: number): Check =>
  check(
    `be a whole number, at least ${min}`,
    (value) => isWithin(value, min, Infinity) && (value === Infinity || Number.isInteger(value)),
  );
/** The rules, created when they are needed: a constant that calls functions would stay in production builds. */
function rules(): Record<string, Checks> {
  const audience = check(
    'be a string that is not empty, or a list of different ones',
    (value) =>
      isName(value) || (isListOf(value, isName) && value.length > 0 && new Set(value).size === value.length),
  );
  const headers = check(
    'be an object of strings, or a function that returns one',
    (value) => isFunction(value) || (isPlainObject(value) && Object.values(value).every(isText)),
  );
  const sse: { [K in keyof SseOptions]: Check } = {
    enabled: aFlag,
    url: aName,
    baseUrl: aText,
    audience,
    clientIdParam: aName,
    audienceParam: aName,
    withCredentials: aFlag,
    connectOnInit: aFlag,
    initialRetryMs: aWait(1),
    maxRetryMs: aWait(1),
    backoffMultiplier: check('be a number, at least 1', (value) => isWithin(value, 1, Number.MAX_VALUE)),
    retryJitter: check('be a number from 0 to 1', (value) => isWithin(value, 0, 1)),
    resyncOnGap: aFlag,
    resyncJitterMinMs: aWait(0),
    resyncJitterMaxMs: aWait(0),
    headers,
  };
  const memory: { [K in keyof MemoryOptions]: Check } = {
    enabled: aFlag,
    maxItemsPerType: aCount(0),
    itemEntryTtlMs: anAge(),
    maxCollectionRefsPerCollection: aCount(0),
    collectionEntryTtlMs: anAge(),
    pruneIntervalMs: aWait(1),
  };
  const bulk: { [K in keyof BulkOptions]: Check } = {
    delayMs: aWait(0),
    maxBatchSize: aCount(1),
    readWindowMs: aWait(0),
    jitterMs: aWait(0),
    pullDelayMs: aWait(0),
    refetch: check("be 'held' or 'watched'", (value) => value === 'held' || value === 'watched'),
    retryFailedMs: aWait(0),
  };
  return { sse, memory, bulk };
}

/** An origin without a path. A pattern such as `https://*.example.com` would match nothing. */
function isOrigin(value: unknown): boolean {
  const url = urlOf(String(value));
  return url !== null && url.href === `${url.origin}/` && !url.host.includes('*');
}

/** Throws a `TypeError` that names the option, its rule, and the received value. */
export function checkOptions(given: unknown): void {
  const groups = rules();
  const members = must('options: the value', anObject, given);
  for (const [key, value] of Object.entries(members)) {
    const path = `options: ${key}`;
    mustBeKnown({ ...groups, fetchOrigins: true }, key, path);
    if (value === undefined) continue;
    const checks = groups[key];
    if (checks !== undefined) mustHave(path, checks, value, `${path}.`);
    else
      must(
        path,
        { ...aList, expected: 'be a list of origins such as "https://api.example.com"' },
        value,
      ).forEach((origin, at) =>
        must(`${path}[${at}]`, check('be an origin such as "https://api.example.com"', isOrigin), origin),
      );
  }
}

/** Checks options that depend on each other. One of them may be a default, or may come from an earlier call. */
export function checkMerged({ sse: merged }: Settings): void {
  const pairs = [
    ['initialRetryMs', 'maxRetryMs'],
    ['resyncJitterMinMs', 'resyncJitterMaxMs'],
  ] as const;
  for (const [low, high] of pairs)
    if (merged[high] < merged[low])
      fail(`options: sse.${high}`, `be at least sse.${low} (${merged[low]})`, merged[high]);
  if (merged.audienceParam === merged.clientIdParam)
    fail('options: sse.audienceParam', 'differ from sse.clientIdParam', merged.audienceParam);
}

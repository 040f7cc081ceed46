// The rules for the options of `init` and of reads. Only development builds contain this file (D-REG-4).

import { isPlainObject } from '../platform/plainObject.ts';
import { longestTimerMs } from '../platform/timers.ts';
import { urlOf } from '../platform/urls.ts';
import type { Check, Checks } from './checks.ts';
import * as checks from './checks.ts';
import { check, isFunction, isListOf, isName, isText, must, mustBeKnown, mustHave } from './checks.ts';
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

const isAudience = (value: unknown): boolean =>
  isName(value) || (isListOf(value, isName) && value.length > 0 && new Set(value).size === value.length);
const isHeaders = (value: unknown): boolean =>
  isFunction(value) || (isPlainObject(value) && Object.values(value).every(isText));

/** The rules that do not follow from the type of the default. Created when they are needed: a constant would stay in production builds. */
const specialRules = (): Checks => ({
  audience: check('be a string that is not empty, or a list of different ones', isAudience),
  headers: check('be an object of strings, or a function that returns one', isHeaders),
  share: check(
    'be true, false, or { key } with a string that is not empty',
    (value) => typeof value === 'boolean' || (isPlainObject(value) && isName(value['key'])),
  ),
  backoffMultiplier: check('be a number, at least 1', (value) => isWithin(value, 1, Number.MAX_VALUE)),
  retryJitter: check('be a number from 0 to 1', (value) => isWithin(value, 0, 1)),
  refetch: checks.oneOf('held', 'watched'),
  initialRetryMs: aWait(1),
  maxRetryMs: aWait(1),
  pruneIntervalMs: aWait(1),
  itemEntryTtlMs: anAge(),
  collectionEntryTtlMs: anAge(),
  maxItemsPerType: aCount(0),
  maxCollectionRefsPerCollection: aCount(0),
  maxBatchSize: aCount(1),
});

function ruleOf(name: string, preset: unknown): Check {
  if (typeof preset === 'boolean') return checks.aFlag;
  if (typeof preset === 'number') return aWait(0);
  return name === 'baseUrl' ? checks.aText : checks.aName;
}

/** The rules for one group of options. */
const rulesOf = (presets: object): Checks =>
  Object.fromEntries(
    Object.entries(presets).map(([name, preset]) => [name, specialRules()[name] ?? ruleOf(name, preset)]),
  );

/** An origin without a path. A pattern such as `https://*.example.com` would match nothing. */
function isOrigin(value: unknown): boolean {
  const url = urlOf(String(value));
  return url !== null && url.href === `${url.origin}/` && !url.host.includes('*');
}

/** Throws a `TypeError` that names the option, its rule, and the received value. */
export function checkOptions(given: unknown, presets: Settings): void {
  const members = must('options: the value', checks.anObject, given);
  for (const [key, value] of Object.entries(members)) {
    const path = `options: ${key}`;
    mustBeKnown(presets, key, path);
    if (value === undefined) continue;
    if (key !== 'fetchOrigins') mustHave(path, rulesOf(presets[key as 'sse']), value, `${path}.`);
    else must(path, check('be a list of origins such as "https://api.example.com"', Array.isArray), value);
    const anOrigin = check('be an origin such as "https://api.example.com"', isOrigin);
    if (Array.isArray(value))
      value.forEach((origin: unknown, at) => must(`${path}[${at}]`, anOrigin, origin));
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

/** The operations that accept options of a read. */
export type ReadOperation =
  | 'fetchItem'
  | 'fetchCollection'
  | 'prefetchCollection'
  | 'getCollectionRef'
  | 'ensureCollection';

/** Throws a `TypeError` that names an unknown or wrong option of a read. */
export function checkReadOptions(operation: ReadOperation, name: string, options: unknown): void {
  const culprit = `${operation}(${JSON.stringify(name)})`;
  const hasParams = operation !== 'fetchItem';
  const hasFlags = operation !== 'getCollectionRef' && operation !== 'ensureCollection';
  const known: Checks = {
    ...(hasParams ? { params: check('be an object', () => true) } : null), // The cache checks the params themselves.
    ...(hasFlags ? { force: checks.aFlag, silent: checks.aFlag } : null),
  };
  for (const [key, value] of Object.entries(
    must(`${culprit}: the options`, checks.anObject, options ?? {}),
  )) {
    if (key === 'isScattered') continue; // The hooks pass it.
    const hint = hasParams ? `Filters belong in params: { params: { ${key}: … } }. ` : '';
    mustBeKnown(known, key, `${culprit}: ${key}`, hint);
    if (value !== undefined) must(`${culprit}: ${key}`, known[key] as Check, value); // Just found to be known.
  }
}

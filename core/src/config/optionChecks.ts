// The rules for the options of `init` and of reads, and for callbacks. Only development builds contain this file (D-REG-4).

import { isPlainObject } from '../platform/plainObject.ts';
import { LAST_SEQ_PARAM, SINCE_MS_PARAM } from '../protocol/names.ts';
import { longestTimerMs } from '../platform/timers.ts';
import { urlOf } from '../platform/urls.ts';
import { check, must, mustHave, type Check, type Checks } from './checks.ts';
import { isFlag, isFunction, isList, isName, isObject, isText, oneOf } from './checks.ts';
import { nameOf, type NameOrDefinition } from './definitions.ts';
import { describe, fail } from './describe.ts';
import type { Settings } from './options.ts';

const within =
  (min: number, max: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= min && value <= max;

/** The length of a timer. */
export const aWait = (min: number): Check =>
  check(`be a number of milliseconds from ${min} to ${longestTimerMs}`, within(min, longestTimerMs));
/** A duration that is used without a timer. */
export const anAge = (): Check => check('be a number of milliseconds, at least 0', within(0, Infinity));
/** A whole number, or `Infinity`. */
export const aCount = (min: number): Check =>
  check(
    `be a whole number, at least ${min}`,
    (value) => within(min, Infinity)(value) && (value === Infinity || Number.isInteger(value)),
  );

const isAudience = (value: unknown): boolean =>
  isName(value) ||
  (isList(value) && value.every(isName) && value.length > 0 && new Set(value).size === value.length);
const audienceRule = (): Check =>
  check('be a string that is not empty, or a list of different ones', isAudience);
const isHeaders = (value: unknown): boolean =>
  isFunction(value) || (isPlainObject(value) && Object.values(value).every(isText));

/**
 * The rules that cannot be derived from the type of the default. They are created when they are needed, because a
 * constant would stay in production builds.
 */
const specialRules = (): Checks => ({
  audience: audienceRule(),
  baseUrl: check(
    'be a string that is empty, or begins with / or a scheme such as https://',
    (value) => isText(value) && /^$|^([a-z][\w+.-]*:)?\//i.test(value),
  ),
  headers: check('be an object of strings, or a function that returns one', isHeaders),
  share: check(
    'be true, false, or { key } with a string that is not empty',
    (value) => isFlag(value) || (isPlainObject(value) && isName(value['key'])),
  ),
  backoffMultiplier: check('be a number, at least 1', within(1, Number.MAX_VALUE)),
  retryJitter: check('be a number from 0 to 1', within(0, 1)),
  refetch: oneOf('held', 'watched'),
  initialRetryMs: aWait(1),
  maxRetryMs: aWait(1),
  pruneIntervalMs: aWait(1),
  itemEntryTtlMs: anAge(),
  collectionEntryTtlMs: anAge(),
  maxItemsPerType: aCount(0),
  maxCollectionRefsPerCollection: aCount(0),
  maxBatchSize: aCount(1),
});

const ruleOf = (preset: unknown): Check => (isFlag(preset) ? isFlag : isText(preset) ? isName : aWait(0));

/** The rules for one group of options. */
const rulesOf = (presets: object): Checks =>
  Object.fromEntries(
    Object.entries(presets).map(([name, preset]) => [name, specialRules()[name] ?? ruleOf(preset)]),
  );

/** An origin without a path. A pattern such as `https://*.example.com` would match nothing. */
function isOrigin(value: unknown): boolean {
  const url = urlOf(String(value));
  return url !== null && url.href === `${url.origin}/` && !url.host.includes('*');
}

/** Throws a `TypeError` that names the option, its rule, and the received value. */
export function checkOptions(given: unknown, { sse, memory, bulk }: Settings): void {
  const example = 'such as "https://api.example.com"';
  const origins = check(`be a list of origins ${example}`, (value) => isList(value));
  const groups = { sse: isObject, memory: isObject, bulk: isObject };
  const members = mustHave('options: the value', { ...groups, fetchOrigins: origins }, given, 'options: ');
  for (const [name, presets] of Object.entries({ sse, memory, bulk }))
    mustHave(`options: ${name}`, rulesOf(presets), members[name] ?? {}, `options: ${name}.`);
  for (const [at, origin] of Object.entries(members['fetchOrigins'] ?? []))
    must(`options: fetchOrigins[${at}]`, check(`be an origin ${example}`, isOrigin), origin);
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
  const { clientIdParam, audienceParam, url } = merged;
  const own = [LAST_SEQ_PARAM, SINCE_MS_PARAM];
  for (const option of ['clientIdParam', 'audienceParam'] as const)
    if (own.includes(merged[option]))
      fail(`options: sse.${option}`, `be another name than ${own.join(' and ')}`, merged[option]);
  if (audienceParam === clientIdParam)
    fail('options: sse.audienceParam', 'differ from sse.clientIdParam', audienceParam);
  const query = new URLSearchParams(url.replace(/^[^?]*/, ''));
  for (const name of [...own, clientIdParam, audienceParam])
    if (query.has(name)) fail('options: sse.url', `not contain "${name}", which the client adds`, url);
}

/** Throws a `TypeError` that names an unknown or wrong option of a read. */
export function checkReadOptions(operation: string, named: unknown, options: unknown): void {
  const at = `${operation}(${describe(nameOf(named as NameOrDefinition))}): `; // `nameOf` accepts any value.
  const params = check('be an object', () => true); // The cache checks them itself.
  const flags = { force: isFlag, silent: isFlag };
  const hasFlags = operation !== 'getCollectionRef' && operation !== 'ensureCollection';
  const known = operation === 'fetchItem' ? flags : { params, ...(hasFlags && flags) };
  // The hooks pass the first two.
  const { isBatchable: _, isRequired: __, ...given } = must(`${at}the options`, isObject, options ?? {});
  mustHave(at, known, given, at);
}

/** Throws a `TypeError` that names a wrong argument of an operation. */
export function checkCall(operation: string, [first, second, third, fourth]: readonly unknown[]): void {
  const at = `${operation}: `;
  const is = (...names: readonly string[]): boolean => names.includes(operation);
  if (is('fetchItem', 'prefetchItem') && isObject(third))
    fail(`${at}the level`, 'be a name (only fetchItem has options, as its fourth argument)', third);
  if (is('fetchItem')) checkReadOptions(operation, first, fourth);
  if (is('fetchCollection', 'prefetchCollection', 'getCollectionRef'))
    checkReadOptions(operation, first, second);
  if (is('applyDirectives')) mustHave(`${at}the options`, { path: oneOf('push', 'pull') }, second ?? {}, at);
  if (is('reset')) mustHave(`${at}the options`, { audience: audienceRule() }, first ?? {}, at);
  if (is('onLifecycle')) must(`${at}the event`, isName, first);
  if (is('onChange')) must(`${at}the callback`, isFunction, first);
  if (is('onLifecycle', 'onRefChange')) must(`${at}the callback`, isFunction, second);
}

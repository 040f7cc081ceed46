// Options and configs: their defaults and what they must be, in one place (D-REG-1, D-REG-4).

import { AUDIENCE_PARAM, CLIENT_ID_PARAM, DEFAULT_AUDIENCE } from '../protocol/names.ts';
import type { BulkOptions, MemoryOptions, SseOptions } from '../types/options.ts';
import type { Check, Checks } from './checks.ts';
import {
  aFlag,
  aFunction,
  aList,
  aName,
  anObject,
  aText,
  check,
  isFunction,
  isListOf,
  isName,
  isObject,
  isText,
  known,
  must,
  mustHave,
} from './checks.ts';
import { fail } from './describe.ts';
import { isPlainObject } from '../cache/structuralSharing.ts';
import { longestTimerMs } from '../platform/timers.ts';
import { urlOf } from '../platform/urls.ts';

/** The options in force. */
export interface Settings {
  sse: SseOptions;
  memory: MemoryOptions;
  bulk: BulkOptions;
  fetchOrigins: readonly string[];
}

type Group = 'sse' | 'memory' | 'bulk';

/** Each option by its name: its default, and what it must be. */
type OptionsOf<G extends Group> = {
  readonly [K in keyof Settings[G]]: readonly [byDefault: Settings[G][K], must: Check];
};

const isWithin = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

const wait = (min: number): Check =>
  check(`be a number of milliseconds from ${min} to ${longestTimerMs}`, (value) =>
    isWithin(value, min, longestTimerMs),
  );
const age = check('be a number of milliseconds, at least 0', (value) => isWithin(value, 0, Infinity));
const count = (min: number): Check =>
  check(
    `be a whole number, at least ${min}`,
    (value) => isWithin(value, min, Infinity) && (value === Infinity || Number.isInteger(value)),
  );

/** An origin as the platform writes it, or null. */
function originOf(value: unknown): string | null {
  const url = urlOf(String(value));
  // A pattern would match nothing.
  return url !== null && url.href === `${url.origin}/` && !url.host.includes('*') ? url.origin : null;
}

const audience = check(
  'be a string that is not empty, or a list of different ones',
  (value) =>
    isName(value) || (isListOf(value, isName) && value.length > 0 && new Set(value).size === value.length),
);
const headers = check(
  'be an object of strings, or a function that returns one',
  (value) => isFunction(value) || (isPlainObject(value) && Object.values(value).every(isText)),
);

/** The defaults are the document's (§2.8) and those of D-REG-3. */
const options: { readonly [G in Group]: OptionsOf<G> } = {
  sse: {
    enabled: [true, aFlag],
    url: ['/api/events', aName],
    baseUrl: ['', aText],
    audience: [DEFAULT_AUDIENCE, audience],
    clientIdParam: [CLIENT_ID_PARAM, aName],
    audienceParam: [AUDIENCE_PARAM, aName],
    withCredentials: [false, aFlag],
    connectOnInit: [true, aFlag],
    initialRetryMs: [2000, wait(1)],
    maxRetryMs: [30_000, wait(1)],
    backoffMultiplier: [2, check('be a number, at least 1', (value) => isWithin(value, 1, Number.MAX_VALUE))],
    resyncOnGap: [true, aFlag],
    resyncJitterMinMs: [1500, wait(0)],
    resyncJitterMaxMs: [3500, wait(0)],
    headers: [{}, headers],
  },
  memory: {
    enabled: [true, aFlag],
    maxItemsPerType: [512, count(0)],
    itemEntryTtlMs: [900_000, age],
    maxCollectionRefsPerCollection: [12, count(0)],
    collectionEntryTtlMs: [600_000, age],
    pruneIntervalMs: [60_000, wait(1)],
  },
  bulk: {
    delayMs: [50, wait(0)],
    maxBatchSize: [100, count(1)],
    readWindowMs: [0, wait(0)],
    jitterMs: [0, wait(0)],
    refetch: ['held', check("be 'held' or 'watched'", (value) => value === 'held' || value === 'watched')],
    retryFailedMs: [0, wait(0)],
  },
};

const defaultsOf = <G extends Group>(group: G): Settings[G] =>
  // The table has every option of its group.
  Object.fromEntries(
    Object.entries<readonly [unknown, Check]>(options[group]).map(([key, [byDefault]]) => [key, byDefault]),
  ) as unknown as Settings[G];

export const defaultSettings = (): Settings => ({
  sse: defaultsOf('sse'),
  memory: defaultsOf('memory'),
  bulk: defaultsOf('bulk'),
  fetchOrigins: [],
});

function mergeGroup(current: Settings, given: unknown, group: Group): object {
  const replaced: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(must(group, anObject, given))) {
    const path = `${group}.${key}`;
    const [, its] = known<readonly [unknown, Check]>(options[group], key, path);
    if (value === undefined) continue;
    must(path, its, value);
    replaced[key] = Array.isArray(value) ? [...value] : value;
  }
  return { ...current[group], ...replaced };
}

function originsOf(given: unknown): string[] {
  if (!Array.isArray(given))
    return fail('fetchOrigins', 'be a list of origins such as "https://api.example.com"', given);
  return given.map(
    (item: unknown, at) =>
      originOf(item) ?? fail(`fetchOrigins[${at}]`, 'be an origin such as "https://api.example.com"', item),
  );
}

type Wait = 'initialRetryMs' | 'maxRetryMs' | 'resyncJitterMinMs' | 'resyncJitterMaxMs';

function inOrder({ sse }: Settings, low: Wait, high: Wait): void {
  if (sse[high] < sse[low]) fail(`sse.${high}`, `be at least sse.${low} (${sse[low]})`, sse[high]);
}

/**
 * The current settings with the given options merged in; `undefined` members change nothing.
 * Throws a `TypeError` that names the option, what was expected and what came (D-REG-4).
 */
export function mergeSettings(current: Settings, given: unknown = {}): Settings {
  const merged = { ...current };
  for (const [key, value] of Object.entries(must('options', anObject, given))) {
    known({ ...options, fetchOrigins: true }, key, key);
    if (value === undefined) continue;
    if (key === 'fetchOrigins') merged.fetchOrigins = originsOf(value);
    // What is known and is not `fetchOrigins` is a group.
    else Object.assign(merged, { [key]: mergeGroup(current, value, key as Group) });
  }
  // On the merged result: a pair may be given in two calls, or one half of it be a default.
  inOrder(merged, 'initialRetryMs', 'maxRetryMs');
  inOrder(merged, 'resyncJitterMinMs', 'resyncJitterMaxMs');
  const { clientIdParam, audienceParam } = merged.sse;
  if (audienceParam === clientIdParam)
    fail('sse.audienceParam', 'differ from sse.clientIdParam', audienceParam);
  return merged;
}

const standardSchema = check("be a Standard Schema (with '~standard'.validate)", (value) => {
  // Some libraries make their schemas functions.
  const inner = isObject(value) || isFunction(value) ? (value as Record<string, unknown>)['~standard'] : null;
  return isObject(inner) && isFunction(inner['validate']);
});

const collectionChecks: Checks = {
  fetch: aFunction,
  stalenessMs: age,
  schema: standardSchema,
  timeoutMs: wait(0),
};
const sharedChecks: Checks = { ...collectionChecks, bulkFetch: aFunction, levelConversionMap: anObject };
const typeChecks: Checks = { ...sharedChecks, getId: aFunction, levels: anObject };
const levelChecks: Checks = { ...sharedChecks, checkIfExists: aFunction };

const callOf = (operation: string, name: unknown): string =>
  `${operation}(${JSON.stringify(must(`${operation}: the name`, aName, name))}): `;

const levelList: Check<unknown[]> = { ...aList, expected: 'be a list of levels' };
const aLevel: Check<string> = { ...aText, expected: 'be the name of a level' };

/** A config whose members are what they must be; its conversions name the path of what is wrong in them. */
function mustBeConfig(culprit: string, checks: Checks, given: unknown, at: string): Record<string, unknown> {
  const config = mustHave(culprit, checks, given, at);
  // Just checked to be an object.
  for (const [level, to] of Object.entries((config['levelConversionMap'] ?? {}) as object)) {
    const path = `${at}levelConversionMap.${level}`;
    const names: unknown[] = must(path, levelList, to);
    names.forEach((name, index) => must(`${path}[${index}]`, aLevel, name));
  }
  return config;
}

/** Throws a `TypeError` that names the type, the path and what was expected (D-REG-1). */
export function checkTypeConfig(name: unknown, given: unknown): void {
  const call = callOf('createType', name);
  const { fetch, levels = {} } = mustBeConfig(`${call}the config`, typeChecks, given, call);
  must(`${call}fetch`, aFunction, fetch);
  // Just checked to be one.
  for (const [level, levelConfig] of Object.entries(levels as object)) {
    const path = `${call}levels.${level}`;
    const own = mustBeConfig(path, levelChecks, levelConfig, `${path}.`);
    // The type's own fetch is that of the default level.
    if (level !== 'default') must(`${path}.fetch`, aFunction, own['fetch']);
  }
}

/** Throws a `TypeError` that names the collection, the path and what was expected (D-REG-1). */
export function checkCollectionConfig(name: unknown, given: unknown): void {
  const call = callOf('createCollection', name);
  const { fetch } = mustHave(`${call}the config`, collectionChecks, given, call);
  must(`${call}fetch`, aFunction, fetch);
}

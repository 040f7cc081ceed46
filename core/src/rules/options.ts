// Options and configs: their defaults in one place, and the checks (D-REG-1, D-REG-4).

import type { BulkOptions, MemoryOptions, SseOptions } from '../types.ts';
import { fail } from './describe.ts';
import { isPlainObject } from './equal.ts';

/** The options in force. */
export interface Settings {
  sse: SseOptions;
  memory: MemoryOptions;
  bulk: BulkOptions;
  fetchOrigins: readonly string[];
}

/** The longest wait a timer can do; beyond it the platform fires at once. */
const maxTimerMs = 2_147_483_647;

/** What is expected, in words, and whether a value is it. */
type Check = readonly [expected: string, accepts: (value: unknown) => boolean];
type Checks = Readonly<Record<string, Check>>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOf = (value: unknown, accepts: (item: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(accepts);
const isWithin = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

const flag: Check = ['be true or false', (value) => typeof value === 'boolean'];
const text: Check = ['be a string that is not empty', isText];
const func: Check = ['be a function', isFunction];
const wait = (min: number): Check => [
  `be a number of milliseconds from ${min} to ${maxTimerMs}`,
  (value) => isWithin(value, min, maxTimerMs),
];
const age: Check = ['be a number of milliseconds, at least 0', (value) => isWithin(value, 0, Infinity)];
const count = (min: number): Check => [
  `be a whole number, at least ${min}`,
  (value) => isWithin(value, min, Infinity) && (value === Infinity || Number.isInteger(value)),
];

/** An origin as the platform writes it, or null. */
function originOf(value: unknown): string | null {
  try {
    const url = new URL(String(value));
    return url.href === `${url.origin}/` ? url.origin : null;
  } catch {
    return null;
  }
}

const optionChecks: Readonly<Record<'sse' | 'memory' | 'bulk', Checks>> = {
  sse: {
    enabled: flag,
    url: text,
    baseUrl: ['be a string', (value) => typeof value === 'string'],
    audience: [
      'be a string that is not empty, or a list of different ones',
      (value) =>
        isText(value) ||
        (isListOf(value, isText) && value.length > 0 && new Set(value).size === value.length),
    ],
    clientIdParam: text,
    audienceParam: text,
    withCredentials: flag,
    connectOnInit: flag,
    initialRetryMs: wait(1),
    maxRetryMs: wait(1),
    backoffMultiplier: ['be a number, at least 1', (value) => isWithin(value, 1, Number.MAX_VALUE)],
    resyncOnGap: flag,
    resyncJitterMinMs: wait(0),
    resyncJitterMaxMs: wait(0),
    headers: [
      'be an object of strings, or a function that returns one',
      (value) =>
        isFunction(value) ||
        (isPlainObject(value) && Object.values(value).every((header) => typeof header === 'string')),
    ],
  },
  memory: {
    enabled: flag,
    maxItemsPerType: count(0),
    itemEntryTtlMs: age,
    maxCollectionRefsPerCollection: count(0),
    collectionEntryTtlMs: age,
    pruneIntervalMs: wait(1),
  },
  bulk: {
    delayMs: wait(0),
    maxBatchSize: count(1),
    readWindowMs: wait(0),
    jitterMs: wait(0),
    refetch: ["be 'held' or 'watched'", (value) => value === 'held' || value === 'watched'],
    retryFailedMs: wait(0),
  },
};

/** The document's defaults (§2.8) and those of D-REG-3. */
export function defaultSettings(): Settings {
  return {
    sse: {
      enabled: true,
      url: '/api/events',
      baseUrl: '',
      audience: 'global',
      clientIdParam: 'client_id',
      audienceParam: 'audience',
      withCredentials: false,
      connectOnInit: true,
      initialRetryMs: 2000,
      maxRetryMs: 30_000,
      backoffMultiplier: 2,
      resyncOnGap: true,
      resyncJitterMinMs: 1500,
      resyncJitterMaxMs: 3500,
      headers: {},
    },
    memory: {
      enabled: true,
      maxItemsPerType: 512,
      itemEntryTtlMs: 900_000,
      maxCollectionRefsPerCollection: 12,
      collectionEntryTtlMs: 600_000,
      pruneIntervalMs: 60_000,
    },
    bulk: { delayMs: 50, maxBatchSize: 100, readWindowMs: 0, jitterMs: 0, refetch: 'held', retryFailedMs: 0 },
    fetchOrigins: [],
  };
}

export function checkFunction<F>(path: string, value: F): F {
  return isFunction(value) ? value : fail(path, 'be a function', value);
}

function known<T>(table: Readonly<Record<string, T>>, key: string, path: string): T {
  const found = Object.hasOwn(table, key) ? table[key] : undefined;
  if (found === undefined)
    throw new TypeError(`${path} is not an option; known are ${Object.keys(table).join(', ')}`);
  return found;
}

function mergeGroup(current: Settings, given: unknown, group: 'sse' | 'memory' | 'bulk'): object {
  if (!isObject(given)) return fail(group, 'be an object', given);
  const replaced: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const path = `${group}.${key}`;
    const [expected, accepts] = known(optionChecks[group], key, path);
    if (value === undefined) continue;
    if (!accepts(value)) fail(path, expected, value);
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

function inOrder(group: string, options: object, low: string, high: string): void {
  const { [low]: least, [high]: most } = options as Record<string, number>; // Only called with names of numbers.
  if (Number(most) < Number(least)) fail(`${group}.${high}`, `be at least ${group}.${low} (${least})`, most);
}

/**
 * The current settings with the given options merged in; `undefined` members change nothing.
 * Throws a `TypeError` that names the option, what was expected and what came (D-REG-4).
 */
export function mergeSettings(current: Settings, options: unknown): Settings {
  const merged = { ...current };
  if (options === undefined) return merged;
  if (!isObject(options)) return fail('options', 'be an object', options);
  for (const [key, value] of Object.entries(options)) {
    known({ ...optionChecks, fetchOrigins: true }, key, key);
    if (value === undefined) continue;
    if (key === 'fetchOrigins') merged.fetchOrigins = originsOf(value);
    // What is known and is not `fetchOrigins` is a group.
    else Object.assign(merged, { [key]: mergeGroup(current, value, key as 'sse' | 'memory' | 'bulk') });
  }
  // On the merged result: a pair may be given in two calls, or one half of it be a default.
  inOrder('sse', merged.sse, 'initialRetryMs', 'maxRetryMs');
  inOrder('sse', merged.sse, 'resyncJitterMinMs', 'resyncJitterMaxMs');
  return merged;
}

const conversions: Check = [
  'be an object that maps a level to a list of levels',
  (value) =>
    isObject(value) &&
    Object.values(value).every((levels) => isListOf(levels, (level) => typeof level === 'string')),
];

const standardSchema: Check = [
  "be a Standard Schema (with '~standard'.validate)",
  (value) => {
    // Some libraries make their schemas functions.
    const inner =
      isObject(value) || typeof value === 'function' ? (value as Record<string, unknown>)['~standard'] : null;
    return isObject(inner) && isFunction(inner['validate']);
  },
];

const collectionChecks: Checks = { stalenessMs: age, schema: standardSchema, timeoutMs: wait(0) };
const sharedChecks: Checks = { ...collectionChecks, bulkFetch: func, levelConversionMap: conversions };
const typeChecks: Checks = { ...sharedChecks, getId: func };
const levelChecks: Checks = { ...sharedChecks, checkIfExists: func };

function checkMembers(
  config: unknown,
  checks: Checks,
  needsFetch: boolean,
  call: string,
  path: string,
): void {
  if (!isObject(config)) return fail(call + (path === '' ? 'the config' : path), 'be an object', config);
  const prefix = call + (path === '' ? '' : `${path}.`);
  const fetch = config['fetch'];
  if (needsFetch || fetch !== undefined) checkFunction(`${prefix}fetch`, fetch);
  for (const [key, [expected, accepts]] of Object.entries(checks)) {
    const value = config[key];
    if (value !== undefined && !accepts(value)) fail(prefix + key, expected, value);
  }
}

function callOf(operation: string, name: unknown): string {
  if (!isText(name)) fail(`${operation}: the name`, 'be a string that is not empty', name);
  return `${operation}(${JSON.stringify(name)}): `;
}

/** Throws a `TypeError` that names the type, the path and what was expected (D-REG-1). */
export function checkTypeConfig(name: unknown, config: unknown): void {
  const call = callOf('createType', name);
  checkMembers(config, typeChecks, true, call, '');
  const { levels } = config as { levels?: unknown }; // An object: checked above.
  if (levels === undefined) return;
  if (!isObject(levels)) return fail(`${call}levels`, 'be an object', levels);
  for (const [level, levelConfig] of Object.entries(levels)) {
    // The type's own fetch is that of the default level.
    checkMembers(levelConfig, levelChecks, level !== 'default', call, `levels.${level}`);
  }
}

/** Throws a `TypeError` that names the collection, the path and what was expected (D-REG-1). */
export function checkCollectionConfig(name: unknown, config: unknown): void {
  checkMembers(config, collectionChecks, true, callOf('createCollection', name), '');
}

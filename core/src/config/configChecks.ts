// The rules for the configs of types and collections. Only development builds contain this file (D-REG-1).

import type { Checks } from './checks.ts';
import { isFunction, isName, isObject, isList, isText, check, must, mustHave } from './checks.ts';
import { fail } from './describe.ts';
import { isDefinition } from './definitions.ts';
import { aCount, anAge, aWait } from './optionChecks.ts';

/** The rules are created when they are needed. A constant that calls functions would stay in production builds. */
function rules(): Record<'collection' | 'type' | 'level' | 'retry', Checks> {
  const schema = check("be a Standard Schema (with '~standard'.validate)", (value) => {
    // The schemas of some libraries are functions.
    const inner = (Object(value) as Record<string, unknown>)['~standard'];
    return isObject(inner) && isFunction(inner['validate']);
  });
  const retry = check(
    'be a number of attempts, or { attempts, delayMs, maxDelayMs, retryOn }',
    (value) => aCount(0)(value) || isObject(value),
  );
  const of = check(
    'be a definition of an item type, or its name',
    (value) => isName(value) || (isDefinition(value) && value.kind === 'item'),
  );
  const members = check('be an object keyed by level', (value) => isObject(value) && !(value instanceof Map));
  const common = { fetch: isFunction, stalenessMs: anAge(), schema, timeoutMs: aWait(0), retry };
  const item = { ...common, bulkFetch: isFunction, levelConversionMap: members };
  return {
    collection: { ...common, of, level: isText },
    type: { ...item, getId: isFunction, levels: members },
    level: { ...item, checkIfExists: isFunction },
    retry: { attempts: aCount(0), delayMs: aWait(0), maxDelayMs: aWait(0), retryOn: isFunction },
  };
}

const prefix = (kind: string, name: unknown): string =>
  `${kind} ${JSON.stringify(must(`the name of a ${kind}`, isName, name))}: `;

/** @param at the path before the name of a member */
function checkConfig(culprit: string, checks: Checks, given: unknown, at: string): Record<string, unknown> {
  const config = mustHave(culprit, checks, given, at);
  const { levelConversionMap = {}, retry } = config;
  const levels = check('be a list of level names', (value) => isList(value) && value.every(isText));
  // Just checked to be an object.
  for (const [level, to] of Object.entries(levelConversionMap as object))
    must(`${at}levelConversionMap.${level}`, levels, to);
  if (isObject(retry)) {
    mustHave(`${at}retry`, rules().retry, retry, `${at}retry.`);
    must(`${at}retry.attempts`, aCount(0), retry['attempts']);
  }
  return config;
}

/** Throws a `TypeError` that names the type, the path, the rule, and the received value. */
export function checkTypeConfig(name: unknown, given: unknown): void {
  const subject = prefix('type', name);
  const { fetch, levels = {} } = checkConfig(`${subject}the config`, rules().type, given, subject);
  must(`${subject}fetch`, isFunction, fetch);
  // Just checked to be an object.
  for (const [level, config] of Object.entries(levels as object)) {
    const path = `${subject}levels.${level}`;
    const own = checkConfig(path, rules().level, config, `${path}.`);
    // The default level uses the fetch function of the type unless it has one.
    if (level !== 'default') must(`${path}.fetch`, isFunction, own['fetch']);
  }
}

/** Throws a `TypeError` that names the collection, the path, the rule, and the received value. */
export function checkCollectionConfig(name: unknown, given: unknown): void {
  const subject = prefix('collection', name);
  const { fetch, of, level } = checkConfig(`${subject}the config`, rules().collection, given, subject);
  must(`${subject}fetch`, isFunction, fetch);
  if (level !== undefined && of === undefined) fail(`${subject}of`, 'be set, because level is', of);
}

// Checks the options of `watchTable` and turns their values into SQL.

import { createHash } from 'node:crypto';
import { isName, nameRule } from '../names.ts';
import { countOr, isObject, membersOf, wrong } from '../optionErrors.ts';
import { namesOf } from './schema.ts';
import { identifier, literal, qualified } from './sqlText.ts';
import type { Watch, WatchedCollection } from './triggerSql.ts';
import type { NamedDefinition, WatchCollectionOptions, WatchTableOptions } from './watchOptions.ts';

const optionNames = [
  'table',
  'type',
  'id',
  'collections',
  'audience',
  'columns',
  'onDelete',
  'maxItems',
  'name',
  'outbox',
  'register',
];

/** Returns a text that may be written into the dollar-quoted function. */
function safe(option: string, text: string): string {
  if (!/[$@]edict/.test(text)) return text;
  throw new TypeError(`[edict] watchTable: ${option} must not contain "$edict" or "@edict".`);
}

/** Returns the watch that the options describe. Throws a `TypeError` that names the wrong option. */
export function readWatch(options: WatchTableOptions): Watch {
  membersOf(options, optionNames, 'watchTable');
  const { table, columns, audience = 'global', onDelete = 'remove' } = options;
  if (typeof table !== 'string' || !/^[^.\0]+(\.[^.\0]+)?$/.test(table))
    throw wrong('watchTable: table', 'the name of a table, such as ticket or app.ticket', table);
  safe('table', table);
  const used: Watch['used'][number][] = [];

  /** The SQL of a value. If `isName` is false, a string is a column. Otherwise it is a name. */
  function value(option: string, given: unknown, isName: boolean): string {
    if (typeof given === 'string' && given !== '') {
      if (isName) return `${literal(safe(option, given))}::text`;
      return value(option, { column: given }, false);
    }
    const [[kind, text] = [], ...others] = Object.entries(isObject(given) ? given : {});
    if ((kind !== 'column' && kind !== 'sql') || others.length > 0) {
      const rule = isName ? 'a name' : 'a column name';
      throw wrong(`watchTable: ${option}`, `${rule}, { column } or { sql }`, given);
    }
    if (typeof text !== 'string') throw wrong(`watchTable: ${option}.${kind}`, 'a string', text);
    safe(option, text);
    // COALESCE gives a plain string such as `'all'` the type text. Without it the type is unknown, and to_jsonb refuses it.
    const sql = kind === 'column' ? identifier(text) : `COALESCE(${text}\n)`;
    used.push({ option, column: kind === 'column' ? text : null, sql });
    return sql;
  }

  function named(option: string, kind: NamedDefinition['kind'], given: unknown): string {
    const name = isObject(given) && 'kind' in given && 'name' in given ? given.name : given;
    if (name !== given && (given as NamedDefinition).kind !== kind) {
      const rule = kind === 'item' ? 'an item type' : 'a collection';
      throw new TypeError(`[edict] watchTable: ${option} must be ${rule}, but "${String(name)}" is not.`);
    }
    checkRegistered(option, kind, name, options.register);
    return value(option, name, true);
  }

  const { collections: watched = [] } = options;
  const collections = list('collections', watched).map((given, index): WatchedCollection => {
    const option = `collections[${index}]`;
    const hasOptions = isObject(given) && 'name' in given && !('kind' in given);
    if (!hasOptions) return { name: named(option, 'collection', given), params: null, mode: 'contains' };
    membersOf(given, ['name', 'params', 'mode'], 'watchTable', option);
    const { name, params, mode = 'contains' } = given as WatchCollectionOptions;
    if (mode !== 'contains' && mode !== 'exact')
      throw wrong(`watchTable: ${option}.mode`, '"contains" or "exact"', mode);
    if (params !== undefined && !isObject(params))
      throw wrong(`watchTable: ${option}.params`, 'an object', params);
    // jsonb_build_object accepts 100 arguments.
    if (params !== undefined && Object.keys(params).length > 50)
      throw new TypeError(`[edict] watchTable: ${option}.params must not have more than 50 members.`);
    return {
      name: named(`${option}.name`, 'collection', name),
      params:
        params === undefined
          ? null
          : Object.entries(params).map(([key, from]) => ({
              key: literal(safe(`${option}.params`, key)),
              value: value(`${option}.params.${key}`, from, false),
            })),
      mode,
    };
  });

  if (onDelete !== 'remove' && onDelete !== 'refresh')
    throw wrong('watchTable: onDelete', '"remove" or "refresh"', onDelete);
  const type = named('type', 'item', options.type);
  const id = value('id', options.id, false);
  const isList = Array.isArray(audience);
  const audiences = (isList ? audience : [audience]).map((each, index) => {
    const option = isList ? `audience[${index}]` : 'audience';
    if (typeof each === 'string' && !isName(each)) throw wrong(`watchTable: ${option}`, nameRule, each);
    return value(option, each, true);
  });
  if (audiences.length === 0)
    throw wrong('watchTable: audience', 'a name or a list with at least one', audience);
  return {
    table: { text: table, sql: qualified(table), alias: identifier(table.split('.').at(-1) ?? table) },
    outbox: namesOf(options.outbox === undefined ? {} : { table: options.outbox }).table,
    name: readName(options, type),
    type,
    id,
    audiences,
    audienceNames: [options.audience ?? []]
      .flat()
      .flatMap((name, index) =>
        typeof name === 'string' ? [{ option: isList ? `audience[${index}]` : 'audience', name }] : [],
      ),
    collections,
    columns:
      columns === undefined
        ? null
        : list('columns', columns).map((column, index) => {
            const option = `columns[${index}]`;
            if (typeof column !== 'string' || column === '')
              throw wrong(`watchTable: ${option}`, 'the name of a column', column);
            return value(option, column, false);
          }),
    removes: onDelete === 'remove',
    maxItems: countOr(100, 'watchTable: maxItems', options.maxItems),
    used,
  };
}

function list(option: string, given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) throw wrong(`watchTable: ${option}`, 'an array', given);
  return given;
}

function checkRegistered(
  option: string,
  kind: NamedDefinition['kind'],
  name: unknown,
  register: unknown,
): void {
  if (register === undefined || typeof name !== 'string') return;
  const known = list('register', register)
    .filter(
      (definition): definition is NamedDefinition =>
        isObject(definition) && 'kind' in definition && definition.kind === kind,
    )
    .map((definition) => definition.name);
  if (known.includes(name)) return;
  throw new TypeError(
    `[edict] watchTable: ${option} is "${name}", which is not registered. Registered names: ${known.join(', ') || 'none'}.`,
  );
}

/** Types that differ only in what a name of a watch cannot contain, such as `Ticket` and `ticket`, need different names. So a hash is added. */
function readName({ name, type }: WatchTableOptions, typeSql: string): string {
  if (name !== undefined && (typeof name !== 'string' || !/^[a-z_][a-z0-9_]{0,29}$/.test(name)))
    throw wrong('watchTable: name', 'at most 30 lower-case letters, digits and _', name);
  if (name !== undefined) return name;
  const text = typeof type === 'string' ? type : 'kind' in type ? type.name : 'value of a row';
  if (/^[a-z0-9_]{1,30}$/.test(text)) return text;
  const words = text.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
  return `${words.slice(0, 21)}_${createHash('sha256').update(typeSql).digest('hex').slice(0, 8)}`;
}

// Copies a value into its JSON form. Throws with the path of a part that has no JSON form (D-HUB-5).

/** A deeper value is treated as a mistake. The limit also keeps the recursion from overflowing the stack. */
const maxDepth = 500;

/**
 * Copies a value into plain JSON data. Members that are `undefined` are dropped. Dates and other objects with `toJSON` are replaced by its
 * result. Throws a `TypeError` that names the path of a function, symbol, bigint, NaN, Infinity, Map, Set, other exotic object or cycle.
 *
 * @param path of the value, after the name of the caller, such as `emit: directives[0]`
 */
export function jsonCopy(value: unknown, path: string): unknown {
  return copy(value, { path, above: [], steps: [] });
}

/**
 * The objects around the current value, and the names and indexes on the path to it. The path is built only for an
 * error.
 */
interface Walk {
  readonly path: string;
  readonly above: object[];
  readonly steps: (string | number)[];
}

function copy(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw noJson(walk, String(value));
      return value;
    case 'object':
      return value === null ? null : copyObject(value, walk);
    case 'undefined':
      throw noJson(walk, 'undefined');
    default:
      throw noJson(walk, `a ${typeof value}`);
  }
}

function copyObject(value: object, walk: Walk): unknown {
  const { above } = walk;
  if (above.includes(value)) throw noJson(walk, 'a cycle');
  if (above.length >= maxDepth) throw noJson(walk, `a value nested deeper than ${maxDepth}`);
  above.push(value);
  const copied = copyParts(value, walk);
  above.pop();
  return copied;
}

function copyPart(part: unknown, step: string | number, walk: Walk): unknown {
  walk.steps.push(step);
  const copied = copy(part, walk);
  walk.steps.pop();
  return copied;
}

function copyParts(value: object, walk: Walk): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    let form: unknown;
    try {
      form = value.toJSON('');
    } catch (error) {
      throw unreadable(walk, error);
    }
    // JSON would replace it with `null`, which is a different value (D-PARAM-1).
    if (form === null && value instanceof Date) throw noJson(walk, 'an invalid Date');
    return copy(form, walk);
  }
  if (Array.isArray(value)) return Array.from(value, (part, index) => copyPart(part, index, walk));
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== 'Object') throw noJson(walk, `an instance of ${kind}`);
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const part = member(value as Record<string, unknown>, name, walk); // Any member of an object may be read.
    if (part === undefined) continue;
    const copied = copyPart(part, name, walk);
    // A plain assignment to `__proto__` would set the prototype and lose the member.
    if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true });
    else result[name] = copied;
  }
  return result;
}

function member(value: Record<string, unknown>, name: string, walk: Walk): unknown {
  try {
    return value[name];
  } catch (error) {
    walk.steps.push(name);
    throw unreadable(walk, error);
  }
}

/** A getter or a `toJSON` of the application threw. */
const unreadable = (walk: Walk, error: unknown): TypeError =>
  noJson(walk, `something that throws when it is read (${String(error)})`);

/** `a.b`, or `a["b c"]` if the name is not an identifier, or `a[0]` in a list. */
export function memberPath(path: string, name: PropertyKey): string {
  if (typeof name === 'number') return `${path}[${name}]`;
  const text = String(name);
  return /^[A-Za-z_$][\w$]*$/.test(text) ? `${path}.${text}` : `${path}[${JSON.stringify(text)}]`;
}

function noJson({ path, steps }: Walk, what: string): TypeError {
  return new TypeError(`[edict] ${steps.reduce(memberPath, path)} has no JSON form, because it is ${what}.`);
}

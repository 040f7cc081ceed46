// A copy of a value as JSON will have it, or the path of the part that JSON cannot say (D-HUB-5).

/** Deeper than this is taken for a mistake; it also keeps recursion from overflowing the stack. */
const maxDepth = 500;

/**
 * Copies a value into plain JSON data. `undefined` members are dropped, dates and other objects with `toJSON` become what that says.
 * Throws a `TypeError` that names the path of a function, symbol, bigint, NaN, Infinity, Map, Set, other exotic object or cycle.
 */
export function jsonCopy(value: unknown, path: string): unknown {
  return copy(value, path, []);
}

/** `above` holds the objects around the value; it is one stack for the whole walk. */
function copy(value: unknown, path: string, above: object[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw noJson(path, String(value));
      return value;
    case 'object':
      return value === null ? null : copyObject(value, path, above);
    case 'undefined':
      throw noJson(path, 'undefined');
    default:
      throw noJson(path, `a ${typeof value}`);
  }
}

function copyObject(value: object, path: string, above: object[]): unknown {
  if (above.includes(value)) throw noJson(path, 'a cycle');
  if (above.length >= maxDepth) throw noJson(path, `a value nested deeper than ${maxDepth}`);
  above.push(value);
  const copied = copyParts(value, path, above);
  above.pop();
  return copied;
}

function copyParts(value: object, path: string, above: object[]): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const said: unknown = value.toJSON('');
    return copy(said, path, above);
  }
  if (Array.isArray(value)) return Array.from(value, (part, index) => copy(part, `${path}[${index}]`, above));
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== 'Object') throw noJson(path, `a ${kind}`);
  const result: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue;
    const copied = copy(part, memberPath(path, name), above);
    // A plain assignment to `__proto__` would set the prototype and lose the member.
    if (name === '__proto__') Object.defineProperty(result, name, { value: copied, enumerable: true });
    else result[name] = copied;
  }
  return result;
}

/** `a.b`, or `a["b c"]` where the name is no identifier. */
export function memberPath(path: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}

function noJson(path: string, what: string): TypeError {
  return new TypeError(`emit: ${path} has no JSON form: it is ${what}.`);
}

// The differences between two versions of an entry's data.

/** One line of a diff. A side without a value is undefined. */
export interface Difference {
  /** The path, such as `author.name` or `tags[2]`; `''` for the whole value. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The maximum number of lines in a diff. */
const most = 100;
const longest = 160;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isPrimitive = (value: unknown): boolean => !isObject(value);

/** A value in one line. */
function text(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // A value that JSON cannot express is described by its type.
  const json =
    typeof value === 'bigint' ? `${value}n` : ((JSON.stringify(value) as string | undefined) ?? typeof value);
  return json.length > longest ? `${json.slice(0, longest)}…` : json;
}

/** Lists of ids are compared as sets: an id that was inserted would otherwise change every line after it. */
function* ofIds(path: string, before: readonly unknown[], after: readonly unknown[]): Generator<Difference> {
  const removed = before.filter((value) => !after.includes(value));
  const added = after.filter((value) => !before.includes(value));
  if (removed.length + added.length > 0)
    yield {
      path,
      before: removed.length > 0 ? removed.map(text).join(', ') : undefined,
      after: added.length > 0 ? added.map(text).join(', ') : undefined,
    };
  else if (before.some((value, i) => value !== after[i]))
    yield { path, before: text(before), after: text(after) };
}

function* differences(path: string, before: unknown, after: unknown): Generator<Difference> {
  if (before === after) return; // Parts that are equal are the same object in both versions.
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield { path, before: text(before), after: text(after) };
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].every(isPrimitive)) {
    yield* ofIds(path, before, after);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const part = Array.isArray(before) ? `[${key}]` : path === '' ? key : `.${key}`;
    yield* differences(path + part, before[key], after[key]);
  }
}

/** The differing parts; at most a hundred. */
export function diffOf(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = [];
  for (const difference of differences('', before ?? undefined, after)) {
    found.push(difference);
    if (found.length === most) break;
  }
  return found;
}

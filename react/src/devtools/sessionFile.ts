// A session as a JSON file. An object that occurs more than once is written once, so that records keep their
// links. For example, the trace of a directive finds its delivery by object identity.

import type { DevtoolsSnapshot } from '@edict/core';
import type { Store } from '../binding/useStore.ts';
import type { TimelineRecord } from './record.ts';
import type { Session } from './session.ts';

const format = 'edict-devtools-session';

interface SessionFile {
  readonly format: typeof format;
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly exportedAt: number;
  readonly records: readonly TimelineRecord[];
  readonly snapshot: DevtoolsSnapshot;
}

type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/**
 * A copy that JSON can represent. A repeated object becomes `{ $ref: path }`, and an error becomes `{ $error:
 * message }`.
 */
function encode(value: unknown, path: Path, seen: Map<object, Path>): unknown {
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol')
    return String(value);
  if (!isObject(value)) return value;
  const known = seen.get(value);
  if (known !== undefined) return { $ref: known };
  seen.set(value, path);
  if (value instanceof Error) return { $error: value.message };
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((part, i) => encode(part, [...path, i], seen));
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, encode(part, [...path, key], seen)]),
  );
}

/** Restores errors and repeated objects, in place. A repeated object is always written before its references. */
function decode(value: unknown, root: unknown): unknown {
  if (!isObject(value)) return value;
  if (typeof value['$error'] === 'string') return new Error(value['$error']);
  const ref = value['$ref'];
  if (Array.isArray(ref)) {
    let found = root;
    for (const key of ref as unknown[]) found = isObject(found) ? found[String(key)] : undefined;
    return found;
  }
  for (const [key, part] of Object.entries(value)) value[key] = decode(part, root);
  return value;
}

/** The session as JSON text. */
export function exportSession(session: Session): string {
  // The store of the cache has an old snapshot if no view shows the cache.
  const { events: _, ...snapshot } = session.live?.dl.devtools() ?? session.cache.getSnapshot().value;
  const file = {
    format,
    version: 1,
    exportedAt: Date.now(),
    records: session.records.getSnapshot(),
    snapshot,
  };
  return JSON.stringify(encode(file, [], new Map()), null, 1);
}

function isSessionFile(value: unknown): value is SessionFile {
  if (!isObject(value) || value['format'] !== format || value['version'] !== 1) return false;
  const { records, snapshot, exportedAt } = value;
  return (
    typeof exportedAt === 'number' &&
    Array.isArray(records) &&
    records.every((one) => isObject(one) && isObject(one['message']) && Array.isArray(one['targets'])) &&
    isObject(snapshot) &&
    ['types', 'collections', 'items', 'refs', 'sse', 'bulk', 'memory'].every((key) => isObject(snapshot[key]))
  );
}

const still = <S>(value: S): Store<S> => ({
  subscribe: () => () => undefined,
  getSnapshot: () => value,
  getServerSnapshot: () => value,
});

let imported = 0;

/** Opens an exported session. Throws an `Error` for any other text. */
export function importSession(text: string): Session & { readonly exportedAt: number } {
  const parsed: unknown = JSON.parse(text);
  const file = decode(parsed, parsed);
  if (!isSessionFile(file))
    throw new Error(
      '[edict] devtools: the file is not a session of the Edict devtools. Choose a file that "Export" has saved.',
    );
  const { records, snapshot, exportedAt } = file;
  const observed = { value: snapshot, takenAt: exportedAt };
  return {
    id: --imported,
    exportedAt,
    records: still(records),
    cache: still(observed),
    state: still(observed),
    live: null,
  };
}

// What a hook returns. A field that was read never changes its value; unread fields move on in silence, all together, and
// when one that was read changes there is a new snapshot and the old one stays as it was (D-REACT-3).

import { deepEqual } from '@edict/core/internal';
import type { Viewpoint, EntryVersion } from './entryView.ts';
import { collectionFields, dataField, dataOf, fieldsOf, itemFields, metaField } from './entryView.ts';
import type { ReadMode } from './readMode.ts';

/** What a snapshot is of. */
export interface Subject extends Viewpoint {
  readonly mode: Pick<ReadMode, 'isEager' | 'isRow'>;
  readonly refresh: () => void;
}

/** How `data` is made of the data of the entry (D-REACT-7). */
export interface Select {
  readonly select: (data: unknown) => unknown;
  readonly isEqual: (a: unknown, b: unknown) => boolean;
}

/**
 * Where a snapshot is from: what a server saw (`server`), the same since the live entry was found to be equal (`taken over`), or the live
 * entry. Taking over renders nothing where all that was read is deeply equal (D-REACT-10), nor does it later: what the server sent and
 * what the live entry holds are different objects for as long as the snapshot lasts.
 */
export type Origin = 'server' | 'taken over' | 'live';

const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;

/** Levels by name are made anew with each `meta`: they are compared by what they say. */
const isSame = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (isRecord(a) && isRecord(b) && deepEqual(a, b));

/** Bit 0: `data` has been read. */
const dataBit = 1 << dataField;

/**
 * All that a snapshot shows, and what of it has been read. It is the snapshot's `meta` too: the getters of the fields stand
 * on the prototype, since own ones would cost more than all the rest.
 */
class Tracked {
  /** Of the moment the snapshot was made, and not tracked. */
  readonly isStale: boolean;
  #usedAt: number | null;
  readonly #viewpoint: Viewpoint;
  readonly #select: Select | null;
  #version: EntryVersion;
  /** `data` of the reference. */
  #raw: unknown;
  /** Bit n: field n has been read. */
  #read = 0;
  /** `data` as it was read. */
  #data: unknown = undefined;
  /** The fields of `meta` as they were read. */
  #values: unknown[] | null = null;
  /** What the snapshot before this one showed: what is equal keeps its identity. */
  readonly #before: readonly unknown[] | null;

  constructor(
    viewpoint: Viewpoint,
    version: EntryVersion,
    raw: unknown,
    select: Select | null,
    before: readonly unknown[] | null,
  ) {
    this.isStale = version.isStale;
    this.#usedAt = version.usedAt;
    this.#viewpoint = viewpoint;
    this.#select = select;
    this.#version = version;
    this.#raw = raw;
    this.#before = before;
  }

  /** As `isStale`. */
  get lastUsedAt(): string | null {
    return this.#usedAt === null ? null : this.#version.isoOf(this.#usedAt);
  }

  /** Reads every field. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { isStale: this.isStale, lastUsedAt: this.lastUsedAt };
    const names = fieldsOf(this.#viewpoint.kind);
    for (let field = 1; field < names.length; field++) json[names[field] ?? ''] = Tracked.field(this, field);
    return json;
  }

  /** `data`; from now on the snapshot depends on it. */
  static data(tracked: Tracked): unknown {
    if ((tracked.#read & dataBit) === 0) {
      const select = tracked.#select;
      const before = tracked.#before;
      let data = dataAt(tracked.#viewpoint, tracked.#version, tracked.#raw, select);
      if (select !== null && before !== null && dataField in before && isSelected(select, before[0], data))
        data = before[dataField];
      tracked.#data = data;
      tracked.#read |= dataBit;
    }
    return tracked.#data;
  }

  /** The value of a field of `meta`; from now on the snapshot depends on it. */
  static field(tracked: Tracked, field: number): unknown {
    const bit = 1 << field;
    const values = (tracked.#values ??= []);
    if ((tracked.#read & bit) === 0) {
      const value = metaField(tracked.#viewpoint, tracked.#version, field);
      const before = tracked.#before;
      values[field] =
        before !== null && field in before && isSame(before[field], value) ? before[field] : value;
      tracked.#read |= bit;
    }
    return values[field];
  }

  static version(tracked: Tracked): EntryVersion {
    return tracked.#version;
  }

  /** Moves on to a later moment where nothing that was read has changed. */
  static advance(
    tracked: Tracked,
    version: EntryVersion,
    raw: unknown,
    select: Select | null,
    origin: Origin,
  ): boolean {
    if (!Tracked.#isUnchanged(tracked, version, raw, select, origin !== 'live')) return false;
    tracked.#version = version;
    tracked.#raw = raw;
    if (origin === 'server') tracked.#usedAt = version.usedAt; // The live entry counts time by another clock than the server's.
    return true;
  }

  static #isUnchanged(
    tracked: Tracked,
    version: EntryVersion,
    raw: unknown,
    select: Select | null,
    isOfServer: boolean,
  ): boolean {
    const read = tracked.#read;
    const viewpoint = tracked.#viewpoint;
    if ((read & dataBit) !== 0) {
      const data = dataAt(viewpoint, version, raw, select);
      const was = tracked.#data;
      const isSameData = select === null ? isSame(was, data) : isSelected(select, was, data);
      if (!isSameData && !(isOfServer && deepEqual(was, data))) return false;
    } else if (select !== tracked.#select) return false;
    const values = tracked.#values;
    if (values === null) return true; // This is what a row that reads only `data` comes to.
    for (let field = 1; field < values.length; field++) {
      if ((read & (1 << field)) === 0) continue;
      const value = metaField(viewpoint, version, field);
      if (!isSame(values[field], value) && !(isOfServer && deepEqual(values[field], value))) return false;
    }
    return true;
  }

  /** What the next snapshot's values are compared with. */
  static values(tracked: Tracked): readonly unknown[] | null {
    const isDataKept = tracked.#select !== null && (tracked.#read & dataBit) !== 0;
    // The core sees to the identity of data.
    if (tracked.#values === null && !isDataKept) return tracked.#before;
    const values = tracked.#before?.slice() ?? [];
    tracked.#values?.forEach((value, field) => (values[field] = value));
    if (isDataKept) values[dataField] = tracked.#data;
    return values;
  }

  /** A class whose getters bear these names; the first is `data`, which is not of meta. */
  static of(names: readonly string[]): typeof Tracked {
    class Meta extends Tracked {}
    for (let field = 1; field < names.length; field++) {
      Object.defineProperty(Meta.prototype, names[field] ?? '', {
        configurable: true,
        get(this: Tracked) {
          return Tracked.field(this, field);
        },
      });
    }
    return Meta;
  }
}

function dataAt(viewpoint: Viewpoint, version: EntryVersion, raw: unknown, select: Select | null): unknown {
  const data = dataOf(viewpoint, version, raw);
  return select === null ? data : select.select(data);
}

const isSelected = ({ isEqual }: Select, a: unknown, b: unknown): boolean => Object.is(a, b) || isEqual(a, b);

const ItemMeta = Tracked.of(itemFields);
const CollectionMeta = Tracked.of(collectionFields);

interface DefinesGetters {
  __defineGetter__: (name: string, read: (this: Snapshot) => unknown) => void;
}

export class Snapshot {
  declare readonly data: unknown;
  readonly meta: Tracked;
  declare readonly refresh?: () => void;

  constructor(
    subject: Subject,
    version: EntryVersion,
    raw: unknown,
    select: Select | null,
    before: readonly unknown[] | null,
  ) {
    const Meta = subject.kind === 'item' ? ItemMeta : CollectionMeta;
    // An own enumerable getter, so that a spread or a serialisation finds and reads it. Every object has this method
    // (ECMAScript, annex B); `Object.defineProperty` is slower, which counts where a list of thousands mounts.
    (this as unknown as DefinesGetters).__defineGetter__('data', readData);
    this.meta = new Meta(subject, version, raw, select, before);
    if (!subject.mode.isRow) this.refresh = subject.refresh;
  }

  /** The version that the snapshot shows, without reading a field. */
  static version(snapshot: Snapshot): EntryVersion {
    return Tracked.version(snapshot.meta);
  }

  /** What it has shown, for whatever is shown in its place. */
  static values(snapshot: Snapshot): readonly unknown[] | null {
    return Tracked.values(snapshot.meta);
  }

  /**
   * The snapshot for a later moment: the same where nothing that was read has changed; a select other than the snapshot's must not
   * serve its unread data.
   */
  static next(
    snapshot: Snapshot,
    subject: Subject,
    version: EntryVersion,
    raw: unknown,
    select: Select | null,
    origin: Origin,
  ): Snapshot {
    const tracked = snapshot.meta;
    if (Tracked.advance(tracked, version, raw, select, origin)) return snapshot;
    return new Snapshot(subject, version, raw, select, Tracked.values(tracked));
  }
}

function readData(this: Snapshot): unknown {
  return Tracked.data(this.meta);
}

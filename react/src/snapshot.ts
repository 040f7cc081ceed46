// What a hook returns. A field that was read never changes its value; unread fields move on in silence, all together, and
// when one that was read changes there is a new snapshot and the old one stays as it was (D-REACT-3).

import type { Lens, Look } from './facts.ts';
import { collectionFields, dataField, dataOf, fieldsOf, itemFields, metaField } from './facts.ts';

/** How `data` is made of the data of the entry (D-REACT-7). */
export interface Select {
  readonly select: (data: unknown) => unknown;
  readonly isEqual: (a: unknown, b: unknown) => boolean;
}

/** An entry at one moment. */
export interface Moment {
  readonly look: Look;
  /** `data` of the reference. */
  readonly raw: unknown;
}

/** Own enumerable getters, so that a spread or a serialisation finds the fields: it reads them all. */
type Fields = readonly (readonly [name: string, read: (this: object) => unknown])[];

interface DefinesGetters {
  __defineGetter__: (name: string, read: (this: object) => unknown) => void;
}

/** Several times as fast as `Object.defineProperty`, which counts where a list of thousands mounts. */
function define(target: object, fields: Fields): void {
  const object = target as DefinesGetters; // Every object has it (ECMAScript, annex B).
  for (const [name, read] of fields) object.__defineGetter__(name, read);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;

/** Levels by name are made anew with each `meta`: they are compared by what they say. */
function isSameRecord(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => name in b && Object.is(a[name], b[name]))
  );
}

const isSame = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (isRecord(a) && isRecord(b) && isSameRecord(a, b));

/** `meta` of a snapshot; its fields are read through the snapshot. Own getters, as a snapshot has, would cost too much here. */
class TrackedMeta {
  readonly #snapshot: Snapshot;
  /** Of the moment the snapshot was made, and not tracked. */
  readonly isStale: boolean;
  readonly #usedAt: number | null;

  constructor(snapshot: Snapshot, isStale: boolean, usedAt: number | null) {
    this.#snapshot = snapshot;
    this.isStale = isStale;
    this.#usedAt = usedAt;
  }

  /** As `isStale`. */
  get lastUsedAt(): string | null {
    return this.#usedAt === null ? null : new Date(this.#usedAt).toISOString();
  }

  /** Reads every field. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { isStale: this.isStale, lastUsedAt: this.lastUsedAt };
    const names = Snapshot.fields(this.#snapshot);
    for (let field = 1; field < names.length; field++) {
      json[names[field] ?? ''] = Snapshot.read(this.#snapshot, field);
    }
    return json;
  }

  /** A class whose getters bear these names; the first is `data`, which is not of meta. */
  static of(names: readonly string[]): typeof TrackedMeta {
    class Meta extends TrackedMeta {}
    for (let field = 1; field < names.length; field++) {
      Object.defineProperty(Meta.prototype, names[field] ?? '', {
        configurable: true,
        get(this: TrackedMeta) {
          return Snapshot.read(this.#snapshot, field);
        },
      });
    }
    return Meta;
  }
}

const ItemMeta = TrackedMeta.of(itemFields);
const CollectionMeta = TrackedMeta.of(collectionFields);

export class Snapshot {
  declare readonly data: unknown;
  declare readonly meta: TrackedMeta;
  declare readonly refresh?: () => void;

  readonly #lens: Lens;
  readonly #select: Select | null;
  readonly #isStale: boolean;
  readonly #usedAt: number | null;
  #look: Look;
  #raw: unknown;
  /** Bit n: field n has been read. */
  #read = 0;
  /** The values of the fields that were read. */
  #values: unknown[] | null = null;
  /** What the snapshot before this one showed: what is equal keeps its identity. */
  #before: readonly unknown[] | null;
  #view: TrackedMeta | null = null;

  constructor(
    lens: Lens,
    { look, raw }: Moment,
    select: Select | null,
    refresh: (() => void) | null,
    before: readonly unknown[] | null,
  ) {
    this.#lens = lens;
    this.#look = look;
    this.#raw = raw;
    this.#select = select;
    this.#isStale = look.isStale;
    this.#usedAt = look.usedAt;
    this.#before = before;
    define(this, snapshotFields);
    if (refresh !== null) this.refresh = refresh;
  }

  /** The value of a field; from now on the snapshot depends on it. */
  static read(snapshot: Snapshot, field: number): unknown {
    const bit = 1 << field;
    if ((snapshot.#read & bit) === 0) {
      const value = Snapshot.#value(snapshot, field, snapshot.#look, snapshot.#raw, snapshot.#select);
      const before = snapshot.#before;
      const kept =
        before !== null && field in before && Snapshot.#equal(snapshot.#select, field, before[field], value);
      (snapshot.#values ??= [])[field] = kept ? before[field] : value;
      snapshot.#read |= bit;
    }
    return snapshot.#values?.[field];
  }

  static meta(snapshot: Snapshot): TrackedMeta {
    const Meta = snapshot.#lens.kind === 'item' ? ItemMeta : CollectionMeta;
    return (snapshot.#view ??= new Meta(snapshot, snapshot.#isStale, snapshot.#usedAt));
  }

  static fields(snapshot: Snapshot): readonly string[] {
    return fieldsOf(snapshot.#lens.kind);
  }

  /** The moment that the snapshot shows, without reading a field. */
  static look(snapshot: Snapshot): Look {
    return snapshot.#look;
  }

  /** What is shown as data before `select`, without reading it. */
  static shown(snapshot: Snapshot): unknown {
    return dataOf(snapshot.#lens, snapshot.#look, snapshot.#raw);
  }

  /**
   * The snapshot for a later moment: the same where nothing that was read has changed. With `isEqual` other values than
   * identical ones count as unchanged (D-REACT-10); a select other than the snapshot's must not serve its unread data.
   */
  static next(
    snapshot: Snapshot,
    moment: Moment,
    select: Select | null,
    isEqual: ((a: unknown, b: unknown) => boolean) | null,
  ): Snapshot {
    const { look, raw } = moment;
    const values = snapshot.#values;
    let isUnchanged = select === snapshot.#select || (snapshot.#read & 1) === 1;
    for (let field = 0; isUnchanged && values !== null && field < values.length; field++) {
      if ((snapshot.#read & (1 << field)) === 0) continue;
      if (field === dataField && raw === snapshot.#raw && select === null && isEqual === null) {
        // The reference's data is the same; whether it is this level's may still have changed.
        isUnchanged = dataOf(snapshot.#lens, look, raw) === Snapshot.shown(snapshot);
        continue;
      }
      const value = Snapshot.#value(snapshot, field, look, raw, select);
      isUnchanged =
        Snapshot.#equal(select, field, values[field], value) || isEqual?.(values[field], value) === true;
    }
    if (isUnchanged) {
      snapshot.#look = look;
      snapshot.#raw = raw;
      return snapshot;
    }
    const before = snapshot.#before?.slice() ?? [];
    values?.forEach((value, field) => (before[field] = value));
    return new Snapshot(snapshot.#lens, moment, select, snapshot.refresh ?? null, before);
  }

  static #value(snapshot: Snapshot, field: number, look: Look, raw: unknown, select: Select | null): unknown {
    if (field !== dataField) return metaField(snapshot.#lens, look, field);
    const data = dataOf(snapshot.#lens, look, raw);
    return select === null ? data : select.select(data);
  }

  static #equal(select: Select | null, field: number, a: unknown, b: unknown): boolean {
    return field === dataField && select !== null ? Object.is(a, b) || select.isEqual(a, b) : isSame(a, b);
  }
}

const snapshotFields: Fields = [
  [
    'data',
    function (this: object): unknown {
      return Snapshot.read(this as Snapshot, dataField); // The getter only stands on snapshots.
    },
  ],
  [
    'meta',
    function (this: object): unknown {
      return Snapshot.meta(this as Snapshot); // As above.
    },
  ],
];

// The snapshot that a hook returns for one version of its entry, with a getter for each field. Reading a field
// makes the hook depend on it. All fields that were read from a snapshot belong to one version. While none of them
// changes, the whole snapshot moves to the newest version. When one of them changes, a new snapshot is created,
// and the old one keeps its version.

import { deepEqual, emptyCollection, type EntryView } from '@edict/core/internal';
import { fieldOf, metaNames, type Viewpoint } from './entryView.ts';

export type Values = Record<string, unknown>;
type Getter = PropertyDescriptor & { readonly name: string };
type Getters = readonly Getter[];

/** An object that provides the values of fields. */
interface Readable {
  readonly read: (field: string) => unknown;
}

const descriptors: Record<string, Getter> = {};

/** An object with its own enumerable getters, so that a spread, rest destructuring, or JSON reads and copies every field. */
export class Fields {
  readonly #from: Readable;

  constructor(from: Readable, getters: Getters) {
    this.#from = from;
    for (const getter of getters) Object.defineProperty(this, getter.name, getter);
  }

  /**
   * All objects share the getter of a field. A closure per object and field would dominate the mount of a long list, and engines store an object
   * as a slow dictionary if another object has another getter of that name.
   */
  static getters(names: readonly string[], prefix = ''): Getters {
    return names.map((name) => {
      const field = prefix + name;
      return (descriptors[field] ??= {
        name,
        enumerable: true,
        get(this: Fields) {
          return this.#from.read(field);
        },
      });
    });
  }
}

const shared = ['data', 'error', 'isPending', 'isFetching', 'isStale', 'meta', 'refresh'];
const getters = {
  item: Fields.getters([...shared, 'isGone']),
  collection: Fields.getters(shared),
};
const metaGetters = {
  item: Fields.getters(metaNames('item'), 'meta.'),
  collection: Fields.getters(metaNames('collection'), 'meta.'),
};

/** How `data` is derived from the entry's data, and when two results are equal. */
export interface Select {
  readonly select?: ((data: unknown) => unknown) | undefined;
  /** Default: deep equality. */
  readonly isEqual?: ((a: unknown, b: unknown) => boolean) | undefined;
}

/** What a snapshot belongs to. */
export interface Subject extends Viewpoint {
  readonly refresh: () => void;
  /**
   * A field was read, possibly from an earlier snapshot. From now on, the hook renders again when this field
   * changes.
   */
  readonly track: (field: string) => void;
}

/** This value is not tracked. It belongs to the time at which the snapshot was created. */
const lastUsedAt = 'meta.lastUsedAt';
/** Whether the data is that of other arguments, so that `isEqual` does not compare it with that of these. */
export const isPrevious = 'meta.isPrevious';

/** Returns the result of a callback of the application, which may be async (D-NAME-5). */
function handled<T>(result: T): T {
  if (result instanceof Promise) result.catch(() => undefined);
  return result;
}

/**
 * One version of an entry for a hook. It is a class, like the source, because a long list mounts thousands of
 * them, and each closure costs as much as a field.
 */
export class Shown implements Readable {
  isStale: boolean;
  usedAt: number | null;
  #meta: Fields | undefined;
  #snapshot: Fields | undefined;
  /** The values of the fields that were read, from this snapshot or an earlier one. */
  readonly values: Values = {};

  /** @param before values that the hook showed earlier: a value that is equal to its predecessor keeps its identity */
  constructor(
    readonly subject: Subject,
    public version: EntryView,
    public select: Select,
    readonly before?: Values,
  ) {
    // The entry computes these values on access.
    this.isStale = subject.ref !== null && version.isStale;
    this.usedAt = version.usedAt;
  }

  /**
   * Whether a field that was read has a different value in the other version. It computes all of them, because the
   * next version is compared with them.
   */
  differsFrom(other: Shown): boolean {
    let isDifferent = false;
    for (const field of Object.keys(this.values))
      try {
        if (field !== lastUsedAt && !Object.is(this.values[field], other.value(field))) isDifferent = true;
      } catch {
        isDifferent = true; // A `select` that throws does so again in the next render, if that still reads the data.
      }
    return isDifferent;
  }

  /** No field that was read differs in the other version, which is newer. */
  become(other: Shown): void {
    this.version = other.version;
    this.select = other.select;
    this.isStale = other.isStale;
    this.usedAt = other.usedAt;
  }

  /** The value of a field, without tracking. */
  value(field: string): unknown {
    const { values, before = values, select } = this;
    if (field in values) return values[field];
    const value = valueOf(this, field);
    // `isEqual` may compare a part of the data, so it receives no data of other arguments.
    const isOwn = field === 'data' && select.isEqual && before[isPrevious] === this.value(isPrevious);
    const isEqual = isOwn ? select.isEqual : deepEqual;
    const last = before[field];
    // An empty list from the server differs from no response.
    const isComparable = field in before && last !== value && last !== emptyCollection;
    return (values[field] = isComparable && handled(isEqual(last, value)) ? last : value);
  }

  read(field: string): unknown {
    const { subject } = this;
    if (field === 'meta') return (this.#meta ??= new Fields(this, metaGetters[subject.key.kind]));
    if (field === 'refresh') return subject.refresh;
    subject.track(field);
    return this.value(field);
  }

  /** What the hook returns. */
  get snapshot(): Fields {
    return (this.#snapshot ??= new Fields(this, getters[this.subject.key.kind]));
  }
}

/** The value of a field that was not read before. */
function valueOf({ subject, version, isStale, usedAt, select }: Shown, field: string): unknown {
  if (field.endsWith('isStale')) return isStale;
  if (field === lastUsedAt) return version.isoOf(usedAt);
  const value = fieldOf(subject, version, field);
  return field === 'data' && select.select ? handled(select.select(value)) : value;
}

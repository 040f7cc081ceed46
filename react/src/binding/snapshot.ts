// The snapshot that a hook returns for one version of its entry, with a getter for each field. Reading a field makes the hook depend on it.
// Everything that was read from a snapshot stays true of one version: while no field that was read changes, the snapshot moves to the newest version
// as a whole. When such a field changes, there is a new snapshot, and the old one keeps its version.

import { deepEqual, type EntryView } from '@edict/core/internal';
import { fieldOf, metaNames, type Viewpoint } from './entryView.ts';

type Values = Readonly<Record<string, unknown>>;
type Getters = readonly (readonly [name: string, getter: PropertyDescriptor])[];

/** What has the values of fields. */
interface Readable {
  readonly read: (field: string) => unknown;
}

/** An object with own enumerable getters, so that a spread, rest destructuring, or JSON reads and copies every field. */
export class Fields {
  readonly #from: Readable;

  constructor(from: Readable, getters: Getters) {
    this.#from = from;
    for (const [name, getter] of getters) Object.defineProperty(this, name, getter);
  }

  /** The functions are shared by all objects with these names: a closure per object and field would dominate the mount of a long list. */
  static getters(names: readonly string[], prefix = ''): Getters {
    return names.map((name) => {
      const field = prefix + name;
      return [
        name,
        {
          enumerable: true,
          get(this: Fields) {
            return this.#from.read(field);
          },
        },
      ];
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

/** How `data` is derived from the entry's data, and when two results are the same. */
export interface Select {
  readonly select: ((data: unknown) => unknown) | undefined;
  readonly isEqual: (a: unknown, b: unknown) => boolean;
}

/** What a snapshot belongs to. */
export interface Subject extends Viewpoint {
  readonly refresh: () => void;
  /** A field was read: from now on, the hook renders again when it changes. */
  readonly track: (field: string) => void;
}

/** Errors are the same only if they are one object, or wrap the same thrown value. */
const isSameError = (a: unknown, b: unknown): boolean =>
  a instanceof Error &&
  b instanceof Error &&
  a.cause !== undefined &&
  a.cause === b.cause &&
  a.message === b.message;

/** An entry at one time. */
export interface EntryState {
  readonly version: EntryView;
  /** `data` of the reference. */
  readonly raw: unknown;
}

/** One version as a hook shows it. A class, like the source: a long list mounts thousands, and each closure costs as much as a field. */
export class Shown implements Readable {
  #state: EntryState;
  #isStale = false;
  #usedAt = NaN;
  readonly #values: Record<string, unknown> = {};
  #meta: Fields | undefined;
  #snapshot: Fields | undefined;

  /** @param before values that the hook showed earlier: a value that is equal to its predecessor keeps its identity */
  constructor(
    readonly subject: Subject,
    state: EntryState,
    readonly select: Select,
    readonly before: Values,
  ) {
    this.#state = state;
    this.moveTo(state);
  }

  get version(): EntryView {
    return this.#state.version;
  }

  /** No field that was read differs in this state. */
  moveTo(state: EntryState): void {
    this.#state = state;
    // The entry computes them when they are read.
    this.#isStale = this.subject.isEnabled && state.version.isStale;
    this.#usedAt = state.version.usedAt;
  }

  #compute(field: string): unknown {
    const { version, raw } = this.#state;
    if (field.endsWith('isStale')) return this.#isStale;
    if (field === 'meta.lastUsedAt') return Number.isNaN(this.#usedAt) ? null : version.isoOf(this.#usedAt);
    const value = fieldOf(this.subject, version, raw, field);
    return field === 'data' && this.select.select ? this.select.select(value) : value;
  }

  /** The value of a field, without tracking. */
  value(field: string): unknown {
    if (field in this.#values) return this.#values[field];
    const { before } = this;
    const [next, last] = [this.#compute(field), before[field]];
    const isEqual = field === 'data' ? this.select.isEqual : deepEqual;
    const isSame =
      field in before && (Object.is(last, next) || isEqual(last, next) || isSameError(last, next));
    return (this.#values[field] = isSame ? last : next);
  }

  read(field: string): unknown {
    const { subject } = this;
    if (field === 'meta') return (this.#meta ??= new Fields(this, metaGetters[subject.key.kind]));
    if (field === 'refresh') return subject.refresh;
    subject.track(field);
    return this.value(field);
  }

  /** The values computed so far, here and before. */
  known(): Values {
    return { ...this.before, ...this.#values };
  }

  /** What the hook returns. */
  get snapshot(): Fields {
    return (this.#snapshot ??= new Fields(this, getters[this.subject.key.kind]));
  }
}

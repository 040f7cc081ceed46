// The snapshot that a hook returns for one version of its entry, with a getter for each field. Reading a field makes the hook depend on it.
// Everything that was read from a snapshot stays true of one version: while no field that was read changes, the snapshot moves to the newest version
// as a whole. When such a field changes, there is a new snapshot, and the old one keeps its version.

import { deepEqual, type EntryView } from '@edict/core/internal';
import { fieldOf, metaNames, type Viewpoint } from './entryView.ts';

type Read = (field: string) => unknown;
type Values = Readonly<Record<string, unknown>>;
type Getters = readonly (readonly [name: string, getter: PropertyDescriptor])[];

/** An object with own enumerable getters, so that a spread, rest destructuring, or JSON reads and copies every field. */
export class Fields {
  readonly #read: Read;

  constructor(read: Read, getters: Getters) {
    this.#read = read;
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
            return this.#read(field);
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

/** One version as a hook shows it. */
export interface Shown {
  readonly version: () => EntryView;
  /** No field that was read differs in this state. */
  readonly moveTo: (state: EntryState) => void;
  readonly select: Select;
  /** What the hook returns. */
  readonly snapshot: Fields;
  /** The value of a field, without tracking. */
  readonly value: Read;
  /** The values computed so far, here and before. */
  readonly known: () => Values;
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

/** @param before values that the hook showed earlier: a value that is equal to its predecessor keeps its identity */
export function createShown(subject: Subject, initial: EntryState, select: Select, before: Values): Shown {
  let state = initial;
  let isStale = false;
  let usedAt = NaN;
  const { kind } = subject.key;
  const values: Record<string, unknown> = {};
  let meta: Fields | undefined;
  let snapshot: Fields | undefined;

  function moveTo(next: EntryState): void {
    state = next;
    // The entry computes them when they are read.
    isStale = subject.isEnabled && next.version.isStale;
    usedAt = next.version.usedAt;
  }
  moveTo(initial);

  function compute(field: string): unknown {
    const { version, raw } = state;
    if (field.endsWith('isStale')) return isStale;
    if (field === 'meta.lastUsedAt') return Number.isNaN(usedAt) ? null : version.isoOf(usedAt);
    const value = fieldOf(subject, version, raw, field);
    return field === 'data' && select.select ? select.select(value) : value;
  }

  function value(field: string): unknown {
    if (field in values) return values[field];
    const [next, last] = [compute(field), before[field]];
    const isEqual = field === 'data' ? select.isEqual : deepEqual;
    const isSame =
      field in before && (Object.is(last, next) || isEqual(last, next) || isSameError(last, next));
    return (values[field] = isSame ? last : next);
  }

  function read(field: string): unknown {
    if (field === 'meta') return (meta ??= new Fields(read, metaGetters[kind]));
    if (field === 'refresh') return subject.refresh;
    subject.track(field);
    return value(field);
  }

  return {
    version: () => state.version,
    moveTo,
    select,
    value,
    known: () => ({ ...before, ...values }),
    get snapshot() {
      return (snapshot ??= new Fields(read, getters[kind]));
    },
  };
}

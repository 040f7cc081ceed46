// The data of the server, and the directives that it emits for each change. Every value is the index of its write,
// so older and newer values can be distinguished.

import type { Directive, Id } from '@edict/core';

export type Status = 'open' | 'done';
export type Level = 'default' | 'mid' | 'full' | 'side';
export type Params = { status?: Status; page?: number } | undefined;

/** A document; null when it was erased. `slim` ones leave the body out of the payload of `full`. */
export interface Doc {
  title: number;
  body: number;
  comments: number;
  side: number;
  status: Status;
  slim: boolean;
  isListed: boolean;
}

export const docIds: readonly number[] = [0, 1, 2, 3, 4];
const noteIds: readonly string[] = ['a', 'b'];
export const levels: readonly Level[] = ['default', 'mid', 'full', 'side'];
export const paramSets: readonly Params[] = [
  { status: 'open', page: 1 },
  undefined,
  { page: 1 },
  { status: 'done' },
  { status: 'open' },
  { page: 1, status: 'done' },
];

export type WriteKind =
  | 'title'
  | 'body'
  | 'comments'
  | 'side'
  | 'slim'
  | 'status'
  | 'list'
  | 'erase'
  | 'note';
export interface Write {
  kind: WriteKind;
  /** The index of the document or note. */
  at: number;
  /** The index of the equivalent directives. */
  style: number;
  listStyle: number;
}

/** Both shapes are sent. The client's shape is not typed as a server directive. */
export interface Owed {
  audience: 'global' | 'team';
  directives: Directive[];
}

type Bucket = 'all' | Status;
const bucketOf = (params: Params): Bucket => params?.status ?? 'all';
const pick = <T>(list: readonly T[], index: number): T => {
  const value = list[index % list.length];
  if (value === undefined) throw new Error('an empty list to pick from');
  return value;
};

export interface Truth {
  doc: (id: Id, level: Level) => Record<string, unknown> | null;
  note: (id: Id) => { id: Id; text: number };
  list: (params: Params) => { ids: number[]; count: number };
  write: (write: Write) => Owed;
  /** The numeric fields of a document just after a write. */
  after: (version: number, id: Id) => Readonly<Record<string, unknown>> | null;
  version: () => number;
}

export function createTruth(): Truth {
  let version = 1;
  const docs = new Map<number, Doc | null>(
    docIds.map((id) => [
      id,
      {
        title: 1,
        body: 1,
        comments: 1,
        side: 1,
        status: id % 2 === 0 ? 'open' : 'done',
        slim: id === 3,
        isListed: id !== 4,
      },
    ]),
  );
  const notes = new Map<string, number>(noteIds.map((id) => [id, 1]));
  const buckets: Record<Bucket, number> = { all: 1, open: 1, done: 1 };
  const history = new Map<string, Doc | null>();

  function doc(id: Id, level: Level): Record<string, unknown> | null {
    const found = docs.get(Number(id)) ?? null;
    if (found === null) return null;
    const { title, status, body, comments, side, slim } = found;
    if (level === 'side') return { id: Number(id), side };
    const base = { id: Number(id), title, status };
    if (level === 'default') return base;
    if (level === 'mid') return { ...base, body };
    return slim ? { ...base, comments } : { ...base, comments, body };
  }

  function list(params: Params): { ids: number[]; count: number } {
    const all = docIds.filter((id) => {
      const found = docs.get(id) ?? null;
      return (
        found !== null && found.isListed && (params?.status === undefined || params.status === found.status)
      );
    });
    const ids = params?.page === undefined ? all : all.slice(params.page, params.page + 2);
    return { ids, count: buckets[bucketOf(params)] };
  }

  function aboutItem(id: number, kind: WriteKind, style: number): unknown[] {
    const meta = { timestamp: version };
    const whole = { op: 'refresh_item', name: 'doc', id, ...meta };
    const withResult = (level: Level): unknown => ({ ...whole, level, result: doc(id, level) });
    const ways: readonly (() => unknown[])[] = [
      () => [whole],
      () => [{ op: 'invalidate', targets: [{ op: 'refresh_item', name: 'doc', id: String(id) }], ...meta }],
      () => [{ op: 'refresh', kind: 'item', name: 'doc', id, ...meta }],
      () => [{ op: 'invalidate', kind: 'item', name: 'doc', id, ...meta }],
    ];
    const special: Partial<Record<WriteKind, readonly (() => unknown[])[]>> = {
      title: [
        () => [withResult('full')],
        () => [withResult('default')],
        () => [withResult('mid'), withResult('full')],
      ],
      body: [
        () => [
          { ...whole, level: 'mid' },
          { ...whole, level: 'full' },
        ],
        () => [withResult('mid'), { ...whole, level: 'full' }],
        () => [withResult('full')],
      ],
      comments: [() => [{ ...whole, level: 'full' }], () => [withResult('full')]],
      side: [() => [{ ...whole, level: 'side' }], () => [withResult('side')]],
    };
    // Inline results are the most error-prone, so they are chosen twice as often.
    const inline = special[kind] ?? [];
    return pick([...inline, ...inline, ...ways], style)();
  }

  function aboutLists(touched: ReadonlySet<Bucket>, style: number): unknown[] {
    const meta = { timestamp: version };
    const whole = { op: 'refresh_collection', name: 'docs', ...meta };
    const sets = paramSets.filter((params) => touched.has(bucketOf(params)));
    const ways: readonly (() => unknown[])[] = [
      () => [whole],
      () =>
        [...touched].flatMap((bucket) =>
          bucket === 'all'
            ? sets
                .filter((params) => params?.status === undefined)
                .map((params) => ({ ...whole, params: params ?? {} }))
            : [{ ...whole, params: { status: bucket }, params_mode: 'contains' }],
        ),
      () => sets.map((params) => ({ ...whole, params: params ?? {}, params_mode: 'exact' })),
      () => sets.map((params) => ({ ...whole, params: params ?? {}, result: list(params) })),
      () =>
        sets.map((params) => ({
          op: 'refresh',
          kind: 'collection',
          name: 'docs',
          params: params ?? {},
          ...meta,
        })),
      () => [{ op: 'invalidate', kind: 'collection', name: 'docs', ...meta }],
      () => [{ op: 'invalidate', targets: [{ op: 'refresh_collection', name: 'docs' }], ...meta }],
      () => [{ ...whole, result: list(undefined) }],
    ];
    return pick(ways, style)();
  }

  function write({ kind, at, style, listStyle }: Write): Owed {
    version += 1;
    // The directives below are of both shapes; the core reads them as unknown.
    const owed = (audience: Owed['audience'], list: unknown[]): Owed => ({
      audience,
      directives: list as Directive[],
    });
    if (kind === 'note') {
      const id = pick(noteIds, at);
      notes.set(id, version);
      const plain = { op: 'refresh_item', name: 'note', id, timestamp: version };
      return owed('team', [pick([plain, { ...plain, result: { id, text: version } }], style)]);
    }
    const id = pick(docIds, at);
    const before = docs.get(id) ?? null;
    const touched = new Set<Bucket>();
    let next: Doc | null = before;
    if (before === null || kind === 'erase') {
      const blank = { title: version, body: version, comments: version, side: version };
      next = before === null ? { ...blank, status: 'open', slim: false, isListed: true } : null;
      if (before === null || before.isListed) {
        touched.add('all').add((next ?? before)?.status ?? 'open');
      }
    } else if (kind === 'status') {
      const status = before.status === 'open' ? 'done' : 'open';
      next = { ...before, status, title: version };
      if (before.isListed) touched.add('open').add('done');
    } else if (kind === 'list') {
      next = { ...before, isListed: !before.isListed };
      touched.add('all').add(before.status);
    } else if (kind === 'slim') {
      next = { ...before, slim: !before.slim, comments: version };
    } else {
      next = { ...before, [kind]: version };
    }
    docs.set(id, next);
    history.set(`${version}/${id}`, next);
    for (const bucket of touched) buckets[bucket] = version;
    // A document that is created again is new in all its levels.
    const what = before === null ? 'erase' : kind;
    const items = what === 'list' ? [] : aboutItem(id, what, style);
    return owed('global', [...items, ...(touched.size > 0 ? aboutLists(touched, listStyle) : [])]);
  }

  return {
    doc,
    list,
    write,
    note: (id) => ({ id, text: notes.get(String(id)) ?? 0 }),
    after(of, id) {
      const found = history.get(`${of}/${id}`) ?? null;
      return found === null ? null : { ...found };
    },
    version: () => version,
  };
}

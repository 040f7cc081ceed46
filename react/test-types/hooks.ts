/* oxlint-disable react/immutability -- what must not compile breaks its rules too */
// Compiled, never run. Each line under a `@ts-expect-error` must not compile.

import { defineCollection, defineItem, type CollectionData, type Id } from '@edict/core';
import {
  useCollection,
  useDL,
  useInfiniteCollection,
  useItem,
  useItems,
  useLifecycle,
  useMutation,
  useSuspenseCollection,
  useSuspenseItem,
} from '@edict/react';
import type { Full, Person, Summary, TicketParams } from './register.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only for `true`. */
const isTrue = <T extends true>(): T | undefined => undefined;

export function useTheItems(id: Id | null): void {
  const summary = useItem('ticket', 1);
  isTrue<Same<typeof summary.data, Summary | null>>();
  isTrue<Same<typeof summary.meta.isLoading, boolean>>();
  isTrue<Same<typeof summary.meta.lastUsedAt, string | null>>();
  isTrue<Same<typeof summary.meta.isPrevious, boolean>>();
  const full = useItem('ticket', id, 'full', { keepPrevious: true });
  isTrue<Same<typeof full.data, Full | null>>();
  const none = useItem('person', undefined, null, { enabled: false, silent: true });
  isTrue<Same<typeof none.data, Person | null>>();
  const length = useItem('ticket', 1, 'full', { select: (ticket) => ticket?.body.length ?? 0 });
  isTrue<Same<typeof length.data, number>>();
  const option = useItem('ticket', 1, { level: 'full', select: (ticket) => ticket?.body ?? '' });
  isTrue<Same<typeof option.data, string>>();
  const inOptions = useItem('ticket', 1, { level: 'full' });
  isTrue<Same<typeof inOptions.data, Full | null>>();
  isTrue<Same<typeof inOptions.error, Error | null>>();
  const titled = useItem('ticket', 1, null, {
    select: (ticket) => ticket?.title,
    isEqual: (a, b) => a?.length === b?.length,
  });
  isTrue<Same<typeof titled.data, string | undefined>>();

  const plain = useItem('ticket', 1, null);
  isTrue<Same<typeof plain.data, Summary | null>>();
  const open: 'full' | null = id === 1 ? 'full' : null;
  const either = useItem('ticket', id, open as 'full' | null);
  isTrue<Same<typeof either.data, Full | Summary | null>>();
  const absent = useItem('ticket', 1, undefined, { silent: true });
  isTrue<Same<typeof absent.data, Summary | null>>();
  const plainRows = useItems('ticket', [1], null, { silent: true });
  isTrue<Same<(typeof plainRows)[number]['data'], Summary | null>>();
  const waited = useSuspenseItem('ticket', 1, null, { isEqual: (a, b) => a.title === b.title });
  isTrue<Same<typeof waited.data, Summary>>();
  const picked = useSuspenseItem('ticket', 1, undefined, { select: (ticket) => ticket.title });
  isTrue<Same<typeof picked.data, string>>();

  // @ts-expect-error an unknown type
  useItem('nobody', 1);
  // @ts-expect-error an unknown level
  useItem('ticket', 1, 'huge');
  // @ts-expect-error a level of another type
  useItem('person', 1, 'full');
  // @ts-expect-error an id is a string or a number
  useItem('ticket', { id: 1 });
  // @ts-expect-error an unknown option
  useItem('ticket', 1, null, { enable: true });
  // @ts-expect-error the data may be null
  void summary.data.title;
  // @ts-expect-error the default level has no body
  void summary.data?.body;
  // @ts-expect-error a snapshot is read only
  summary.data = null;
  // @ts-expect-error isEqual compares what select makes
  useItem('ticket', 1, null, { select: () => 1, isEqual: (a: string, b: string) => a === b });

  const rows = useItems('ticket', [1, null, undefined, '2'], 'full', { silent: true });
  isTrue<Same<(typeof rows)[number]['data'], Full | null>>();
  // @ts-expect-error an unknown type
  useItems('nobody', [1]);
  // @ts-expect-error no ids
  useItems('ticket', [true]);
  rows[0]?.refresh();
  const optional = useItems('ticket', [1], { level: 'full', silent: true });
  isTrue<Same<(typeof optional)[number]['data'], Full | null>>();
}

export function useTheCollections(): void {
  const tickets = useCollection('tickets', { params: { status: 'open', page: 2 }, keepPrevious: true });
  isTrue<Same<typeof tickets.data, CollectionData>>();
  isTrue<Same<typeof tickets.meta.paramsSnapshot, TicketParams | undefined>>();
  const count = useCollection('tickets', { select: ({ count: total }) => total });
  isTrue<Same<typeof count.data, number>>();
  useCollection('people', { params: { team: 'a' } });
  // @ts-expect-error this collection needs params
  useCollection('people');
  // @ts-expect-error this collection needs params
  useCollection('people', { silent: true });

  // @ts-expect-error an unknown collection
  useCollection('nobodies');
  // @ts-expect-error a type is no collection
  useCollection('ticket');
  // @ts-expect-error an unknown param
  useCollection('tickets', { params: { state: 'open' } });
  // @ts-expect-error a wrong value of a param
  useCollection('tickets', { params: { status: 'lost' } });
}

export function useTheSuspenseHooks(): void {
  const summary = useSuspenseItem('ticket', 1);
  isTrue<Same<typeof summary.data, Summary>>();
  const full = useSuspenseItem('ticket', 1, 'full');
  isTrue<Same<typeof full.data, Full>>();
  const title = useSuspenseItem('ticket', 1, 'full', { select: (ticket) => ticket.body });
  isTrue<Same<typeof title.data, string>>();
  const tickets = useSuspenseCollection('tickets', { params: { page: 1 } });
  isTrue<Same<typeof tickets.data, CollectionData>>();

  // @ts-expect-error what suspends needs an id
  useSuspenseItem('ticket', null);
  // @ts-expect-error an unknown level
  useSuspenseItem('person', 1, 'full');
  // @ts-expect-error an unknown collection
  useSuspenseCollection('nobodies');
}

const ticket = defineItem('ticket', {
  fetch: async (id: number) => ({ id, title: 'a' }),
  levels: { full: { fetch: async (id) => ({ id, title: 'a', body: 'b' }) } },
});
const list = defineCollection('list', {
  fetch: async (params: { status?: 'open' | 'closed' } | undefined) => ({
    ids: [params === undefined ? 1 : 2],
    info: { next: 'x' },
  }),
});
const mine = defineCollection('mine', {
  fetch: async (params: { user: string }) => ({ ids: [params.user] }),
});

export function useDefinitions(): void {
  const summary = useItem(ticket, 7);
  isTrue<Same<typeof summary.data, { id: number; title: string } | null>>();
  const full = useItem(ticket, 7, 'full');
  isTrue<Same<typeof full.data, { id: number; title: string; body: string } | null>>();
  const body = useItem(ticket, 7, { level: 'full', select: (data) => data?.body });
  isTrue<Same<typeof body.data, string | undefined>>();
  const rows = useItems(ticket, [1, null]);
  isTrue<Same<(typeof rows)[number]['data'], { id: number; title: string } | null>>();
  const waited = useSuspenseItem(ticket, 7);
  isTrue<Same<typeof waited.data, { id: number; title: string }>>();
  const tickets = useCollection(list, { params: { status: 'open' } });
  isTrue<Same<typeof tickets.data.ids, readonly number[]>>();
  isTrue<Same<typeof tickets.data.info, { next: string } | undefined>>();
  const plain = useCollection(list);
  isTrue<Same<typeof plain.data.ids, readonly number[]>>();
  const own = useCollection(mine, { params: { user: 'ann' }, select: ({ ids }) => ids.length });
  isTrue<Same<typeof own.data, number>>();
  const pages = useInfiniteCollection(list, {
    params: { status: 'open' },
    nextParams(lastPage, all) {
      isTrue<Same<typeof lastPage, CollectionData<number, { next: string }> | undefined>>();
      return all.length > 1 || lastPage?.info?.next === '' ? null : { status: 'open' };
    },
  });
  isTrue<Same<typeof pages.data.ids, readonly number[]>>();

  // @ts-expect-error a wrong type of id
  useItem(ticket, 'seven');
  // @ts-expect-error an unknown level
  useItem(ticket, 7, 'huge');
  // @ts-expect-error an unknown level in the options
  useItem(ticket, 7, { level: 'huge' });
  // @ts-expect-error an unknown param
  useCollection(list, { params: { state: 'open' } });
  // @ts-expect-error this collection needs params
  useCollection(mine);
  // @ts-expect-error this collection needs params
  useSuspenseCollection(mine, { select: ({ ids }) => ids });
  // @ts-expect-error an item is no collection
  useCollection(ticket);
}

export function useTheRest(): void {
  const dl = useDL();
  // @ts-expect-error an unknown type
  dl.fetchItem('nobody', 1);
  const ref = dl.fetchItem('ticket', 1, 'full');
  isTrue<Same<typeof ref.data, { id?: number; title?: string; body?: string } | null>>();

  useLifecycle('sse:gap', ({ event, detail }) => {
    isTrue<Same<typeof event, 'sse:gap'>>();
    isTrue<Same<typeof detail.audience, string>>();
    // @ts-expect-error a gap has no type
    void detail.type;
  });
  useLifecycle('*', ({ event, detail }) => {
    if (event === 'collection:fetch:intent') isTrue<Same<typeof detail.force, boolean>>();
  });
  // @ts-expect-error an unknown event
  useLifecycle('sse:nothing', () => undefined);

  const rename = useMutation(async (title: string, { fetch, signal }) => {
    isTrue<Same<typeof signal, AbortSignal>>();
    return (await fetch(`/x/${title}`)).status;
  });
  isTrue<Same<ReturnType<typeof rename.run>, Promise<number>>>();
  isTrue<Same<typeof rename.error, Error | null>>();
  isTrue<Same<typeof rename.pending, readonly string[]>>();
  void rename.run('x');
  // @ts-expect-error the input is missing
  void rename.run();
  // @ts-expect-error the input is a string
  void rename.run(1);
  const plain = useMutation(() => 1, { until: 'settled' });
  void plain.run();
  const none = useMutation((_: undefined, { json }) => json('/api/people', { method: 'POST' }));
  void none.run();
  // @ts-expect-error The mutation has no input.
  void none.run(5);
  const optional = useMutation((n?: number) => n ?? 0);
  void optional.run();
  void optional.run(1);
  // @ts-expect-error an unknown moment
  useMutation(() => 1, { until: 'never' });
}

export function useTheGrowing(): void {
  const list = useInfiniteCollection('tickets', {
    nextParams: (_, pages) => (pages.length > 3 ? null : { status: 'open', page: pages.length + 1 }),
    initialPages: 2,
    keepPrevious: true,
  });
  isTrue<Same<typeof list.data, CollectionData>>();
  isTrue<Same<typeof list.meta.error, string | null>>();
  list.fetchNextPage();
  // @ts-expect-error an unknown collection
  useInfiniteCollection('nothing', { nextParams: () => null });
  // @ts-expect-error params of another collection
  useInfiniteCollection('tickets', { nextParams: () => ({ team: 'billing' }) });
  // @ts-expect-error without the params of its pages there are none
  useInfiniteCollection('tickets', {});
}

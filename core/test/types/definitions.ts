// Compiled by `tsc -b`, never run. What definitions infer, without a `Register`, and what does not compile.

import {
  createDataLayer,
  defineCollection,
  defineItem,
  type CollectionConfig,
  type CollectionDefinition,
  type CollectionReference,
  type ItemDefinition,
  type ItemReference,
  type RegisterOf,
} from '@edict/core';
import { readDehydrated, type DehydratedState } from '@edict/core/hydration';
import {
  refreshCollection,
  refreshItem,
  refreshType,
  removeItem,
  type Directive,
  type TypeInvalidate,
} from '@edict/core/protocol';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only for `true`. */
export const isTrue = <T extends true>(): T | undefined => undefined;

type Status = 'open' | 'closed';
interface Summary {
  id: number;
  title: string;
}
interface Ticket extends Summary {
  body: string;
}
interface Person {
  login: string;
}
interface TicketPage {
  items: Summary[];
  count: number;
  info: { next: string | null };
  /** Responses may contain more than Edict uses. */
  requestId: string;
}
interface Params {
  status?: Status;
  page?: number;
}

declare function getJson<T>(url: string, signal?: AbortSignal): Promise<T>;
declare const state: DehydratedState;
const dl = createDataLayer();

// Items

export const ticket = defineItem('ticket', {
  fetch: (id: number, { signal }) => getJson<Summary>(`/api/tickets/${id}`, signal),
  bulkFetch: (ids, level, { signal }) =>
    getJson<Summary[]>(`/api/tickets?ids=${ids.map((id) => id.toFixed()).join()}&as=${level}`, signal),
  levels: { full: { fetch: (id, { signal }) => getJson<Ticket>(`/api/tickets/${id.toFixed()}`, signal) } },
  levelConversionMap: { full: ['default'] },
  retry: { attempts: 2, retryOn: (error) => error instanceof TypeError },
});
isTrue<
  Same<typeof ticket, ItemDefinition<'ticket', number, { default: Summary; full: Ticket }>> extends true
    ? true
    : (typeof ticket)['~types'] extends
          | { readonly id: number; readonly levels: { default: Summary; full: Ticket } }
          | undefined
      ? true
      : false
>();

/** A level entry for the default level, a nullable payload, and an id by another name. */
export const person = defineItem('person', {
  fetch: (login: string, { signal }) => getJson<Person | null>(`/api/people/${login}`, signal),
  getId: ({ login }) => login,
  levels: {
    default: {
      bulkFetch: async (logins, _, { signal }) =>
        new Map((await getJson<Person[]>(logins.join(), signal)).map((one) => [one.login, one])),
      stalenessMs: 1000,
    },
  },
  retry: 1,
});
const noPerson: Person | null = null;
refreshItem(person, 'ann', { level: 'default', result: noPerson });

export const counts = defineItem('counts', {
  fetch: (_, { signal }) => getJson<{ open: number }>('/', signal),
});
export const inline = defineItem('inline', { fetch: () => ({ open: 1, label: 'x' }) });
isTrue<Same<ReturnType<typeof openOf>, ItemReference<{ open?: number; label?: string }>>>();
function openOf() {
  return dl.getItemRef(inline, 'any id');
}

const summary = dl.fetchItem(ticket, 7);
isTrue<Same<typeof summary, ItemReference<{ id?: number; title?: string; body?: string }>>>();
const byLevel = dl.fetchItem(ticket, 7, 'full', { force: true });
isTrue<Same<typeof byLevel, typeof summary>>();
const ofPerson = dl.getItemRef(person, 'ann').data;
isTrue<Same<typeof ofPerson, { login?: string } | null>>();
const profile = defineItem('profile', {
  fetch: (_: string, { signal }) => getJson<Person>('/', signal),
  levels: { photo: { fetch: (_, { signal }) => getJson<{ url: string } | null>('/photo', signal) } },
});
const ofProfile = dl.getItemRef(profile, 'ann').data;
isTrue<Same<typeof ofProfile, { login?: string; url?: string } | null>>();
void dl.prefetchItem(ticket, 7, null);
dl.isItemLoading(ticket, 7, 'full');
const read = readDehydrated(dl, state, { type: ticket, id: 7, level: 'full' });
isTrue<Same<typeof read, typeof summary | null>>();

const ensured = dl.ensureItem(ticket, 7, 'full');
isTrue<Same<typeof ensured, Promise<Ticket | null>>>();
const ensuredDefault = dl.ensureItem(ticket, 7);
isTrue<Same<typeof ensuredDefault, Promise<Summary | null>>>();

// Collections

export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (params: Params | undefined, { signal }) => getJson<TicketPage>(`/?page=${params?.page}`, signal),
  retry: 2,
});
isTrue<
  Same<typeof tickets, CollectionDefinition<'tickets', Params | undefined, number, { next: string | null }>>
>();
export const asArray = defineCollection('asArray', {
  of: ticket,
  fetch: (_, { signal }) => getJson<Summary[]>('/', signal),
});
export const asIds = defineCollection('asIds', { of: ticket, fetch: () => ({ ids: [1, 2], count: 20 }) });
export const atLevel = defineCollection('atLevel', {
  of: ticket,
  level: 'full',
  fetch: () => Promise.resolve({ items: [{ id: 1, title: 'a', body: 'b' }] }),
});
/** Items of a nullable payload are never null in a list. */
export const people = defineCollection('people', { of: person, fetch: () => [{ login: 'ann' }] });
/** The payload of a type that is named by a string is not known. */
export const byName = defineCollection('byName', { of: 'ticket', level: 'full', fetch: () => [{ id: 1 }] });
export const plain = defineCollection('plain', {
  fetch: async (params: { team: string }) => ({ ids: ['a'], info: { team: params.team } }),
});
isTrue<Same<typeof plain, CollectionDefinition<'plain', { team: string }, string, { team: string }>>>();
isTrue<Same<typeof asIds, CollectionDefinition<'asIds', object | undefined, number, never>>>();
isTrue<Same<typeof people, CollectionDefinition<'people', object | undefined, string, never>>>();

// With `exactOptionalPropertyTypes`, an option may still be undefined.

dl.init({ sse: { url: undefined }, memory: undefined, bulk: undefined, fetchOrigins: undefined });
dl.configureSse({ audience: undefined });
dl.reset({ audience: undefined });
dl.fetchItem(ticket, 7, 'full', { force: undefined, silent: undefined });
createDataLayer({ env: undefined, register: undefined, defaults: undefined });

/** Branded ids stay branded in lists. */
type UserId = string & { readonly brand: 'user' };
type BotId = number & { readonly brand: 'bot' };
const member = defineItem('member', {
  fetch: (id: UserId | BotId) => getJson<{ id: UserId | BotId }>(`/${id}`),
});
export const members = defineCollection('members', {
  of: member,
  fetch: () => getJson<{ id: UserId }[]>('/'),
});
isTrue<Same<typeof members, CollectionDefinition<'members', object | undefined, UserId | BotId, never>>>();
export const userIds = defineCollection('userIds', { fetch: () => getJson<{ ids: UserId[] }>('/') });
isTrue<Same<typeof userIds, CollectionDefinition<'userIds', object | undefined, UserId, never>>>();
/** In a function for any type of item. */
export function listOf<I extends UserId | BotId>(load: (id: I) => Promise<{ id: I }>, all: () => I[]) {
  const one = defineItem('one', { fetch: load });
  const list = defineCollection('list', { of: one, fetch: () => ({ ids: all() }) });
  return dl.fetchCollection(list).data.ids.map((id) => dl.fetchItem(one, id));
}

const list = dl.fetchCollection(tickets, { params: { status: 'open' }, silent: true });
isTrue<Same<typeof list, CollectionReference<Params | undefined, number, { next: string | null }>>>();
const next: string | null | undefined = list.data.info?.next;
dl.fetchItem(ticket, list.data.ids[0] ?? 1);
dl.fetchCollection(tickets);
dl.getCollectionRef(tickets, { params: null });
dl.fetchCollection(plain, { params: { team: 'a' } });
dl.isCollectionLoading(tickets, { page: 1 });
void dl.prefetchCollection(plain, { params: { team: 'a' } });
const readList = readDehydrated(dl, state, { name: tickets, params: { page: 1 } })?.data.info?.next;
isTrue<Same<typeof readList, typeof next>>();

const ensuredList = dl.ensureCollection(tickets);
isTrue<Same<typeof ensuredList, Promise<typeof list.data>>>();

// Names are unchanged.

const byString: ItemReference = dl.fetchItem('ticket', '7', 'any level');
dl.fetchCollection('tickets', { params: { any: 1 } });
dl.createType('ticket', { fetch: (id) => ({ id }), levels: { default: { stalenessMs: 1 } } });
dl.createCollection('tickets', { of: ticket, fetch: () => [{ id: 1, title: byString.meta.lastUsedAt }] });
dl.createCollection('tickets', { of: 'ticket', fetch: () => [{ any: 1 }] });
dl.createCollection('tickets', { fetch: (params) => ({ ids: Object.keys(params ?? {}) }) });

/** A config in a variable of the declared type. */
declare const listConfig: CollectionConfig;
dl.createCollection('tickets', listConfig);
dl.createCollection('tickets', { ...listConfig, stalenessMs: 0 });
dl.register(defineCollection('tickets', listConfig));
declare const unreadable: { fetch: () => unknown };
// @ts-expect-error A fetch function returns a list.
dl.createCollection('tickets', unreadable);
declare const misfits: { of: typeof ticket; fetch: () => { id: number }[] };
// @ts-expect-error The items lack a title.
defineCollection('tickets', misfits);

// Directives

export const directives: Directive[] = [
  refreshItem(ticket, 7),
  refreshItem(ticket, 7, { result: { id: 7, title: 'a' }, audience: 'team-7' }),
  refreshItem(ticket, 7, { level: 'full', result: { id: 7, title: 'a', body: 'b' } }),
  refreshItem(person, 'ann', { level: 'default', result: null }),
  removeItem(ticket, 7, { idempotency_key: 'k' }),
  removeItem('ticket', '7'),
  refreshCollection(tickets, { params: { status: 'open' }, mode: 'contains' }),
  refreshCollection(tickets, { params: { page: 1 }, result: { ids: [1], info: { next: null } } }),
  refreshCollection(plain, { params: {}, mode: 'contains' }),
  refreshCollection(plain, { result: { ids: ['a'], count: 2 } }),
];
export const types: TypeInvalidate[] = [refreshType(ticket), refreshType('ticket', { source: 'me' })];

// Registration

dl.register(ticket, person, tickets, plain);
createDataLayer({ register: [ticket, tickets] });
isTrue<
  Same<
    RegisterOf<[typeof person, typeof tickets, typeof plain]>['collections'],
    { tickets: Params; plain: { team: string } }
  >
>();
isTrue<Same<keyof RegisterOf<(typeof ticket | typeof person)[]>['types'], 'ticket' | 'person'>>();
const registered = null as unknown as RegisterOf<[typeof ticket, typeof person, typeof tickets]>['types'];
isTrue<Same<typeof registered.ticket.full, Ticket>>();
isTrue<Same<typeof registered.person.default, Person | null>>();
isTrue<Same<keyof typeof registered, 'ticket' | 'person'>>();

// What does not compile

// @ts-expect-error The ids are numbers.
dl.fetchItem(ticket, '7');
// @ts-expect-error The type has no such level.
dl.fetchItem(ticket, 7, 'huge');
// @ts-expect-error Options are the last argument.
dl.fetchItem(ticket, 7, { force: true });
// @ts-expect-error The type has no such level.
void dl.ensureItem(ticket, 7, 'huge');
// @ts-expect-error The params have required fields.
void dl.ensureCollection(plain);
// @ts-expect-error A collection is no type.
dl.fetchItem(tickets, 7);
// @ts-expect-error A type is no collection.
dl.fetchCollection(ticket);
// @ts-expect-error An unknown param.
dl.fetchCollection(tickets, { params: { state: 'open' } });
// @ts-expect-error A wrong value of a param.
dl.fetchCollection(tickets, { params: { status: 'lost' } });
// @ts-expect-error Params are inside the options.
dl.fetchCollection(tickets, { status: 'open' });
// @ts-expect-error The params have required fields.
dl.fetchCollection(plain);
// @ts-expect-error The params have required fields.
dl.fetchCollection(plain, { silent: true });
// @ts-expect-error The params have required fields.
void dl.prefetchCollection(plain, { params: null });
// @ts-expect-error The type has no such level.
readDehydrated(dl, state, { type: ticket, id: 7, level: 'huge' });
// @ts-expect-error The ids are numbers.
refreshItem(ticket, '7');
// @ts-expect-error The ids are numbers.
removeItem(ticket, '7');
// @ts-expect-error The type has no such level.
refreshItem(ticket, 7, { level: 'huge' });
// @ts-expect-error The payload is not nullable.
refreshItem(ticket, 7, { level: 'full', result: null });
// @ts-expect-error No payload of the type is nullable.
refreshItem(ticket, 7, { result: null });
// @ts-expect-error A field of another type.
refreshItem(ticket, 7, { level: 'default', result: { id: '7', title: 'a' } });
// @ts-expect-error The result is the payload of another level.
refreshItem(ticket, 7, { level: 'full', result: { id: 7, title: 'a' } });
// @ts-expect-error A list has ids.
refreshCollection(tickets, { result: { rows: [1] } });
// @ts-expect-error The ids are numbers.
refreshCollection(tickets, { result: { ids: ['1'] } });
// @ts-expect-error Another type of `info`.
refreshCollection(tickets, { result: { ids: [1], info: { next: 1 } } });
// @ts-expect-error The list has no `info`.
refreshCollection(asIds, { result: { ids: [1], info: { next: 1 } } });
// @ts-expect-error With exact params, all required fields are needed.
refreshCollection(plain, { params: {} });
// @ts-expect-error A collection is no type.
refreshType(tickets);
// @ts-expect-error A name is no definition.
dl.register('ticket');
// @ts-expect-error The items lack fields.
defineCollection('x', { of: ticket, fetch: () => [{ id: 1 }] });
// @ts-expect-error The items lack a field of the level.
defineCollection('x', { of: ticket, level: 'full', fetch: () => [{ id: 1, title: 'a' }] });
// @ts-expect-error The type has no such level.
defineCollection('x', { of: ticket, level: 'huge', fetch: () => [{ id: 1, title: 'a' }] });
// @ts-expect-error Items need `of`.
defineCollection('x', { fetch: () => [{ id: 1, title: 'a' }] });
// @ts-expect-error The ids are numbers.
defineCollection('x', { of: ticket, fetch: () => ({ ids: ['1'] }) });
// @ts-expect-error An unknown option.
defineItem('x', { fetch: (id: number) => id, staleness: 1 });
// @ts-expect-error A level other than the default one needs `fetch`.
defineItem('x', { fetch: (id: number) => id, levels: { full: { stalenessMs: 1 } } });
// @ts-expect-error The stored value is used immediately.
createDataLayer({ env: { sessionStore: { get: async () => null, set: () => undefined } } });
createDataLayer({
  // @ts-expect-error The function that unsubscribes is used without waiting.
  env: { page: { isVisible: () => true, isOnline: () => true, onChange: async () => () => undefined } },
});
// @ts-expect-error A bulk response of another type.
defineItem('x', { fetch: (id: number) => ({ id }), bulkFetch: (ids) => ids });

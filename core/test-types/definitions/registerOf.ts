// Compiled by a test, never run. `RegisterOf` types names that are written as strings. A program of its own, because `Register` applies to
// all of it.

import {
  defineCollection,
  defineItem,
  DL,
  type CollectionConfig,
  type ItemReference,
  type RegisterOf,
} from '@edict/core';
import { refreshCollection, refreshItem, removeItem, type Directive } from '@edict/core/protocol';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <T extends true>(): T | undefined => undefined;

interface Summary {
  id: number;
  title: string;
}
interface Full extends Summary {
  body: string;
}

const ticket = defineItem('ticket', {
  fetch: (id: number): Promise<Summary> => Promise.resolve({ id, title: 'a' }),
  levels: { full: { fetch: (id): Full => ({ id, title: 'a', body: 'b' }) } },
});
const tickets = defineCollection('tickets', {
  of: ticket,
  // A fetch function may use the data layer that the definitions type.
  fetch: async (params: { page?: number } | undefined): Promise<Summary[]> => {
    await DL.prefetchItem('ticket', params?.page ?? 1);
    return [];
  },
});
const comments = defineCollection('comments', {
  fetch: (params: { ticketId: number }) => ({ ids: [params.ticketId] }),
});

declare module '@edict/core' {
  interface Register extends RegisterOf<[typeof ticket, typeof tickets, typeof comments]> {}
}

DL.register(ticket, tickets, comments);

const byName = DL.fetchItem('ticket', 7, 'full');
isTrue<Same<typeof byName, ItemReference<{ id?: number; title?: string; body?: string }>>>();
isTrue<Same<typeof byName, ReturnType<typeof byDefinition>>>();
function byDefinition() {
  return DL.fetchItem(ticket, 7);
}
DL.fetchCollection('tickets');
DL.fetchCollection('tickets', { params: { page: 1 } });
DL.fetchCollection('comments', { params: { ticketId: 7 } });
DL.createCollection('comments', { of: 'ticket', fetch: () => [{ id: 1, title: 'a' }] });
declare const listConfig: CollectionConfig<'comments'>;
DL.createCollection('comments', listConfig);

export const directives: Directive[] = [
  refreshItem('ticket', 7, { level: 'full', result: { id: 7, title: 'a', body: 'b' } }),
  refreshItem(ticket, 7),
  removeItem(ticket, 7),
  refreshCollection(comments, { params: {}, mode: 'contains' }),
];
/** A definition that is not in the register is accepted all the same. */
const other = defineItem('other', { fetch: (id: string) => ({ id }) });
export const more: Directive[] = [refreshItem(other, 'a'), removeItem(other, 'a')];
DL.fetchItem(other, 'a');

// @ts-expect-error An unknown type.
DL.fetchItem('other', 'a');
// @ts-expect-error An unknown level.
DL.fetchItem('ticket', 7, 'huge');
// @ts-expect-error The params have required fields.
DL.fetchCollection('comments');
// @ts-expect-error An unknown param.
DL.fetchCollection('tickets', { params: { size: 1 } });
// @ts-expect-error The payload is not nullable.
refreshItem('ticket', 7, { result: null });
// @ts-expect-error The items lack a field.
DL.createCollection('comments', { of: 'ticket', fetch: () => [{ id: 1 }] });
// @ts-expect-error An unknown type.
DL.createCollection('comments', { of: 'other', fetch: () => [{ id: 1 }] });

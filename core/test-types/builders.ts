// Compiled by a test, never run: with a `Register` of its own, which would bind every other test too.

import type { CollectionName, TypeName } from '@edict/core';
import {
  forceReloadPage,
  invalidate,
  refreshCollection,
  refreshItem,
  removeItem,
  type Directive,
  type RefreshItemDirective,
} from '@edict/core/protocol';

interface Summary {
  id: number;
  subject: string;
}

declare module '@edict/core' {
  interface Register {
    types: {
      ticket: { default: Summary; full: Summary & { body: string } };
      user: { default: { id: string } };
    };
    collections: {
      tickets: { status?: 'open' | 'closed'; page?: number };
      comments: { ticketId: number; page: number };
      users: object;
    };
  }
}

export const accepted: Directive[] = [
  refreshCollection('tickets'),
  refreshCollection('tickets', { params: { status: 'open' }, mode: 'contains', idempotency_key: 'k' }),
  refreshCollection('users', { params: { any: 1 } }),
  refreshCollection('comments', { params: { ticketId: 7 }, mode: 'contains' }),
  refreshCollection('comments', { params: { ticketId: 7, page: 1 } }),
  { op: 'refresh_collection', name: 'comments', params: { ticketId: 7 }, params_mode: 'contains' },
  refreshItem('ticket', 7),
  refreshItem('ticket', '7', { level: 'full' }),
  removeItem('ticket', '7'),
  refreshItem('user', 'ann', { level: 'default' }),
  refreshItem('ticket', 7, { level: 'default', result: { id: 7, subject: 'Printer' } }),
  refreshItem('ticket', 7, { result: { id: 7, subject: 'Printer', body: 'It burns.' } }),
  { op: 'refresh_item', name: 'ticket', id: 7, level: 'full', result: null },
  invalidate([refreshItem('ticket', 7), refreshCollection('tickets')], { audience: 'team-7' }),
  invalidate([invalidate([])]),
  forceReloadPage({ hard: true, idempotency_key: 'k' }),
];

export const ticket: RefreshItemDirective<'ticket'> = refreshItem('ticket', 7);

// A name that may be one of several.
export const each: Directive[] = (['ticket', 'user'] as const).map((type) => refreshItem(type, 7));
export const lists = (['tickets', 'users'] as const).map((name) => invalidate([refreshCollection(name)]));
export const changed = <T extends TypeName>(type: T, id: number): Directive => refreshItem(type, id);
export const either = (mode: 'exact' | 'contains'): Directive =>
  refreshCollection('comments', { params: { ticketId: 7, page: 1 }, mode });
export const moved = <C extends CollectionName>(name: C): Directive => refreshCollection(name);

// @ts-expect-error An unknown collection.
refreshCollection('ticket');
// @ts-expect-error A param of another type.
refreshCollection('tickets', { params: { status: 'lost' } });
// @ts-expect-error An unknown param.
refreshCollection('tickets', { params: { colour: 'red' } });
// @ts-expect-error No list has only some of the params: that takes `contains`.
refreshCollection('comments', { params: { ticketId: 7 } });
// @ts-expect-error A param of another type.
refreshCollection('comments', { params: { ticketId: '7' }, mode: 'contains' });
// @ts-expect-error An unknown param.
refreshCollection('comments', { params: { colour: 'red' }, mode: 'contains' });
// @ts-expect-error No params at all.
refreshCollection('users', { params: 'any' });
// @ts-expect-error An unknown mode.
refreshCollection('tickets', { mode: 'some' });
// @ts-expect-error An unknown type.
refreshItem('tickets', 7);
// @ts-expect-error A level of another type.
refreshItem('user', 7, { level: 'full' });
// @ts-expect-error A field of another type in the payload.
refreshItem('ticket', 7, { result: { id: '7', subject: 'Printer' } });
// @ts-expect-error The payload of another level.
refreshItem('ticket', 7, { level: 'full', result: { id: 7, subject: 'Printer' } });
// @ts-expect-error The payload is not nullable.
refreshItem('ticket', 7, { level: 'full', result: null });
// @ts-expect-error The payload of another type.
invalidate([{ op: 'refresh_item', name: 'user', id: 1, result: { id: 7, subject: 'Printer' } }]);
// @ts-expect-error Neither string nor number.
refreshItem('ticket', null);
// @ts-expect-error Not a directive.
invalidate([{ op: 'refresh', name: 'tickets' }]);
// @ts-expect-error A name within targets is checked too.
invalidate([{ op: 'refresh_item', name: 'tickets', id: 1 }]);
// @ts-expect-error Metadata is checked.
forceReloadPage({ seq: '1' });

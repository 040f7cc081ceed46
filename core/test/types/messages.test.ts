// The messages of the compiler for the most likely mistakes. A message is part of the API. It must name the value and the rule.

import { describe, expect, it } from 'vitest';
import { compile } from './compile.ts';

const desk = `
import { createDataLayer, defineCollection, defineItem } from '@edict/core';
interface Summary { id: number; title: string }
interface Ticket extends Summary { body: string }
export const ticket = defineItem('ticket', {
  fetch: (id: number): Promise<Summary> => Promise.resolve({ id, title: 'a' }),
  levels: { full: { fetch: (id): Ticket => ({ id, title: 'a', body: 'b' }) } },
});
export const tickets = defineCollection('tickets', {
  of: ticket,
  fetch: (params: { status?: 'open' | 'closed' } | undefined): Summary[] => [],
});
export const comments = defineCollection('comments', {
  fetch: (params: { ticketId: number }) => ({ ids: [params.ticketId] }),
});
export const dl = createDataLayer();
`;
const imports = `
import { defineCollection } from '@edict/core';
import { refreshCollection, refreshItem } from '@edict/core/protocol';
import { comments, dl, ticket, tickets } from './desk.ts';
`;

const cases: readonly [mistake: string, code: string, message: string][] = [
  [
    'an id of the wrong type',
    `dl.fetchItem(ticket, '7');`,
    `Argument of type 'string' is not assignable to parameter of type 'number'.`,
  ],
  [
    'an unknown level',
    `dl.fetchItem(ticket, 7, 'huge');`,
    `Argument of type '"huge"' is not assignable to parameter of type '"full" | "default" | null | undefined'.`,
  ],
  [
    'options where the level belongs',
    `dl.fetchItem(ticket, 7, { force: true });`,
    `Argument of type '{ force: boolean; }' is not assignable to parameter of type '"full" | "default" | null | undefined'.`,
  ],
  ['missing params', `dl.fetchCollection(comments);`, 'Expected 2 arguments, but got 1.'],
  [
    'an unknown param',
    `dl.fetchCollection(tickets, { params: { state: 'open' } });`,
    `Object literal may only specify known properties, and 'state' does not exist in type '{ status?: "open" | "closed"; }'.`,
  ],
  [
    'a wrong value of a param',
    `dl.fetchCollection(tickets, { params: { status: 'lost' } });`,
    `Type '{ status: "lost"; }' is not assignable to type '{ status?: "open" | "closed"; } | undefined'.
  Types of property 'status' are incompatible.
    Type '"lost"' is not assignable to type '"open" | "closed" | undefined'.`,
  ],
  [
    'params outside of the options',
    `dl.fetchCollection(tickets, { status: 'open' });`,
    `Object literal may only specify known properties, and 'status' does not exist in type 'FetchCollectionOptions<NoInfer<{ status?: "open" | "closed"; } | undefined>>'.`,
  ],
  [
    'a wrong inline result',
    `refreshItem(ticket, 7, { level: 'full', result: { id: 7, title: 'a' } });`,
    `Property 'body' is missing in type '{ id: number; title: string; }' but required in type 'Ticket'.`,
  ],
  [
    'a null result of a payload that is not nullable',
    `refreshItem(ticket, 7, { result: null });`,
    `Type 'null' is not assignable to type 'Summary | Ticket | undefined'.`,
  ],
  [
    'a list result without ids',
    `refreshCollection(tickets, { result: { items: [] } });`,
    `Object literal may only specify known properties, and 'items' does not exist in type 'ListResult<number, never>'.`,
  ],
  [
    'items that do not fit the type',
    `defineCollection('x', { of: ticket, fetch: () => [{ id: 7, name: 'a' }] });`,
    `Object literal may only specify known properties, and 'name' does not exist in type 'Summary'.`,
  ],
  [
    'items without "of"',
    `defineCollection('x', { fetch: () => [{ id: 7 }] });`,
    `Object literal may only specify known properties, and 'id' does not exist in type 'ItemsNeedTheOptionOf'.`,
  ],
  [
    'an unknown level of a list',
    `defineCollection('x', { of: ticket, level: 'huge', fetch: () => [] });`,
    `Type '"huge"' is not assignable to type '"full" | "default" | undefined'.`,
  ],
  [
    'a collection as a type',
    `dl.fetchItem(tickets, 7);`,
    `Argument of type 'CollectionDefinition<"tickets", { status?: "open" | "closed"; } | undefined, number, never>' is not assignable to parameter of type 'string | ItemDefinition<string, Id, Record<string, unknown>>'.
  Type 'CollectionDefinition<"tickets", { status?: "open" | "closed"; } | undefined, number, never>' is not assignable to type 'ItemDefinition<string, Id, Record<string, unknown>>' with 'exactOptionalPropertyTypes: true'. Consider adding 'undefined' to the types of the target's properties.
    Types of property 'kind' are incompatible.
      Type '"collection"' is not assignable to type '"item"'.`,
  ],
];

describe('with a Register, the message about', () => {
  const register = `
import type { RegisterOf } from '@edict/core';
import { dl, ticket, type tickets } from './desk.ts';
declare module '@edict/core' {
  interface Register extends RegisterOf<[typeof ticket, typeof tickets]> {}
}
`;
  const { messages } = compile({
    'desk.ts': desk,
    'type.ts': `${register} dl.fetchItem('tiket', 7);`,
    'collection.ts': `${register} dl.fetchCollection('tikets');`,
  });

  it.each([
    [
      'an unknown type',
      'type.ts',
      `Argument of type '"tiket"' is not assignable to parameter of type '"ticket" |`,
    ],
    [
      'an unknown collection',
      'collection.ts',
      `Argument of type '"tikets"' is not assignable to parameter of type '"tickets" |`,
    ],
  ])('%s is readable', (_, file, start) => {
    expect(messages[file]?.map((text) => text.slice(0, start.length))).toEqual([start]);
  });
});

describe('the message about', () => {
  const files = Object.fromEntries(cases.map(([mistake, code]) => [`${mistake}.ts`, imports + code]));
  const { messages } = compile({ 'desk.ts': desk, ...files });

  it('correct definitions is empty', () => {
    expect(messages['desk.ts']).toEqual([]);
  });

  it.each(cases)('%s is readable', (mistake, _, message) => {
    expect(messages[`${mistake}.ts`]).toEqual([message]);
  });
});

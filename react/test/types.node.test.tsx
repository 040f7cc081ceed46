import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compile } from '../../core/test/types/compile.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

it('D-REACT-9 a register makes every hook check and infer names, levels, params, and data', () => {
  const compiler = at('../../node_modules/typescript-7/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', at('../test-types')], {
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

describe('the message of the compiler about', () => {
  const setup = `
import { defineCollection, defineItem } from '@edict/core';
import { useCollection, useItem, useSuspenseCollection } from '@edict/react';
const comments = defineCollection('comments', { fetch: (params: { ticketId: number }) => ({ ids: [params.ticketId] }) });
const ticket = defineItem('ticket', { fetch: (id: number) => ({ id }), levels: { full: { fetch: (id) => ({ id, text: '' }) } } });
`;
  const cases: readonly [mistake: string, code: string, message: string][] = [
    ['missing params', 'useCollection(comments);', 'Expected 2 arguments, but got 1.'],
    [
      'missing params of a Suspense hook',
      'useSuspenseCollection(comments);',
      'Expected 2 arguments, but got 1.',
    ],
    [
      'an unknown param',
      'useCollection(comments, { params: { ticket: 7 } });',
      `Object literal may only specify known properties, but 'ticket' does not exist in type 'NoInfer<{ ticketId: number; }>'. Did you mean to write 'ticketId'?`,
    ],
    [
      'an unknown level',
      "useItem(ticket, 7, 'huge');",
      `Argument of type '"huge"' is not assignable to parameter of type '"full" | "default" | null | undefined'.`,
    ],
    [
      'a field that belongs to data',
      'useItem(ticket, 7).id;',
      "Property 'id' does not exist on type 'ItemSnapshot<{ id: number; } | null>'.",
    ],
  ];
  const files = Object.fromEntries(cases.map(([mistake, code]) => [`${mistake}.tsx`, setup + code]));
  const { messages } = compile(files);

  it.each(cases)('%s is readable', (mistake, _, message) => {
    expect(messages[`${mistake}.tsx`]).toEqual([expect.stringContaining(message)]);
  });
});

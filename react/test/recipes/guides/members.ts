// members.ts
import { defineCollection, defineItem } from '@edict/core';
import { read } from './lists.ts';

const readAll = (signal: AbortSignal) => read<{ id: string; name: string }[]>('/api/members', signal);

export const member = defineItem('member', {
  fetch: async (id: string, { signal }) => (await readAll(signal)).find((one) => one.id === id) ?? null,
  bulkFetch: (_ids, _level, { signal }) => readAll(signal), // Items that were not requested are ignored.
});

export const members = defineCollection('members', {
  of: member,
  fetch: (_: undefined, { signal }) => readAll(signal),
});

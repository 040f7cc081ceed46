// `reset`, for signing in and out: nothing of one user is left for the next.

import { createDataLayer, type DataLayer, type DirectiveSource } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { expect, it } from 'vitest';
import type { Call } from './world.ts';
import { begin, directive, envelope, greeting, setup, type Setup } from './stream/setup.ts';

/** Registers a type, whose requests the test answers, and a collection. */
function withTicket({ dl, world }: Setup): readonly Call[] {
  const { fetch, calls } = world.held();
  dl.createType('ticket', { fetch });
  dl.createCollection('tickets', { fetch: () => ({ ids: [1] }) });
  return calls;
}

it('drops every entry and notifies its subscribers once, who keep a stale, empty reference', async () => {
  const one = setup();
  const { dl, world } = one;
  const requests = withTicket(one);
  const ticket = dl.fetchItem('ticket', 1);
  const list = dl.fetchCollection('tickets');
  await world.rest();
  await requests[0]?.answer({ id: 1, title: 'of Ann' });
  expect([ticket.data, list.data.ids]).toEqual([{ id: 1, title: 'of Ann' }, [1]]);
  let notified = 0;
  let changes = 0;
  dl.onRefChange(ticket, () => notified++);
  dl.onChange(() => changes++);
  dl.reset();
  expect([notified, changes]).toEqual([1, 1]);
  expect([ticket.data, ticket.meta.isStale, ticket.meta.lastFetchedAny]).toEqual([null, true, null]);
  expect(list.data).toEqual({ ids: [], count: 0 });
  expect(dl.devtools().items).toEqual({ ticket: {} });
  await dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
  expect(requests).toHaveLength(1);
  expect(dl.getItemRef('ticket', 1)).not.toBe(ticket);
});

it('aborts requests, and their late responses change nothing', async () => {
  const one = setup();
  const { dl, world } = one;
  const requests = withTicket(one);
  const before = dl.fetchItem('ticket', 1);
  const ensured = dl.ensureItem('ticket', 2).catch((error: Error) => error.name);
  await world.rest();
  dl.reset();
  expect(requests.map(({ ctx }) => ctx.signal.aborted)).toEqual([true, true]);
  expect(await ensured).toBe('AbortError');
  const after = dl.fetchItem('ticket', 1);
  await world.rest();
  await requests[0]?.answer({ id: 1, title: 'of Ann' });
  expect([before.data, after.data]).toEqual([null, null]);
  expect(after.meta.isLoading).toBe(true);
  await requests[2]?.answer({ id: 1, title: 'of Bob' });
  expect(after.data).toEqual({ id: 1, title: 'of Bob' });
  expect(dl.hasAnyInFlightRequests()).toBe(false);
});

it.each(['reset', 'dispose'] as const)(
  'ensureItem and ensureCollection reject when %s aborts the refetch of stale data',
  async (how) => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const slow = <T>(value: T): Promise<T> => sim.sleep(10).then(() => value);
    dl.createType('ticket', { fetch: (id) => slow({ id, title: 'of Ann' }), stalenessMs: 1000 });
    dl.createCollection('tickets', { fetch: () => slow({ ids: [1] }), stalenessMs: 1000 });
    await Promise.all([dl.prefetchItem('ticket', 1), dl.prefetchCollection('tickets'), sim.advance(1010)]);
    const ensured = [dl.ensureItem('ticket', 1), dl.ensureCollection('tickets')];
    dl[how]();
    expect(await Promise.allSettled(ensured)).toEqual(
      ensured.map(() => ({ status: 'rejected', reason: expect.objectContaining({ name: 'AbortError' }) })),
    );
  },
);

it('ends each request with its events, and a listener that reads then reads for the next user', async () => {
  const one = setup();
  const { dl, world, of } = one;
  const requests = withTicket(one);
  const ticket = dl.fetchItem('ticket', 1);
  await world.rest();
  let next: unknown = null;
  dl.onRefChange(ticket, () => (next ??= dl.fetchItem('ticket', 1)));
  dl.reset();
  expect(of('item:fetch:aborted')).toMatchObject([{ id: 1, reason: 'disposed' }]);
  expect(of('item:fetch:complete')).toMatchObject([{ id: 1 }]);
  await world.rest();
  expect(requests).toHaveLength(2);
  expect(next).not.toBe(ticket);
  expect(dl.getItemRef('ticket', 1)).toBe(next);
});

it('rejects a mutation in flight, and applies nothing of its response', async () => {
  const one = setup();
  const { dl, world, of } = one;
  const requests = withTicket(one);
  const mutation = dl.fetch('/api/tickets/1', { method: 'POST' }).catch((error: Error) => error.name);
  await world.rest();
  const post = world.last();
  dl.reset();
  expect(await mutation).toBe('AbortError');
  const ticket = dl.fetchItem('ticket', 1);
  await world.rest();
  await requests[0]?.answer({ id: 1, title: 'of Bob' });
  await post.respond({ directives: [{ op: 'refresh_item', name: 'ticket', id: 1, result: { id: 1 } }] });
  await world.rest();
  expect(ticket.data).toEqual({ id: 1, title: 'of Bob' });
  expect(requests).toHaveLength(1);
  expect(of('directive:received')).toEqual([]);
});

it('gets a new client id, forgets cursors and keys, and connects again with the new audience', async () => {
  const one = setup();
  const { dl, world } = one;
  withTicket(one);
  await begin(dl);
  const ann = world.last();
  await ann.open();
  await ann.envelope(greeting(5));
  await ann.envelope(envelope(6, 'global', [{ ...directive(), idempotency_key: 'k' }]));
  const id = dl.clientId();
  dl.reset({ audience: ['global', 'user-bob'] });
  expect(ann.isAborted()).toBe(true);
  await world.rest();
  const { url } = world.last();
  expect(url.searchParams.get('client_id')).not.toBe(id);
  expect(url.searchParams.get('client_id')).toBe(dl.clientId());
  expect(url.searchParams.getAll('audience')).toEqual(['global', 'user-bob']);
  expect(url.searchParams.getAll('last_seq').join('')).toBe('');
  const skipped: string[] = [];
  dl.onLifecycle('directive:skipped', ({ detail }) => skipped.push(detail.reason));
  await dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 1, idempotency_key: 'k' }]);
  expect(skipped).toEqual([]);
});

it.each([
  ['not started', () => {}, 0],
  ['ended by disconnectSse', (dl: DataLayer) => (dl.init(), dl.disconnectSse()), 0],
  ['open', (dl: DataLayer) => dl.init(), 1],
  ['opened by connectSse alone', (dl: DataLayer) => dl.connectSse(), 1],
])('a stream that is %s stays so', async (_, start, connections) => {
  const { dl, world } = setup();
  start(dl);
  await world.rest();
  const before = world.connections.length;
  dl.reset();
  await world.rest();
  expect(world.connections.length - before).toBe(connections);
});

it('connects again after the server refused the user before', async () => {
  const { dl, world } = setup();
  await begin(dl);
  await world.last().refuse(401);
  dl.reset({ audience: 'user-bob' });
  await world.rest();
  expect(world.connections).toHaveLength(2);
});

it('ends a custom source and connects it again', async () => {
  const { dl } = setup();
  const log: string[] = [];
  const source: DirectiveSource = {
    type: 'socket',
    connect: ({ clientId }) => {
      log.push(`connect ${clientId === dl.clientId()}`);
      return () => log.push('end');
    },
  };
  dl.configureDirectiveSource(source);
  dl.init();
  dl.reset();
  expect(log).toEqual(['connect true', 'end', 'connect true']);
});

it('keeps types, options, and listeners', async () => {
  const one = setup();
  const { dl, world } = one;
  const requests = withTicket(one);
  const events: string[] = [];
  let changes = 0;
  dl.onLifecycle('item:fetch:success', ({ event }) => events.push(event));
  dl.onChange(() => changes++);
  dl.configureMemory({ maxItemsPerType: 7 });
  dl.reset();
  changes = 0;
  dl.fetchItem('ticket', 1);
  await world.rest();
  await requests[0]?.answer({ id: 1 });
  expect(events).toEqual(['item:fetch:success']);
  expect(changes).toBeGreaterThan(0);
  expect(dl.devtools().memory.maxItemsPerType).toBe(7);
});

it('rejects an invalid audience before it changes anything', () => {
  const one = setup();
  const { dl } = one;
  withTicket(one);
  const ticket = dl.fetchItem('ticket', 1);
  const id = dl.clientId();
  expect(() => dl.reset({ audience: 7 as never })).toThrow(/audience/);
  expect(dl.clientId()).toBe(id);
  expect(dl.getItemRef('ticket', 1)).toBe(ticket);
});

it('does nothing after dispose', async () => {
  const { dl, world } = setup();
  await begin(dl);
  dl.dispose();
  dl.reset();
  await world.rest();
  expect(world.connections).toHaveLength(1);
});

it('does not affect another data layer', () => {
  const one = createDataLayer();
  const other = createDataLayer();
  for (const dl of [one, other]) dl.createType('ticket', { fetch: (id) => ({ id }) });
  const ticket = other.fetchItem('ticket', 1);
  one.reset();
  expect(other.getItemRef('ticket', 1)).toBe(ticket);
  for (const dl of [one, other]) dl.dispose();
});

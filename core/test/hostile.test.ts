// Any input from the network or a page: no exception, no changed prototype, bounded work, and the cache keeps working.

import { dehydrate, hydrate } from '@edict/core/hydration';
import { createSimulation } from '@edict/core/testing';
import type { DataLayer } from '@edict/core';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { nearDirective } from './protocol/arbitraries.ts';
import { runs } from './seed.ts';

function setup() {
  const sim = createSimulation({ seed: 1 });
  const dl = sim.createDataLayer({ sse: { enabled: false } });
  const calls: string[] = [];
  dl.createType('ticket', {
    fetch: async (id) => (calls.push(`ticket ${id}`), { id, at: sim.now() }),
    levels: { full: { fetch: async (id) => (calls.push(`ticket ${id} full`), { id, body: sim.now() }) } },
    levelConversionMap: { full: ['default'] },
  });
  dl.createCollection('tickets', {
    fetch: async (params) => (calls.push(`tickets ${JSON.stringify(params ?? {})}`), { ids: [7] }),
  });
  return { sim, dl, calls };
}

async function read(sim: ReturnType<typeof setup>['sim'], dl: DataLayer): Promise<void> {
  dl.fetchItem('ticket', 7);
  dl.fetchItem('ticket', 7, 'full');
  dl.fetchCollection('tickets', { params: { status: 'open' } });
  await sim.settled();
}

/** Checks that the data layer still works: it applies a directive and shows the new data. */
async function expectAlive({ sim, dl, calls }: ReturnType<typeof setup>): Promise<void> {
  await sim.settled();
  await read(sim, dl);
  calls.length = 0;
  await sim.advance(1);
  void dl.applyDirectives([{ op: 'refresh_item', name: 'ticket', id: 7, level: 'full' }]);
  await sim.settled();
  expect(calls).toEqual(['ticket 7 full']);
  expect(dl.getItemRef('ticket', 7).data).toMatchObject({ id: 7, body: expect.any(Number) });
  expect(dl.getItemRef('ticket', 7).meta).toMatchObject({ isLoading: false, error: null, isStale: false });
  expect(JSON.parse(JSON.stringify(dl.state()))).toEqual(dl.state());
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, Map.prototype];
const shape = (): string[][] => prototypes.map((each) => Reflect.ownKeys(each).map(String));
const before = shape();

afterEach(() => {
  expect(shape()).toEqual(before);
  expect(Object.isFrozen(Object.prototype)).toBe(false);
});

const name = fc.constantFrom('ticket', 'tickets', '__proto__', 'constructor', 'toString');
/** As JSON is written: it reads `-0`, but never writes it. */
const anyJson = fc.jsonValue({ maxDepth: 5 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const list = fc.array(fc.oneof({ weight: 5, arbitrary: nearDirective }, anyJson), { maxLength: 6 });

/** 20 seconds for all runs of a property is the bound on the work. */
const inTime = 20_000;

describe('applyDirectives', () => {
  it(
    'accepts any nearly valid list, settles, and keeps the cache working',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(list, { maxLength: 3 }), async (lists) => {
          const world = setup();
          await read(world.sim, world.dl);
          for (const directives of lists) {
            const settled = vi.fn<() => void>();
            void world.dl.applyDirectives(directives).then(settled);
            await world.sim.settled();
            await world.sim.advance(1);
            expect(settled).toHaveBeenCalledOnce();
          }
          await expectAlive(world);
          world.dl.dispose();
          expect(world.sim.pendingTimers()).toBe(0);
        }),
        runs(150),
      );
    },
    inTime,
  );

  it(
    'accepts any value instead of the list',
    async () => {
      const world = setup();
      await fc.assert(
        fc.asyncProperty(fc.anything({ withBigInt: true, withNullPrototype: true }), async (anything) => {
          // Untyped callers may pass any value.
          void world.dl.applyDirectives(anything as never);
          await world.sim.settled();
        }),
        runs(300),
      );
      await expectAlive(world);
    },
    inTime,
  );

  const nest = (times: number): unknown => {
    let deep: unknown = {};
    for (let i = 0; i < times; i++) deep = { deep };
    return deep;
  };
  const loop: { op: string; targets: unknown[] } = { op: 'invalidate', targets: [] };
  loop.targets.push(loop, loop);

  it.each<[string, () => unknown[]]>([
    ['a million directives', () => Array(1_000_000).fill({ op: 'refresh_item', name: 'ticket', id: 7 })],
    ['a million malformed directives', () => Array(1_000_000).fill(null)],
    ['a wrapper that contains itself', () => [loop]],
    [
      '50,000 nested wrappers',
      () => [JSON.parse(`${'{"op":"invalidate","targets":['.repeat(50_000)}${']}'.repeat(50_000)}`)],
    ],
    ['deeply nested params', () => [{ op: 'refresh_collection', name: 'tickets', params: nest(100_000) }]],
    [
      'a deeply nested result',
      () => [{ op: 'refresh_item', name: 'ticket', id: 7, level: 'full', result: nest(100_000) }],
    ],
    ['a getter that throws', () => [Object.defineProperty({}, 'op', { get: () => expect.fail('trap') })]],
    ['a revoked proxy', () => [(({ proxy, revoke }) => (revoke(), proxy))(Proxy.revocable({}, {}))]],
  ])('survives %s', async (_, make) => {
    const world = setup();
    await read(world.sim, world.dl);
    const directives = make();
    expect(() => void world.dl.applyDirectives(directives)).not.toThrow();
    await expectAlive(world);
  });

  it('treats prototype names as data', async () => {
    const { sim, dl } = setup();
    const results = ['__proto__', 'constructor', 'hasOwnProperty'].map((id) => ({
      op: 'refresh_item',
      name: 'ticket',
      id,
      result: JSON.parse('{"__proto__":{"polluted":true},"id":1}') as unknown,
    }));
    void dl.applyDirectives(results);
    await sim.settled();
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
    expect(dl.state().types['ticket']?.itemCount).toBe(3);
    expect(dl.getItemRef('ticket', '__proto__').data).toMatchObject({ id: 1 });
    expect(() => dl.devtools()).not.toThrow();
  });
});

describe('ingestEnvelope', () => {
  const envelope = fc.record(
    {
      type: fc.oneof({ weight: 8, arbitrary: fc.constant('directives') }, fc.constant('hello'), anyJson),
      seq: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 6 }) }, anyJson),
      audience: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom('global', '__proto__', 'constructor') },
        anyJson,
      ),
      source: anyJson,
      directives: fc.oneof({ weight: 4, arbitrary: list }, anyJson),
      recovered: fc.oneof(fc.boolean(), anyJson),
      heartbeat_ms: anyJson,
      last_seq: anyJson,
    },
    { requiredKeys: [] },
  );

  it(
    'accepts any nearly valid envelope and keeps the cache working',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof({ weight: 6, arbitrary: envelope }, anyJson), { maxLength: 5 }),
          async (all) => {
            const world = setup();
            await read(world.sim, world.dl);
            for (const one of all) {
              expect(() => world.dl.ingestEnvelope(one)).not.toThrow();
              await world.sim.advance(10);
            }
            await world.sim.advance(10_000);
            await expectAlive(world);
          },
        ),
        runs(150),
      );
    },
    inTime,
  );
});

describe('hydrate', () => {
  const state = fc.record(
    {
      v: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, anyJson),
      items: fc.oneof(
        {
          weight: 6,
          arbitrary: fc.array(
            fc.record(
              {
                type: fc.oneof({ weight: 5, arbitrary: name }, anyJson),
                id: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(7, '8', '__proto__') }, anyJson),
                payloads: fc.oneof(
                  {
                    weight: 5,
                    arbitrary: fc.array(
                      fc.record(
                        {
                          levels: fc.oneof(
                            fc.array(fc.constantFrom('default', 'full', '__proto__')),
                            anyJson,
                          ),
                          data: anyJson,
                          ageMs: fc.oneof(fc.nat(30_000), anyJson),
                          stale: anyJson,
                        },
                        { requiredKeys: [] },
                      ),
                      { maxLength: 3 },
                    ),
                  },
                  anyJson,
                ),
              },
              { requiredKeys: [] },
            ),
            { maxLength: 3 },
          ),
        },
        anyJson,
      ),
      collections: fc.oneof(
        {
          weight: 6,
          arbitrary: fc.array(
            fc.record(
              {
                name: fc.oneof({ weight: 5, arbitrary: name }, anyJson),
                params: anyJson,
                ids: fc.oneof(fc.array(fc.integer()), anyJson),
                count: anyJson,
                ageMs: fc.oneof(fc.nat(30_000), anyJson),
              },
              { requiredKeys: [] },
            ),
            { maxLength: 3 },
          ),
        },
        anyJson,
      ),
      cursors: fc.oneof(
        fc.array(fc.record({ audience: fc.oneof(name, anyJson), seq: fc.oneof(fc.nat(9), anyJson) })),
        anyJson,
      ),
    },
    { requiredKeys: [] },
  );

  it(
    'takes anything that is nearly a state, and the cache goes on',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof({ weight: 8, arbitrary: state }, anyJson), async (given) => {
          const world = setup();
          // Untyped, because the state comes from a page.
          expect(() => hydrate(world.dl, given as never)).not.toThrow();
          expect(() => world.dl.devtools()).not.toThrow();
          expect(() => dehydrate(world.dl)).not.toThrow();
          world.dl.getItemRef('ticket', 7);
          world.dl.getCollectionRef('tickets');
          await world.sim.advance(60_000);
          await expectAlive(world);
        }),
        runs(200),
      );
    },
    inTime,
  );
});

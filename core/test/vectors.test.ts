// The client's part of protocol/vectors, which other implementations are tested with.

import { readFileSync } from 'node:fs';
import { createDataLayer } from '@edict/core';
import { connectCache, type Change } from '@edict/core/adapters/cache';
import { acceptedDirectiveSchema, refreshCollection } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';

/** The shape is that of the files beside their README. */
function vectors<T>(file: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../protocol/vectors/${file}.json`, import.meta.url), 'utf8'),
  ) as T;
}

/** A directive in the normal form of the vectors. */
interface Normal {
  kind: 'item' | 'collection' | 'named' | 'wrapper' | 'reload';
  name: string;
  id?: string | number | null;
  level?: string | null;
  params?: Record<string, unknown> | null;
  mode?: 'exact' | 'contains';
  key?: string;
  hard?: boolean;
  targets?: Normal[];
}

/** The page reloads in a directive and its targets. */
const reloadsOf = ({ kind, hard, targets = [] }: Normal): object[] =>
  kind === 'reload' ? [{ hard }] : targets.flatMap(reloadsOf);

/** The changes that a directive causes in a cache. A name alone can be the name of a collection. */
function changesOf({
  kind,
  name,
  id = null,
  level = null,
  params = null,
  mode = 'exact',
  targets = [],
}: Normal): Change[] {
  if (kind === 'wrapper') return targets.flatMap(changesOf);
  if (kind === 'reload') return [];
  return kind === 'item'
    ? [{ kind, type: name, id, level, result: null }]
    : [{ kind: 'collection', name, params, mode, result: null }];
}

describe('directives.json', () => {
  const cases =
    vectors<{ name: string; input: unknown; normal?: Normal; rejected?: string[] }[]>('directives');

  it.each(cases)('D-DIR-1 D-DIR-2: $name', async ({ input, normal, rejected }) => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false, audience: ['global', 'team-3'] } });
    const changes: Change[] = [];
    const paths: string[] = [];
    const skipped: string[] = [];
    const cache = { changed: (its: readonly Change[]) => void changes.push(...its), resync: () => undefined };
    connectCache(dl, cache, { env: sim.env });
    dl.onLifecycle('directive:rejected', ({ detail }) =>
      paths.push(...detail.issues.map(({ path }) => path)),
    );
    dl.onLifecycle('directive:skipped', ({ detail }) => skipped.push(detail.reason));
    void dl.applyDirectives([input]);
    await sim.advance(1000);
    // Inline results are applied by sequence number, which envelopes have.
    expect(changes).toEqual(normal === undefined ? [] : changesOf(normal));
    expect(paths.toSorted()).toEqual(rejected ?? []);
    expect(sim.reloads).toMatchObject(normal === undefined ? [] : reloadsOf(normal));
    void dl.applyDirectives([input]);
    expect(skipped).toEqual(normal?.key === undefined ? [] : ['duplicate']);
    dl.dispose();
  });

  /** docs/internals/protocol.schema.json, read back: how deep wrappers are nested is all that it cannot say. */
  const published = z.fromJSONSchema({
    ...(JSON.parse(
      readFileSync(new URL('../../docs/internals/protocol.schema.json', import.meta.url), 'utf8'),
    ) as z.core.JSONSchema.JSONSchema), // What `scripts/json-schema.mjs` writes.
    $ref: '#/$defs/acceptedDirective',
  });

  it.each(cases.filter(({ name }) => !name.startsWith('nine wrappers')))(
    'the published JSON Schema agrees: $name',
    ({ input, rejected }) => {
      expect(published.safeParse(input).success).toBe(rejected === undefined);
    },
  );

  it.each(cases)('the schema agrees: $name', ({ input, rejected }) => {
    expect(acceptedDirectiveSchema.safeParse(input).success).toBe(rejected === undefined);
  });
});

describe('params.json', () => {
  const { keys, contains } = vectors<{
    keys: { name: string; input: unknown; key?: string; rejected?: true }[];
    contains: { name: string; entry: object | null; wanted: object; matches: boolean }[];
  }>('params');

  function lists() {
    const dl = createDataLayer();
    onTestFinished(dl.dispose);
    dl.createCollection('tickets', { fetch: () => ({ ids: [] }) });
    const keyOf = (params: unknown): string =>
      dl.getCollectionRef('tickets', { params: params as object }).meta.paramsKey; // A vector may be wrong on purpose.
    return { dl, keyOf };
  }

  it.each(keys)('D-PARAM-1: $name', ({ input, key, rejected }) => {
    const { keyOf } = lists();
    if (rejected === true) expect(() => keyOf(input)).toThrow(TypeError);
    else expect(keyOf(input)).toBe(key);
  });

  it.each(contains)('D-PARAM-3: $name', async ({ entry, wanted, matches }) => {
    const { dl } = lists();
    const list = dl.fetchCollection('tickets', { params: entry });
    await dl.whenSettled(list);
    void dl.applyDirectives([refreshCollection('tickets', { params: wanted, mode: 'contains' })]);
    expect(list.meta.isStale).toBe(matches);
  });
});

describe('sequence.json', () => {
  type Step = { connect: true } | { envelope: unknown; lastSeq: number | null; gap: string | null };

  it.each(vectors<{ name: string; steps: Step[] }[]>('sequence'))('D-SSE-6 D-SSE-7: $name', ({ steps }) => {
    const sim = createSimulation();
    const dl = createDataLayer({ env: sim.env });
    onTestFinished(dl.dispose);
    dl.configureDirectiveSource({ type: 'vectors', connect: () => undefined });
    dl.init();
    let gap: string | null = null;
    dl.onLifecycle('sse:gap', ({ detail }) => void (gap = detail.reason ?? 'gap'));
    for (const step of steps) {
      if ('connect' in step) {
        dl.disconnectDirectiveSource();
        dl.connectDirectiveSource();
        continue;
      }
      gap = null;
      const text = JSON.stringify(step.envelope).replaceAll('<own>', dl.clientId());
      dl.ingestEnvelope(JSON.parse(text));
      expect({ lastSeq: dl.state().sse.lastSeq['global'] ?? null, gap }).toEqual({
        lastSeq: step.lastSeq,
        gap: step.gap,
      });
    }
  });
});

// protocol/vectors of the client's side: what other implementations are tested with holds here first.

import { readFileSync } from 'node:fs';
import { createDataLayer } from '@edict/core';
import { acceptedDirectiveSchema } from '@edict/core/protocol';
import { createSimulation } from '@edict/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { normalize } from '../src/directives/normalize.ts';
import { paramsFilter, paramsKey } from '../src/cache/params.ts';

/** The shape is that of the files beside their README. */
function vectors<T>(file: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../protocol/vectors/${file}.json`, import.meta.url), 'utf8'),
  ) as T;
}

/** Fields that the vectors do not write, by kind. */
const unused: Record<string, readonly string[]> = {
  item: ['raw', 'params', 'mode'],
  collection: ['raw', 'id', 'level'],
  named: ['raw', 'id', 'mode', 'result'],
  wrapper: ['raw'],
  reload: ['raw'],
};

/** A normal directive as the vectors write it: nothing that is absent, no original. */
function written(normal: unknown): unknown {
  if (Array.isArray(normal)) return normal.map(written);
  const directive = normal as Record<string, unknown>;
  const fields = Object.entries(directive).filter(
    ([key, value]) =>
      !unused[String(directive['kind'])]?.includes(key) &&
      value !== false &&
      (value !== null || key === 'id' || key === 'level' || key === 'params'),
  );
  return Object.fromEntries(
    fields.map(([key, value]) => [
      key,
      key === 'targets' ? written(value) : key === 'result' ? (value as { value: unknown }).value : value,
    ]),
  );
}

/** `hard` is written although false. */
function withHard(normal: unknown): unknown {
  return JSON.parse(JSON.stringify(normal), (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'reload'
      ? { hard: false, ...value }
      : value,
  );
}

describe('directives.json', () => {
  const cases =
    vectors<{ name: string; input: unknown; normal?: object; rejected?: string[] }[]>('directives');

  it.each(cases)('D-DIR-1 D-DIR-2: $name', ({ input, normal, rejected }) => {
    const read = normalize(input);
    expect(read.directive === null ? undefined : withHard(written(read.directive))).toEqual(normal);
    const paths = read.issues.length > 0 ? read.issues.map(({ path }) => path).toSorted() : undefined;
    expect(paths).toEqual(rejected);
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

  it.each(keys)('D-PARAM-1: $name', ({ input, key, rejected }) => {
    if (rejected === true) expect(() => paramsKey(input)).toThrow(TypeError);
    else expect(paramsKey(input)).toBe(key);
  });

  it.each(contains)('D-PARAM-3: $name', ({ entry, wanted, matches }) => {
    expect(paramsFilter(wanted)(entry ?? undefined)).toBe(matches);
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

// Runs the server vectors of protocol/vectors, with which other implementations are tested too.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { DirectiveInput } from '../src/index.ts';
import { envelopesOf, readStream } from './support/stream.ts';
import { simulate } from './support/simulated.ts';

/** The shape of the files, which their README describes. */
function vectors<T>(file: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../protocol/vectors/${file}.json`, import.meta.url), 'utf8'),
  ) as T;
}

const audiences = ['global', 'team-1', 'team-2', 'team-7'];
const authorize = (_: unknown, { audience }: { audience: string }): boolean => audiences.includes(audience);

interface EmitCase {
  name: string;
  input: DirectiveInput[];
  audience?: string | string[];
  source?: string;
  envelopes?: object[];
  rejected?: string;
}

/** docs/internals/protocol.schema.json, with which clients in other languages read a message. */
const message = z.fromJSONSchema(
  JSON.parse(
    readFileSync(new URL('../../docs/internals/protocol.schema.json', import.meta.url), 'utf8'),
  ) as z.core.JSONSchema.JSONSchema, // What `scripts/json-schema.mjs` writes.
);

describe('emit.json', () => {
  it.each(vectors<EmitCase[]>('emit'))(
    'D-HUB-1 D-HUB-5: $name',
    async ({ input, audience, source, envelopes, rejected }) => {
      const { hub, open, world } = simulate({ authorize });
      const stream = await open('?audience=global&audience=team-1&audience=team-2');
      const { seq: base } = await hub.cursor();
      const emitted = hub.emit(input, {
        ...(audience === undefined ? {} : { audience }),
        ...(source === undefined ? {} : { source }),
      });
      if (rejected !== undefined) {
        const problem = await emitted.then(
          () => 'nothing was wrong',
          (error: unknown) => String(error),
        );
        expect(problem).toContain(rejected);
      } else await emitted;
      await world.drain();
      const received = envelopesOf(stream.frames);
      for (const envelope of received) message.parse(envelope);
      const sent = JSON.stringify(received.slice(3))
        .replaceAll(/"id-\d+"/g, '"<key>"')
        .replaceAll(/"seq":(\d+)/g, (_, seq: string) => `"seq":${Number(seq) - base}`);
      expect(JSON.parse(sent)).toEqual(envelopes ?? []);
    },
  );
});

interface SubscribeCase {
  name: string;
  emitted: number;
  method?: string;
  query: string;
  headers?: Record<string, string>;
  status?: number;
  code?: string;
  frames?: object[];
}

describe('subscribe.json', () => {
  it.each(vectors<SubscribeCase[]>('subscribe'))(
    'D-HUB-2 D-HUB-3 D-HUB-9: $name',
    async ({ emitted, method = 'GET', query, headers = {}, status = 200, code, frames }) => {
      const { hub, world } = simulate({ authorize });
      const { seq: base } = await hub.cursor();
      for (let id = 1; id <= emitted; id += 1) await hub.emit([{ op: 'refresh_item', name: 'ticket', id }]);
      const absolute = (text: string): string =>
        text.replaceAll(/\{(\d+)\}/g, (_, seq: string) => String(Number(seq) + base));
      const response = await hub.fetchHandler(
        new Request(`http://hub.test/api/events?${absolute(query)}`, {
          method,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, absolute(value)]),
          ),
        }),
      );
      expect(response.status).toBe(status);
      if (frames === undefined) {
        expect(await response.json()).toMatchObject({ error: { code } });
        return;
      }
      const stream = readStream(response.body);
      await world.drain();
      const seen = envelopesOf(stream.frames).map(({ seq, recovered, directives }) => ({
        seq: (seq ?? 0) - base,
        ...(directives.length > 0 ? {} : { recovered }),
      }));
      expect(seen).toEqual(frames);
      await stream.cancel();
    },
  );
});

// Checks the examples of docs/internals/protocol.md. The rules are in protocol/vectors, which both suites run.

import { readFileSync } from 'node:fs';
import { directiveSchema, envelopeSchema } from '@edict/core/protocol';
import { expect, it } from 'vitest';
import { serveHub } from '../support/servers.ts';
import { readStream } from '../support/stream.ts';

const page = readFileSync(new URL('../../../docs/internals/protocol.md', import.meta.url), 'utf8');

it('the envelopes of the page and their directives are valid', () => {
  const examples = Array.from(
    page.matchAll(/^```json\n([\s\S]*?)^```$/gm),
    ([, text = '']) => JSON.parse(text) as unknown,
  );
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    const { directives, seq } = envelopeSchema.parse(example);
    for (const directive of directives) expect(directiveSchema.parse(directive)).toMatchObject({ seq });
  }
});

it('a hub responds to the request of the page with a stream and a greeting for each audience', async () => {
  const [, path = '', accept = ''] = /^GET (\/api\/events\S*)\nAccept: (\S+)$/m.exec(page) ?? [];
  expect(path).toContain('last_seq=');
  const { url } = await serveHub({ authorize: () => true });
  const response = await fetch(`${url}${path}`, { headers: { accept } });
  expect(response.status).toBe(200);
  const { atLeast } = readStream(response.body);
  const greetings = (await atLeast(2)).map(({ envelope }) => envelope);
  expect(greetings.map((greeting) => greeting?.audience)).toEqual(['global', 'team-7']);
  for (const greeting of greetings) expect(greeting).toMatchObject({ directives: [], heartbeat_ms: 15_000 });
});

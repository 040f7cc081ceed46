// Checks the examples of docs/internals/protocol.md. The rules are in protocol/vectors, which both suites run.

import { readFileSync } from 'node:fs';
import { directiveSchema, envelopeSchema } from '@edict/core/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, startPostgres } from '../postgres/postgresServer.ts';
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

describe.runIf(hasPostgres)('the counter and the log in PostgreSQL', () => {
  const statement = (start: string): string =>
    new RegExp(`^${start}[^;]*;`, 'm').exec(page)?.[0] ?? `the page has no ${start}`;

  it('number steps in the order of the commits, and leave no hole', async () => {
    const { sql, stop } = await startPostgres();
    onTestFinished(stop);
    await sql.unsafe(`${statement('CREATE TABLE edict_counter')} ${statement('CREATE TABLE edict_step')}`);

    const emit = (name: string, commit: () => Promise<void>): Promise<unknown> =>
      sql.begin(async (tx) => {
        const [row] = await tx.unsafe(statement('INSERT INTO edict_counter'), ['global', 1000]);
        await tx.unsafe(statement('INSERT INTO edict_step'), ['global', row?.['seq'], name]);
        await tx.unsafe(statement('NOTIFY'));
        await commit();
      });

    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let first: Promise<unknown> = Promise.resolve();
    await new Promise<void>((numbered) => {
      first = emit('first', () => {
        numbered();
        return released;
      });
    });
    const rolledBack = emit('rolled back', () => Promise.reject(new Error('rolled back')));
    const last = emit('last', () => Promise.resolve());
    release();
    await Promise.all([first, expect(rolledBack).rejects.toThrow('rolled back'), last]);

    const steps = await sql.unsafe(statement('SELECT seq'), ['global', 0]);
    expect(steps.map(({ seq, directives }) => [Number(seq), directives])).toEqual([
      [1000, 'first'],
      [1001, 'last'],
    ]);
  });
});

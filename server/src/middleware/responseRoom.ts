// Finds the place for directives in a response, and puts them there. Pure.

import { DIRECTIVES_FIELD, DIRECTIVES_HEADER, maxDirectives, type Directive } from '@edict/core/protocol';
import type { DirectiveInput } from '../emit/directiveList.ts';
import { reachedBy } from '../emit/envelope.ts';
import { directivesHeader } from '../http/directiveRequest.ts';
import { isObject } from '../optionErrors.ts';

/** The place for directives in a response: the object in its body, its header, or none. */
export type Room = object | 'header' | 'none';

/** A list that a handler collected, and the audiences that it goes to. */
export interface Collected {
  readonly list: readonly DirectiveInput[];
  readonly audiences: readonly string[] | null;
}

/** The place in a response with this status. The client does not see the response of a redirect. A header of the handler's own stays. */
export function roomIn(status: number, body: object | null, hasHeader: boolean): Room {
  return status >= 300 ? 'none' : (body ?? (hasHeader ? 'none' : 'header'));
}

/**
 * The reason why a response cannot contain the directives although it has a place for some, or null. Their size is
 * measured with the longest sequence number.
 */
export function whyNotCarried(lists: readonly Collected[], room: Room, source: string | null): string | null {
  const completed = lists.flatMap(({ list, audiences }) =>
    list.flatMap((directive) =>
      reachedBy(directive, audiences).map((audience): DirectiveInput => ({
        ...directive,
        audience,
        source,
        seq: Number.MAX_SAFE_INTEGER,
      })),
    ),
  );
  if (room === 'header' && directivesHeader(completed) === null)
    return 'the directives are too long for a header, so the client receives them on its stream. Respond with a JSON object to have them in its body';
  // Clients drop a longer list (D-DIR-10). The handler's own list, and those of several calls or audiences, become one.
  const own: unknown = typeof room === 'object' && DIRECTIVES_FIELD in room ? room[DIRECTIVES_FIELD] : [];
  if (countOf(own) + countOf(completed) > maxDirectives)
    return `the response would have more than ${maxDirectives} directives, so the client receives them on its stream. Refresh collections instead of many items`;
  return null;
}

/** The number of directives in a list, including targets. The handler's own list may contain anything. */
function countOf(list: unknown): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce(
    (sum: number, one: unknown) => sum + 1 + countOf(isObject(one) && 'targets' in one && one.targets),
    0,
  );
}

/** Statuses without a body, whatever the handler passed. */
const bodiless = [204, 205];

/** The JSON object in the text of a body, which can contain directives. Otherwise null. */
export function objectIn(text: string, status: number): object | null {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && !bodiless.includes(status) ? body : null;
  } catch {
    return null; // The text is not JSON, so it stays as it is.
  }
}

/** Whether the content type means one JSON text, as clients judge it. `application/json-seq` and similar types contain several. */
export const isJsonType = (contentType: string): boolean =>
  /^(?!.*\bstream\+)[^;]*\bjson\s*(;|$)/i.test(contentType);

/** The text with directives added. The rest is kept, because its numbers may have more digits than JavaScript keeps. */
export function textWith(text: string, body: object, directives: readonly Directive[]): string {
  if (DIRECTIVES_FIELD in body) {
    const own: unknown = body[DIRECTIVES_FIELD];
    const all = [...(Array.isArray(own) ? own : []), ...directives];
    return JSON.stringify({ ...body, [DIRECTIVES_FIELD]: all });
  }
  const start = text.slice(0, text.lastIndexOf('}'));
  const comma = Object.keys(body).length === 0 ? '' : ',';
  return `${start}${comma}${JSON.stringify({ [DIRECTIVES_FIELD]: directives }).slice(1)}`;
}

/** The headers of a response that was not sent yet. */
export interface MutableHeaders {
  readonly set: (name: string, value: string) => void;
  /** Appends to values that other code has set. */
  readonly append: (name: string, value: string) => void;
}

/** Puts directives into the header of a response that has no JSON object for them. */
export function setHeader(directives: readonly Directive[], headers: MutableHeaders): void {
  const value = directives.length === 0 ? null : directivesHeader(directives);
  if (value === null) return;
  headers.set(DIRECTIVES_HEADER, value);
  // Without this header, a browser hides the directives from a page of another origin. Its client is the source
  // and would miss the change.
  headers.append('Access-Control-Expose-Headers', DIRECTIVES_HEADER);
}

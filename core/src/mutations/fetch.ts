// The pull path: directives in the answer to this client's own mutation (document §4.1, D-SRC-2 to D-SRC-4).

import type { Cache } from '../cache/store.ts';
import type { Directives, IsSettled } from '../directives/apply.ts';
import type { Env } from '../platform/env.ts';
import type { OwnEchoes } from '../directives/ownEchoes.ts';
import {
  CLIENT_ID_HEADER,
  DIRECTIVE_REQUEST_HEADER,
  DIRECTIVE_REQUEST_VALUE,
  DIRECTIVES_FIELD,
  DIRECTIVES_HEADER,
} from '../protocol/names.ts';
import { deepEqual } from '../cache/structuralSharing.ts';
import { disposedError, fail } from '../config/describe.ts';
import { headerOf, jsonIn } from './responseBody.ts';
import { headerPairs } from '../platform/headers.ts';
import type { Settings } from '../config/options.ts';
import { urlOf } from '../platform/urls.ts';
import type { DataLayer } from '../types/dataLayer.ts';

export interface Pull {
  fetch: DataLayer['fetch'];
  applyResponse: DataLayer['applyResponse'];
  directiveHeaders: DataLayer['directiveHeaders'];
  /** Whether what a response's directives caused has settled. */
  isSettled: (response: Response) => boolean;
  dispose: () => void;
}

const isSafe = (method: string): boolean => /^(get|head|options)$/i.test(method);

export function createPull(
  env: Env,
  cache: Cache,
  directives: Directives,
  ownEchoes: OwnEchoes,
  clientId: () => string,
  settings: () => Settings,
  noteRequestAt: (at: number) => void,
): Pull {
  const settled = new WeakMap<Response, IsSettled>();
  const open = new Set<(reason: unknown) => void>();

  /** Settles with the run, or rejects when the data layer is disposed first (D-FETCH-8). */
  function untilDisposed<T>(run: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      open.add(reject);
      run.finally(() => open.delete(reject)).then(resolve, reject);
    });
  }

  /** The directives of the header; an empty one has none. What is no JSON is rejected as everything that is not a list. */
  function inHeader(response: Response): unknown {
    const header = headerOf(response, DIRECTIVES_HEADER);
    if (header === null || header.trim() === '') return undefined;
    try {
      return JSON.parse(header);
    } catch (error) {
      env.log('warn', `the header ${DIRECTIVES_HEADER} is no JSON`, error);
      return header;
    }
  }

  /**
   * Applies what a response carries; false where its body could not be read, so that what it said is lost.
   * @param requested the ordinal of its request, where that is known
   * @param at the moment of its request
   */
  async function take(response: Response, requested: number | undefined, at: number): Promise<boolean> {
    const first = inHeader(response);
    let second: unknown;
    let isRead = true;
    // A body that was read before cannot be read again. That loses directives unless the header has them, and is said.
    if (!(response.bodyUsed && first !== undefined)) {
      try {
        second = (await jsonIn(response))?.[DIRECTIVES_FIELD];
      } catch (error) {
        isRead = false;
        env.log('warn', 'the JSON body of a response could not be read', error);
      }
    }
    // The same directive in header and body is applied once.
    if (Array.isArray(first) && Array.isArray(second))
      second = second.filter((one) => !first.some((other) => deepEqual(one, other)));
    // `null` is an empty list of some languages.
    const found = [first, second].filter((list) => list !== undefined && list !== null);
    const waits = found
      .filter((list) => !Array.isArray(list) || list.length > 0)
      .map((list) =>
        directives.apply(list, { path: 'pull', audience: null, source: null, seq: null, requested }),
      );
    // What came inline was true when the mutation was sent, as with any request (D-SSE-8).
    if (waits.length > 0) {
      noteRequestAt(at);
      settled.set(response, () => waits.every((isSettled) => isSettled()));
    }
    // A gateway that gives up says nothing of what was committed behind it.
    return isRead && (!(response.status >= 500) || found.length > 0);
  }

  /** The headers name this client, so only servers of this application may see them. */
  function maySend(url: string): boolean {
    const { sse, fetchOrigins } = settings();
    const own = env.origin() ?? urlOf(sse.baseUrl)?.origin;
    const origin = urlOf(url, own)?.origin;
    // Where nothing is known, a relative address is the same origin by itself.
    return origin === own || (origin !== undefined && fetchOrigins.includes(origin));
  }

  function directiveHeaders(extra?: RequestInit['headers']): Record<string, string> {
    const headers: Record<string, string> = {};
    const own = { [CLIENT_ID_HEADER]: clientId(), [DIRECTIVE_REQUEST_HEADER]: DIRECTIVE_REQUEST_VALUE };
    const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()));
    for (const [name, value] of headerPairs(extra)) if (!taken.has(name.toLowerCase())) headers[name] = value;
    return { ...headers, ...own };
  }

  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    // A Request has them; an address is its text.
    const { url = String(input as string | URL), method, headers } = Object(input) as Partial<Request>;
    const given = init?.headers ?? headers;
    const options = maySend(url) ? { ...init, headers: directiveHeaders(given) } : init;
    const isMutation = !isSafe(init?.method ?? method ?? 'GET');
    const ordinal = cache.nextOrdinal();
    const at = env.now();
    if (!isMutation) {
      const response = await env.fetch(input, options);
      await take(response, ordinal, at);
      return response;
    }
    noteRequestAt(at); // Now, not when it is answered: the stream may have opened by then, without what changed meanwhile (D-SSE-8).
    ownEchoes.begin(ordinal);
    const onLost = (): void => directives.applyLost(ownEchoes.lost(ordinal));
    try {
      const response = await env.fetch(input, options);
      if (!(await take(response, ordinal, at))) onLost();
      directives.checkEchoes(ownEchoes.end(ordinal));
      return response;
    } catch (error) {
      onLost();
      throw error;
    }
  }

  return {
    fetch: (input, init) => untilDisposed(send(input, init)),
    async applyResponse(response) {
      const { headers } = Object(response) as Partial<Response>; // What a fetch of another make answers will do.
      if (headers?.get === undefined) fail('applyResponse: it', 'be given a Response', response);
      await untilDisposed(take(response, undefined, env.now()));
    },
    directiveHeaders,
    isSettled: (response) => settled.get(response)?.() ?? true,
    dispose() {
      const reason = disposedError();
      for (const reject of open) reject(reason);
    },
  };
}

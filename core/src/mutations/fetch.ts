// `fetch` for mutations. It asks the server for directives and applies those in the response (document §4.1,
// D-SRC-2 to D-SRC-4).

import { deepEqual } from '../cache/structuralSharing.ts';
import { dev, disposedError, fail } from '../config/describe.ts';
import type { Directives, WaitsFor } from '../directives/apply.ts';
import type { OwnEchoes } from '../directives/ownEchoes.ts';
import type { Requesting } from '../fetching/batching.ts';
import { ignore } from '../platform/callbacks.ts';
import { baseOf } from '../platform/env.ts';
import { headerOf, headersOf } from '../platform/headers.ts';
import { urlOf } from '../platform/urls.ts';
import {
  CLIENT_ID_HEADER,
  DIRECTIVE_REQUEST_HEADER,
  DIRECTIVE_REQUEST_VALUE,
  DIRECTIVES_HEADER,
} from '../protocol/names.ts';
import type { DataLayer } from '../types/dataLayer.ts';
import { directivesIn, isJson } from './responseBody.ts';

export interface Mutations extends Pick<DataLayer, 'fetch' | 'applyResponse' | 'directiveHeaders'> {
  /** Returns an entry whose refetch the directives of a response still wait for. */
  awaited: (response: Response) => ReturnType<WaitsFor>;
  /** How many mutations were sent. Counted in development only. */
  count: () => number;
}

interface Needs extends Requesting {
  directives: Directives;
  ownEchoes: OwnEchoes;
}

const isSafe = (method: string): boolean => /^(get|head|options)$/i.test(method);

/** This includes the values that a `Request` passed as `init` inherits, because `fetch` reads them too. */
function copyOf(init?: RequestInit): RequestInit {
  const copy: Record<string, unknown> = {};
  // oxlint-disable-next-line guard-for-in
  for (const key in init) copy[key] = init[key as keyof RequestInit];
  return copy;
}

export function createMutations(needs: Needs): Mutations {
  let count = 0;
  const { env, cache, directives, ownEchoes, clientId, settings, disposed, fetching } = needs;
  const waits = new WeakMap<Response, WaitsFor>();

  /** Node warns of a leak when more than ten requests in flight each add a listener. */
  const ends = new Set<(error: Error) => void>();
  disposed.addEventListener('abort', () => ends.forEach((end) => end(disposedError())));
  /** Settles with the promise, or rejects earlier if the data layer is disposed (D-FETCH-8). */
  const untilDisposed = <T>(run: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      ends.add(reject);
      run.finally(() => ends.delete(reject)).then(resolve, reject);
    });

  function warn(message: string, detail?: unknown): void {
    if (process.env.NODE_ENV !== 'production') env.log('warn', message, detail);
  }

  /**
   * Only a body with a JSON content type is searched. In other bodies, a match is more likely a coincidence than a
   * directive.
   */
  async function warnOfUnlabeled(response: Response): Promise<void> {
    if (Array.isArray(await directivesIn(response).catch(ignore)))
      warn(
        'The directives in a response body are ignored, because the body has no JSON content type. Send it with the header "Content-Type: application/json".',
      );
  }

  function listInHeader(response: Response): unknown {
    const header = headerOf(response, DIRECTIVES_HEADER);
    try {
      return header === '' ? null : JSON.parse(header);
    } catch (error) {
      warn('The header X-Service-Directives is not JSON. Write it with directivesHeader.', error);
      return header;
    }
  }

  /**
   * Applies the directives of a response. Resolves to whether they are lost. They are lost if the body or a list could not
   * be read, or if a gateway gave up without knowing the server's result.
   * @param mutation its position in the order of requests. `applyResponse` does not know it.
   * @param at when it was sent
   */
  async function apply(response: Response, at: number, mutation?: number): Promise<boolean> {
    const inHeader = listInHeader(response);
    let inBody: unknown;
    let isLost = false;
    if (isJson(response)) {
      try {
        inBody = await directivesIn(response);
      } catch (error) {
        isLost = true;
        // If the header contains the directives, it does not matter that the application has read the body.
        if (process.env.NODE_ENV !== 'production' && !(response.bodyUsed && inHeader !== null))
          warn('The JSON body of a response could not be read. Its directives are lost.', error);
      }
    } else if (process.env.NODE_ENV !== 'production' && response.body?.getReader !== undefined)
      void warnOfUnlabeled(response);
    let list: unknown[] = [];
    for (const part of [inHeader ?? [], inBody ?? []])
      if (Array.isArray(part))
        list = [...list, ...part.filter((one) => !list.some((other) => deepEqual(one, other)))];
      // A part that is no list is always rejected (D-DIR-2).
      else isLost = directives.apply(part, { path: 'pull', mutation }) === ignore;
    if (list.length > 0) {
      fetching.noteRequestAt(at); // An inline result shows the state of the time at which the mutation was sent (D-SSE-8).
      waits.set(response, directives.apply(list, { path: 'pull', mutation }));
      isLost ||= waits.get(response) === ignore; // The list is too long (D-DIR-10).
    }
    return isLost || (response.status >= 500 && (inHeader ?? inBody ?? null) === null);
  }

  /** Whether the client id may be sent to this address. Only servers of this application may receive it. */
  function isOurs(url: string): boolean {
    const { sse, fetchOrigins } = settings();
    const own = env.origin() ?? urlOf(sse.baseUrl)?.origin;
    const origin = urlOf(url, baseOf(own))?.origin;
    // If no origin is known, only a relative address counts as same-origin.
    return [own, ...fetchOrigins].includes(origin);
  }

  /** The headers of a mutation: the application's headers, and our two headers, which take precedence. */
  function directiveHeaders(extra: unknown): Record<string, string> {
    const own = { [CLIENT_ID_HEADER]: clientId(), [DIRECTIVE_REQUEST_HEADER]: DIRECTIVE_REQUEST_VALUE };
    const headers = headersOf(extra);
    for (const name of Object.keys(own)) delete headers[name.toLowerCase()];
    return { ...headers, ...own };
  }

  /** Own echoes of a mutation are kept until its response arrives (D-SRC-4). */
  async function send(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    // A `Request` has these fields. Any other input is an address.
    const { url = String(input as string | URL), method, headers } = Object(input) as Partial<Request>;
    if (isSafe(init?.method ?? method ?? 'GET') || !isOurs(url)) return env.fetch(input, init);
    const mutation = { ...copyOf(init), headers: directiveHeaders(init?.headers ?? headers) };
    if (process.env.NODE_ENV !== 'production') count++;
    const order = cache.nextOrder();
    const at = env.now();
    fetching.noteRequestAt(at); // Now: the stream may open before the response, without what changed in between (D-SSE-8).
    const endEchoes = ownEchoes.begin();
    let isLost = true;
    try {
      const response = await env.fetch(input, mutation);
      // Directives from a server of another origin are not trusted.
      isLost = (!response.redirected || isOurs(response.url)) && (await apply(response, at, order));
      return response;
    } finally {
      directives.settleEchoes(endEchoes(isLost), isLost);
    }
  }

  return {
    fetch: (input, init) => untilDisposed(send(input, init)),
    async applyResponse(response) {
      const { headers } = Object(response) as Partial<Response>; // A response of another implementation will do.
      if (headers?.get === undefined) fail('applyResponse: it', dev`be given a Response`, response);
      await untilDisposed(apply(response, env.now()));
    },
    directiveHeaders,
    count: () => count,
    awaited: (response) => waits.get(response)?.(),
  };
}

// `fetch` for JSON APIs: sends and returns JSON, and throws for a status that is not 2xx.

import { headersOf } from '../platform/headers.ts';
import { isName, isObject } from '../config/checks.ts';
import { dev, fail } from '../config/describe.ts';
import { isPlainObject } from '../platform/plainObject.ts';

/** The additional options that `json` accepts. */
export interface JsonInit extends RequestInit {
  /** Sent as the JSON body, with its content type. The method then defaults to POST. */
  json?: unknown;
}

/** The response had a status other than 2xx. */
export class HttpError extends Error {
  /** Always `'HttpError'`. */
  override readonly name: string = 'HttpError';
  /** The status of the response, such as 404. */
  readonly status: number;
  /** The parsed JSON body, or its text when it is not JSON; `undefined` when it is empty. */
  readonly body: unknown;
  /** The response. Its body has been read. */
  readonly response: Response;

  /** @param body parsed JSON or a text. The error message is its `error.message`, `message`, or `error`. */
  constructor(response: Response, body: unknown) {
    super(messageIn(body) ?? `${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.body = body;
    this.response = response;
  }
}

function messageIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error, message } = body;
  return [isObject(error) && error['message'], message, error].find(isName);
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Creates the operation `json` from a `fetch` function. */
export function createJson(fetch: Fetch): (url: string | URL, init?: JsonInit) => Promise<unknown> {
  return async (url, init) => {
    const { json, ...rest } = init ?? {}; // `fetch` accepts null too.
    if (process.env.NODE_ENV !== 'production' && isPlainObject(rest.body))
      fail('json: body', 'be text, a form, or bytes (pass an object as json)', rest.body);
    const response = await fetch(url, json === undefined ? rest : withJson(rest, json));
    const text = await response.text();
    let body: unknown = text;
    try {
      body = text.trim() === '' ? undefined : JSON.parse(text);
    } catch (error) {
      if (response.ok)
        throw new SyntaxError(
          `[edict] json: the response with status ${response.status} is not JSON.${dev` Return JSON, or use fetch for this request.`}`,
          { cause: error },
        );
    }
    if (!response.ok) throw new HttpError(response, body);
    return body;
  };
}

function withJson(init: RequestInit, json: unknown): RequestInit {
  const headers = { 'content-type': 'application/json', ...headersOf(init.headers) };
  return { ...init, method: init.method ?? 'POST', body: JSON.stringify(json), headers };
}

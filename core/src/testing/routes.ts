// A minimal application server for tests: handlers by method and path.

import { CLIENT_ID_HEADER } from '@edict/core/protocol';

/** One request to a route. */
export interface RouteCall {
  /** The request with its body unread, for example for `await request.formData()`. */
  readonly request: Request;
  /** The URL of the request. */
  readonly url: URL;
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** `X-Service-Client-ID`: the `source` for the directives of this mutation. */
  readonly clientId: string | null;
  /** The JSON body, or null for an empty body and for other types such as forms. */
  readonly body: unknown;
}

/** Handles a request. It returns a `Response` or a value that becomes JSON. An error becomes a 500. */
export type RouteHandler = (call: RouteCall) => unknown;

/** The routes of a simulation. */
export interface Routes {
  /** `pattern` is a method and a path, such as `'PATCH /tickets/:id'`. A later route with the same pattern replaces the earlier one. */
  add: (pattern: string, handler: RouteHandler) => void;
  serve: (request: Request) => Promise<Response>;
}

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });

/** Unchanged if decoding fails, for example for a lone `%`. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function match(pattern: readonly string[], path: readonly string[]): Record<string, string> | null {
  if (pattern.length !== path.length) return null;
  const params: [string, string][] = [];
  for (const [index, part] of pattern.entries()) {
    const given = path[index] ?? '';
    if (part.startsWith(':')) params.push([part.slice(1), decoded(given)]);
    else if (part !== given) return null;
  }
  return Object.fromEntries(params);
}

/** Also parses text without a JSON type, which `fetch` sends for a string. Throws if the type is JSON and the text is not. */
async function bodyOf(request: Request): Promise<unknown> {
  const text = request.body === null ? '' : await request.clone().text();
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/\bjson\b/i.test(request.headers.get('content-type') ?? '')) throw error;
    return null;
  }
}

export function createRoutes(): Routes {
  const routes = new Map<string, { method: string; path: string[]; handler: RouteHandler }>();

  async function serve(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.split('/');
    for (const route of routes.values()) {
      const params = route.method === request.method ? match(route.path, path) : null;
      if (params === null) continue;
      const clientId = request.headers.get(CLIENT_ID_HEADER);
      try {
        const body = await bodyOf(request);
        const result = await route.handler({ request, url, params, clientId, body });
        if (result instanceof Response) return result;
        return result === undefined ? new Response(null, { status: 204 }) : json(result);
      } catch (error) {
        return json({ error: { code: 'failed', message: String(error) } }, 500);
      }
    }
    return json({ error: { code: 'not-found', message: `no route ${request.method} ${url.pathname}` } }, 404);
  }

  return {
    serve,
    add(pattern, handler) {
      if (typeof handler !== 'function')
        throw new TypeError(
          `[edict] Simulation: the handler of route "${pattern}" must be a function. Pass one that returns the response.`,
        );
      const [method = '', path = ''] = String(pattern).split(' ');
      if (!path.startsWith('/')) {
        throw new TypeError(
          `[edict] Simulation: route "${pattern}" is not a method and a path. Use one such as "POST /tickets".`,
        );
      }
      routes.set(pattern, { method: method.toUpperCase(), path: path.split('/'), handler });
    },
  };
}

// The application's server, as far as a test needs one: a method, a path and what answers.

import { CLIENT_ID_HEADER } from '@edict/core/protocol';

/** One request to a route. */
export interface RouteCall {
  /** As sent, its body unread: `await request.formData()` has what was uploaded. */
  readonly request: Request;
  /** Of the request. */
  readonly url: URL;
  /** The parts of the path that the pattern names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** `X-Service-Client-ID`: the `source` for the directives of this mutation. */
  readonly clientId: string | null;
  /** The JSON body; null where there is none, and where it is no JSON, such as a form. */
  readonly body: unknown;
}

/** Answers a request: a `Response`, or anything else, which becomes JSON. What it throws becomes a 500. */
export type RouteHandler = (call: RouteCall) => unknown;

/** The routes of a simulation. */
export interface Routes {
  /** `pattern` is a method and a path, such as `'PATCH /tickets/:id'`. A later route of the same pattern replaces it. */
  add: (pattern: string, handler: RouteHandler) => void;
  serve: (request: Request) => Promise<Response>;
}

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });

/** As it is where it cannot be decoded: a lone `%`. */
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

/** Also of a text without a type: that is what `fetch` makes of a string. Throws where the type promises JSON. */
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
        const answer = await route.handler({ request, url, params, clientId, body });
        if (answer instanceof Response) return answer;
        return answer === undefined ? new Response(null, { status: 204 }) : json(answer);
      } catch (error) {
        return json({ error: { code: 'failed', message: String(error) } }, 500);
      }
    }
    return json({ error: { code: 'not-found', message: `no route ${request.method} ${url.pathname}` } }, 404);
  }

  return {
    serve,
    add(pattern, handler) {
      const [method = '', path = ''] = pattern.split(' ');
      if (!path.startsWith('/')) {
        throw new TypeError(
          `simulation: route "${pattern}" is not a method and a path, such as "POST /tickets"`,
        );
      }
      routes.set(pattern, { method: method.toUpperCase(), path: path.split('/'), handler });
    },
  };
}

// Serves the admin page on Node and on web platforms, after the application's own check.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HubEnv, within } from '../env.ts';
import { checkRequest, describeRequest } from '../http/fetchHandler.ts';
import { guards } from '../http/httpShared.ts';
import { checkNodeArguments, describeNodeRequest } from '../http/nodeHandler.ts';
import type { AuthorizeRequest, HubOptions } from '../options.ts';
import { adminPage } from './page.ts';
import type { AdminSnapshot } from './snapshot.ts';

/** A handler for node:http, Express and Fastify (raw), and for platforms with Request and Response. */
export interface AdminHandler {
  /** Responds on node:http. */
  (req: IncomingMessage, res: ServerResponse): void;
  /** Returns the response. */
  (request: Request): Promise<Response>;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const headersOf = ({ status, type }: Page): Record<string, string> => ({
  ...guards,
  ...(status === 405 ? { allow: 'GET' } : {}),
  'content-type': `${type}; charset=utf-8`,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
});

const plain = (status: number, body: string): Page => ({ status, type: 'text/plain', body: `${body}\n` });

/** No request waits longer for the check. */
const checkTimeoutMs = 10_000;

/** Creates the handler of a hub. `check` is the option `admin`. */
export function createAdminHandler(
  check: HubOptions['admin'],
  env: HubEnv,
  snapshot: () => AdminSnapshot,
): AdminHandler {
  const tooLate = (): Error => new Error(`The check took longer than ${checkTimeoutMs} ms.`);

  async function pageFor(method: string, request: AuthorizeRequest): Promise<Page> {
    if (check === undefined)
      return plain(404, 'The admin page is off. Pass the option "admin" to createHub.');
    try {
      const checked = Promise.resolve(check(request));
      if ((await within(env, checked, checkTimeoutMs, tooLate)) !== true)
        return plain(403, 'The request was refused.');
      if (method !== 'GET') return plain(405, 'The admin page is read-only. Use GET.');
      const query = new URLSearchParams(request.url.split('?')[1]);
      return query.get('format') === 'json'
        ? { status: 200, type: 'application/json', body: JSON.stringify(snapshot(), null, 2) }
        : { status: 200, type: 'text/html', body: adminPage(snapshot(), query.has('live')) };
    } catch (error) {
      // The option "admin" has failed, or the backplane contains an envelope that cannot be read.
      env.log('error', 'The admin page failed, so it responds 503', error);
      return plain(503, 'The page is not available at the moment. The log contains the reason.');
    }
  }

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const page = await pageFor(req.method ?? '', describeNodeRequest(req));
    if (res.headersSent || res.destroyed) return;
    res.writeHead(page.status, headersOf(page)).end(page.body);
  }

  function handle(req: IncomingMessage, res: ServerResponse): void;
  function handle(request: Request): Promise<Response>;
  function handle(request: IncomingMessage | Request, res?: ServerResponse): Promise<Response> | void {
    if (res !== undefined) {
      checkNodeArguments('adminHandler', request, res);
      void respond(request as IncomingMessage, res); // Checked above. Every error is handled in `pageFor`.
      return;
    }
    const web = request as Request; // Checked in the next line.
    checkRequest('adminHandler', web);
    return pageFor(web.method, describeRequest(web)).then(
      (page) => new Response(page.body, { status: page.status, headers: headersOf(page) }),
    );
  }
  return handle;
}

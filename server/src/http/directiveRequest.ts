// The headers of a mutation: the request for directives, and the directives in the response (document §4.1,
// D-HUB-9).

import { CLIENT_ID_HEADER, DIRECTIVE_REQUEST_HEADER, DIRECTIVE_REQUEST_VALUE } from '@edict/core/protocol';
import type { IncomingMessage } from 'node:http';
import { jsonCopy } from '../emit/jsonForm.ts';
import { isObject, wrong } from '../optionErrors.ts';
import { isName } from '../names.ts';

/** The information about directives in a request. */
export interface DirectiveRequest {
  /** The id of the client's data layer, for `source`. Null when the request has none or an invalid one. */
  clientId: string | null;
  /** Whether the client asks for the directives in the response. */
  wantsDirectives: boolean;
}

/** Servers and proxies refuse long headers. 4 KiB are accepted, but nginx needs a setting for them (see the deployment guide). */
const maxHeaderBytes = 4096;

const aRequest = 'an IncomingMessage or a Request (c.req.raw of Hono)';

/** Reads the client id from the request of a mutation, and whether the client asks for directives. */
export function directiveRequest(request: IncomingMessage | Request): DirectiveRequest {
  if (!isObject(request?.headers)) throw wrong('directiveRequest: the request', aRequest, request);
  const clientId = headerOf(request, CLIENT_ID_HEADER);
  return {
    clientId: isName(clientId) ? clientId : null,
    wantsDirectives: headerOf(request, DIRECTIVE_REQUEST_HEADER) === DIRECTIVE_REQUEST_VALUE,
  };
}

/**
 * Returns the value of `X-Service-Directives`: JSON in printable ASCII. Returns null when it would be longer than 4 KiB. In that case, put
 * the directives into the body as the field `directives`. Throws a `TypeError` with the path of a part that has no JSON form.
 */
export function directivesHeader(directives: readonly unknown[]): string | null {
  // For example the promise that `emit` returns.
  if (!Array.isArray(directives)) throw wrong('directivesHeader: directives', 'an array', directives);
  const text = JSON.stringify(jsonCopy(directives, 'directivesHeader: directives')).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length > maxHeaderBytes ? null : text;
}

function headerOf({ headers }: IncomingMessage | Request, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : null; // Node has a list only for `set-cookie`.
}

function isHeaders(headers: IncomingMessage['headers'] | Headers): headers is Headers {
  return typeof headers.get === 'function';
}

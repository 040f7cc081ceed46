// The pull path: what a mutation's request says, and directives in its answer's header (document §4.1, D-HUB-9).

import { CLIENT_ID_HEADER, DIRECTIVE_REQUEST_HEADER, DIRECTIVE_REQUEST_VALUE } from '@edict/core/protocol';
import type { IncomingMessage } from 'node:http';
import { isObject, wrong } from '../optionErrors.ts';
import { isName } from '../names.ts';

/** What a request says about directives. */
export interface DirectiveRequest {
  /** The id of the client's data layer, for `source`; null when there is none or it cannot be one. */
  clientId: string | null;
  /** Whether the client asks for the directives in the answer. */
  wantsDirectives: boolean;
}

/** Servers and proxies refuse long headers. 4 KiB pass, but nginx has to be told that there may be so much: docs/server/deploying.md. */
const maxHeaderBytes = 4096;

const aRequest = 'an IncomingMessage or a Request (c.req.raw of Hono)';

/** Reads the client's id and its wish for directives from a mutation's request. */
export function directiveRequest(request: IncomingMessage | Request): DirectiveRequest {
  if (!isObject(request?.headers)) throw wrong('directiveRequest: the request', aRequest, request);
  const clientId = headerOf(request, CLIENT_ID_HEADER);
  return {
    clientId: isName(clientId) ? clientId : null,
    wantsDirectives: headerOf(request, DIRECTIVE_REQUEST_HEADER)?.trim() === DIRECTIVE_REQUEST_VALUE,
  };
}

/**
 * The value of `X-Service-Directives`: JSON in printable ASCII. Null when it would be longer than 4 KiB: put the directives into the
 * body then, as the field `directives`.
 */
export function directivesHeader(directives: readonly unknown[]): string | null {
  // Such as what `emit` returns before it is awaited.
  if (!Array.isArray(directives)) throw wrong('directivesHeader: directives', 'an array', directives);
  const text = JSON.stringify(directives).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length > maxHeaderBytes ? null : text;
}

function headerOf({ headers }: IncomingMessage | Request, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function isHeaders(headers: IncomingMessage['headers'] | Headers): headers is Headers {
  return typeof headers.get === 'function';
}

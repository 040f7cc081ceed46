// The names on the wire. This file imports no validator, because the browser bundle contains it.

/** Request header with the client id. A server uses it as the `source` of the directives that the request causes. */
export const CLIENT_ID_HEADER = 'X-Service-Client-ID';
/** Request header that asks the server for directives in the response. */
export const DIRECTIVE_REQUEST_HEADER = 'X-Service-Directive-Request';
/** The constant value of `DIRECTIVE_REQUEST_HEADER`. */
export const DIRECTIVE_REQUEST_VALUE = 'send me directives';
/** Response header with a JSON array of directives. */
export const DIRECTIVES_HEADER = 'X-Service-Directives';
/** The field of a JSON response body that contains the directives. */
export const DIRECTIVES_FIELD = 'directives';

/** The default name of the query parameter with the client id. */
export const CLIENT_ID_PARAM = 'client_id';
/** The default name of the query parameter with an audience. It is repeated for several audiences. */
export const AUDIENCE_PARAM = 'audience';
/** Query parameter with the last sequence number, one for each audience in the same order. It is empty if the client has no number. */
export const LAST_SEQ_PARAM = 'last_seq';
/** Query parameter with the age of the client's oldest request, in milliseconds. */
export const SINCE_MS_PARAM = 'since_ms';
/**
 * How much further back than `since_ms` a hub replays, in milliseconds. A client may miss a change if its request took longer than this to
 * reach the hub.
 */
export const SINCE_SLACK_MS = 2000;
/** Request header that a native `EventSource` sends when it reconnects. With one audience, it overrides `last_seq`. */
export const LAST_EVENT_ID_HEADER = 'Last-Event-ID';
/** Response header of a stream with the hub's heartbeat interval, in milliseconds. */
export const HEARTBEAT_HEADER = 'X-Service-Heartbeat-Ms';

/** The audience of everything that names none. */
export const DEFAULT_AUDIENCE = 'global';
/** The name of the only event of the stream. */
export const SSE_EVENT = 'message';
/** The `type` of an envelope. */
export const ENVELOPE_TYPE = 'directives';

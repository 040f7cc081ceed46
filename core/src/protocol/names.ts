// The names on the wire (document §2.3, §2.8, §4.1, §4.2; "On the wire"). No validator here: the browser bundle has them too.

/** Request header with the client id, which the server uses as `source` (§4.1). */
export const CLIENT_ID_HEADER = 'X-Service-Client-ID';
/** Request header that asks for directives in the response (§4.1). */
export const DIRECTIVE_REQUEST_HEADER = 'X-Service-Directive-Request';
/** The constant value of `DIRECTIVE_REQUEST_HEADER` (§4.1). */
export const DIRECTIVE_REQUEST_VALUE = 'send me directives';
/** Response header whose value is a JSON array of directives (§4.1). */
export const DIRECTIVES_HEADER = 'X-Service-Directives';
/** The field of a JSON response body that holds the directives (§4.1). */
export const DIRECTIVES_FIELD = 'directives';

/** Query parameter with the client id; its default name (§4.2). */
export const CLIENT_ID_PARAM = 'client_id';
/** Query parameter with an audience, repeated for several; its default name (§4.2, D-SSE-10). */
export const AUDIENCE_PARAM = 'audience';
/** Query parameter with the last sequence number seen, one per audience in their order, empty where unknown (D-SSE-8). */
export const LAST_SEQ_PARAM = 'last_seq';
/** Query parameter with the age of the client's oldest request, milliseconds (D-SSE-8). */
export const SINCE_MS_PARAM = 'since_ms';
/**
 * A hub replays by so much more than the age that it is told (D-HUB-3), milliseconds; a client whose request took longer than this to be
 * answered may miss something (D-SSE-8).
 */
export const SINCE_SLACK_MS = 2000;
/** What a native `EventSource` sends when it comes back; read with one audience, and then wins (D-HUB-9). */
export const LAST_EVENT_ID_HEADER = 'Last-Event-ID';

/** Response header of a stream with the hub's heartbeat interval in milliseconds (D-SSE-5). */
export const HEARTBEAT_HEADER = 'X-Service-Heartbeat-Ms';

/** The audience where none is given (§4.6). */
export const DEFAULT_AUDIENCE = 'global';
/** The name of the stream's one event (§6.1). */
export const SSE_EVENT = 'message';
/** `type` of an envelope (§2.3). */
export const ENVELOPE_TYPE = 'directives';

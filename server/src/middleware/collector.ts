// What the middlewares share: a handler collects directives, and they go out once it has succeeded (document §4.1).

import { DIRECTIVES_FIELD, DIRECTIVES_HEADER, maxDirectives, type Directive } from '@edict/core/protocol';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { countOf, readDirectives } from '../emit/directiveList.ts';
import { guardedLog, isProduction, platformEnv, type LogLevel } from '../env.ts';
import { functionOrNone, isObject, membersOf, wrong } from '../optionErrors.ts';
import type { DirectiveInput, EmitOptions, Hub } from '../hub.ts';
import { directiveRequest, directivesHeader } from '../http/directiveRequest.ts';
import { checkAudiences, keyOf, reachedBy, readDestination } from '../emit/envelope.ts';

/** What a mutation handler sees. */
export interface DirectiveCollector {
  /**
   * Notes directives that are emitted when the handler answers with 2xx or 3xx; otherwise they are dropped. Where the answer carries them
   * the request's client id is their `source`; where it cannot, they have none, so that the client learns from its stream what it changed.
   * Throws a `TypeError` with the path of the fault at once, so a mistake shows where it was made; only the hub's limits are looked at when
   * they are emitted, and what is above them is logged as an error and reaches nobody but the client that asked, where its answer carries it.
   * `options` as for `hub.emit`.
   */
  readonly emit: (directives: readonly DirectiveInput[], options?: Pick<EmitOptions, 'audience'>) => void;
}

/** Options of every middleware. */
export interface MiddlewareOptions {
  /** Warn once for each route whose mutation answered 2xx without any directive. Default: unless `NODE_ENV` is `production`. */
  warnWhenSilent?: boolean | undefined;
  /** Default: the console. */
  log?: ((level: LogLevel, message: string, detail?: unknown) => void) | undefined;
}

/** Where an answer has room for directives: in its body, else in its header, or nowhere since both have gone. */
export type Room = 'body' | 'header' | 'none';

/** One mutation's directives, from the handler to the answer. */
export interface Collection {
  readonly collector: DirectiveCollector;
  /** Whether the client asked for directives in its answer, and it can have them there. */
  readonly isAsked: boolean;
  /** Whether anything waits to be emitted. */
  readonly isPending: () => boolean;
  /** Emits what was collected; resolves to what belongs into the answer, empty where it cannot carry it or the client did not ask. */
  readonly flush: (room: Room) => Promise<readonly Directive[]>;
  /** The mutation is answered: what is collected from now on is emitted at once. */
  readonly close: () => void;
}

/** A list that a handler collected, and whom it is for. */
interface Noted {
  readonly list: Directive[];
  readonly audiences: readonly string[] | null;
}

/** Makes collections; one for each middleware that is set up. */
export interface Collections {
  readonly begin: (request: IncomingMessage | Request) => Collection;
  /** The handler of a route answers with this status: closes the collection where that is a success, and warns when a mutation was silent. */
  readonly answered: (method: string, route: string, status: number, collection: Collection) => void;
  /** What has begun to answer with a success and ends without its framework, or because its client left, emits all the same. */
  readonly watch: (response: ServerResponse, collection: Collection) => void;
}

/** Throws a `TypeError` that names a misspelt option. Not for Fastify: it hands a plugin options of its own too. */
export function checkOptions(options: unknown): void {
  membersOf(options, ['warnWhenSilent', 'log'], 'directives');
}

const maxWarned = 200;

/** The heart of the middlewares. */
export function createCollections(hub: Pick<Hub, 'emit'>, options: MiddlewareOptions = {}): Collections {
  // Told at the first mutation it would be a line in the log, and nobody else would have learned what changed.
  // What has headers is the request: `app.use(directives)` forgot to make the middleware, and requests of Node can emit, too.
  if (typeof hub?.emit !== 'function' || 'headers' in hub)
    throw wrong('directives: hub', 'what createHub returns', hub);
  if (!isObject(options)) throw wrong('directives: options', 'an object', options);
  functionOrNone('directives: log', options.log);
  const env = platformEnv();
  const log = guardedLog(env, options.log);
  const isWarning = options.warnWhenSilent ?? !isProduction();
  /** Where a framework has no route for them, these are paths: as many as anybody cares to ask for. */
  const warned = new Set<string>();
  const spoken = new WeakSet<Collection>();

  function begin(request: IncomingMessage | Request): Collection {
    const { clientId, wantsDirectives } = directiveRequest(request);
    // An answer to HEAD has no body, whatever the handler gave it: it is one of those that cannot carry them.
    const isAsked = wantsDirectives && request.method !== 'HEAD';
    let pending: Noted[] = [];
    let isAnswered = false;

    async function emitOne({ list, audiences }: Noted, source: string | null): Promise<Directive[]> {
      try {
        return await hub.emit(list, audiences === null ? { source } : { audience: [...audiences], source });
      } catch (error) {
        // The mutation is done, and its answer must not say otherwise. Its own client still learns what changed; the keys keep a
        // late push from counting twice.
        const isRefused = error instanceof TypeError; // Such as more than an envelope holds.
        log('error', `Directives of a mutation were not ${isRefused ? 'emitted' : 'confirmed'}`, error);
        return list;
      }
    }

    function emitLate(noted: Noted): void {
      log(
        'warn',
        'Directives were collected after the answer had gone: it does not carry them. Await what emits them',
      );
      void emitOne(noted, null);
    }

    const collection: Collection = {
      collector: {
        emit(directives, emitOptions) {
          const { audiences } = readDestination(emitOptions);
          const list = readDirectives(directives, Infinity).map((directive) => ({
            ...directive,
            idempotency_key: keyOf(directive, () => env.newId()),
          }));
          checkAudiences(list, audiences);
          if (list.length > 0) spoken.add(collection);
          if (isAnswered) emitLate({ list, audiences });
          else pending.push({ list, audiences });
        },
      },
      isAsked,
      isPending: () => pending.length > 0,
      async flush(room) {
        const lists = pending;
        pending = [];
        const hasRoom = isAsked && room !== 'none';
        const excess = hasRoom ? excessOf(lists, room, clientId) : null;
        if (excess !== null) log('warn', excess);
        const isCarried = hasRoom && excess === null;
        // The client ignores what comes over its stream under its own name: only what it gets with the answer bears it. All are
        // emitted in one turn, which keeps their order: an answer waits for one deadline, however many lists there are (D-HUB-7).
        const sent = await Promise.all(lists.map((noted) => emitOne(noted, isCarried ? clientId : null)));
        return isCarried ? sent.flat() : [];
      },
      close() {
        isAnswered = true;
      },
    };
    return collection;
  }

  return {
    begin,
    answered(method, route, status, collection) {
      if (isDone(status)) collection.close();
      const isMutation = !['GET', 'HEAD', 'OPTIONS'].includes(method);
      const name = `${method} ${route}`;
      if (!isWarning || !isMutation || status >= 300 || spoken.has(collection)) return;
      if (warned.has(name) || warned.size >= maxWarned) return;
      warned.add(name);
      log(
        'warn',
        `${name} answered ${status} and collected no directive: unless it emits by itself, other clients do not learn what it changed (warnWhenSilent: false ends this)`,
      );
    },
    watch(response, collection) {
      response.once('close', () => {
        if (!response.headersSent || !isDone(response.statusCode)) return;
        collection.close();
        void collection.flush('none');
      });
    },
  };
}

/** Whether a mutation with this status has happened: also one that answers with where to go next. */
export function isDone(status: number): boolean {
  return status >= 200 && status < 400;
}

/** Where an answer with this status has room: what redirects is not what the client gets to see. */
export function roomIn(status: number, body: object | null): Room {
  return status >= 300 ? 'none' : body === null ? 'header' : 'body';
}

/** Why an answer cannot carry them although it has room for some, or null: once they are stamped, with the longest number there is. */
function excessOf(lists: readonly Noted[], room: Room, source: string | null): string | null {
  const stamped = lists.flatMap(({ list, audiences }) =>
    list.flatMap((directive) =>
      reachedBy(directive, audiences).map((audience): Directive => ({
        ...directive,
        audience,
        source,
        seq: Number.MAX_SAFE_INTEGER,
      })),
    ),
  );
  if (room === 'header' && directivesHeader(stamped) === null)
    return 'The directives are too long for a header: the client gets them over its stream. Answer with a JSON object to have them in its body';
  // D-DIR-10: the client would drop the whole list. What was emitted in several calls, or to several audiences, is one list here.
  if (countOf(stamped) > maxDirectives)
    return `The answer would have more than ${maxDirectives} directives: the client gets what is emitted over its stream. Refresh collections instead of so many items`;
  return null;
}

/** Platforms send no body with these, whatever a handler gave them. */
const bodiless = [204, 205];

/** An answer's body where it is a JSON object, which directives can be put into; else null. */
export const objectOf = (body: unknown, status: number): object | null =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !bodiless.includes(status)
    ? body
    : null;

/** As `objectOf`, for JSON text. */
export function objectIn(text: string, status: number): object | null {
  try {
    return objectOf(JSON.parse(text), status);
  } catch {
    return null; // Not JSON, whatever its content type says: left as it is.
  }
}

/** Whether it is that of one JSON text: `application/json-seq` and such are streams of several. */
export const isJsonType = (contentType: string): boolean => /^application\/json *(;|$)/i.test(contentType);

/** The body with the directives in it. */
export function bodyWith(body: object, directives: readonly Directive[]): Record<string, unknown> {
  const own: unknown = DIRECTIVES_FIELD in body ? body[DIRECTIVES_FIELD] : [];
  return { ...body, [DIRECTIVES_FIELD]: [...(Array.isArray(own) ? own : []), ...directives] };
}

/** As `bodyWith`, for the text of that body, which stays as it is: its numbers may have more digits than JavaScript's. */
export function textWith(text: string, body: object, directives: readonly Directive[]): string {
  if (DIRECTIVES_FIELD in body) return JSON.stringify(bodyWith(body, directives));
  const begun = text.slice(0, text.lastIndexOf('}'));
  const comma = Object.keys(body).length === 0 ? '' : ',';
  return `${begun}${comma}${JSON.stringify({ [DIRECTIVES_FIELD]: directives }).slice(1)}`;
}

/** The headers of an answer that has not gone. */
export interface AnswerHeaders {
  readonly set: (name: string, value: string) => void;
  /** Leaves what others have set. */
  readonly append: (name: string, value: string) => void;
}

/** Where there is no JSON object to put them into, directives travel in a header. */
export function setHeader(directives: readonly Directive[], headers: AnswerHeaders): void {
  const value = directives.length === 0 ? null : directivesHeader(directives);
  if (value === null) return;
  headers.set(DIRECTIVES_HEADER, value);
  // A browser hides it from a page of another origin otherwise, whose client is named as the source and would never learn of it.
  headers.append('Access-Control-Expose-Headers', DIRECTIVES_HEADER);
}

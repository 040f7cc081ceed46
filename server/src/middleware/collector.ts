// Code that all middlewares share. A handler collects directives, and they are emitted when it has succeeded
// (D-HUB-12).

import type { Directive } from '@edict/core/protocol';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readDirectives, targetsOf, type DirectiveInput } from '../emit/directiveList.ts';
import { checkAudiences, idempotencyKey, readDestination } from '../emit/envelope.ts';
import { guardedLog, isProduction, platformEnv, type HubEnv, type LogLevel } from '../env.ts';
import { directiveRequest } from '../http/directiveRequest.ts';
import type { EmitOptions, Hub } from '../hub.ts';
import { isName, nameRule } from '../names.ts';
import { functionOrNone, isObject, membersOf, shown, wrong } from '../optionErrors.ts';
import { addWork } from '../work.ts';
import { whyNotCarried, type Collected, type Room } from './responseRoom.ts';
import { createUnconfirmed, isRefused } from './unconfirmed.ts';

/** Collects directives in a mutation handler. */
export interface DirectiveCollector {
  /**
   * Collects directives. They are emitted when the handler responds with 2xx or 3xx, and dropped otherwise. If the response contains them,
   * the client id of the request becomes their `source`. If it cannot contain them, they have no source, so the client receives its own
   * change on its stream.
   *
   * Throws a `TypeError` with the path of a fault immediately. Only the limits of the hub are checked later: directives above them are
   * logged as an error, and only the client that asked receives them, in its response. `options` as for `hub.emit`.
   */
  readonly emit: (directives: readonly DirectiveInput[], options?: Pick<EmitOptions, 'audience'>) => void;
}

/** Options of every middleware. `R` is the framework's request. */
export interface MiddlewareOptions<R = unknown> {
  /** Warns once per route when a mutation responds with 2xx and has collected nothing. Default: true, except in production. */
  warnWhenSilent?: boolean | undefined;
  /**
   * Returns the client id that becomes the `source`, or null for none. Use it if your application knows which client ids belong to a user.
   * `clientId` is the one that the request sent, or null. It runs when the handler has responded, so the request is authenticated by
   * then. If it fails, an error is logged and the directives have no source. Default: `clientId`.
   */
  sourceOf?: ((request: R, clientId: string | null) => string | null | Promise<string | null>) | undefined;
  /** Receives warnings and errors. May be async. Default: the console. */
  log?: ((level: LogLevel, message: string, detail?: unknown) => void | Promise<void>) | undefined;
}

/** The directives of one request, from its handler to its response. */
export interface Collection {
  /** Whether this is a mutation for which no directive was collected. */
  readonly isSilent: () => boolean;
  /** The method and the route, for the log. */
  readonly name: () => string;
  readonly collector: DirectiveCollector;
  /** Whether the client asked for directives and its response can contain them. */
  readonly isAsked: boolean;
  /** Whether collected directives are not emitted yet. */
  readonly isPending: () => boolean;
  /** Emits the collected directives. Resolves to those that the response must contain, which may be none. */
  readonly flush: (room: Room) => Promise<readonly Directive[]>;
  /** The handler has responded. Directives that are collected from now on are emitted immediately. */
  readonly close: () => void;
  /** The handler has ended. Until then, a hub that closes waits for a mutation. */
  readonly end: () => void;
}

/** Creates the collections of one middleware. */
export interface Collections<R> {
  /**
   * @param raw the request with the headers of the data layer; `request` is the framework's
   * @param route returns the pattern of the route, or the path if there is none. It is called when the handler has run
   */
  readonly begin: (raw: IncomingMessage | Request, request: R, route: () => string) => Collection;
  /** The handler has responded, and ends. After a success this closes the collection, and warns about a silent mutation. */
  readonly responded: (status: number, collection: Collection) => void;
  /** Emits the directives of a successful response that ends without its framework, or whose client leaves before its end. */
  readonly watch: (response: ServerResponse, collection: Collection) => void;
}

const optionNames = ['warnWhenSilent', 'sourceOf', 'log'];

/**
 * Throws a `TypeError` that names an unknown option. Not used for Fastify, which adds its own options to those of
 * a plugin.
 */
export function checkOptions(options: unknown): void {
  membersOf(options, optionNames, 'directives');
}

/**
 * Routes for which a warning was logged. If the framework has no route, the path is used, and clients choose the
 * path.
 */
const maxWarned = 200;

/** The requests for which directives were collected, by any middleware. A route may be behind two. */
const withDirectives = new WeakSet<object>();

/** A handler that notices that its client has left may never respond. It counts as ended after this time. */
const abandonedMs = 30_000;

/** Creates the collections of a middleware. Throws a `TypeError` that names an invalid argument. */
export function createCollections<R>(
  hub: Pick<Hub, 'emit'>,
  options: MiddlewareOptions<R> = {},
): Collections<R> {
  // `app.use(directives)` passes a request. A request of Node has `emit` too, so it is recognized by its headers.
  if (typeof hub?.emit !== 'function' || 'headers' in hub)
    throw wrong('directives: hub', 'the result of createHub', hub);
  if (!isObject(options)) throw wrong('directives: options', 'an object', options);
  functionOrNone('directives: sourceOf', options.sourceOf);
  functionOrNone('directives: log', options.log);
  const env = platformEnv();
  const log = guardedLog(env, options.log);
  const { warnWhenSilent: isWarning = !isProduction() } = options as { warnWhenSilent?: unknown };
  if (typeof isWarning !== 'boolean') throw wrong('directives: warnWhenSilent', 'true or false', isWarning);
  const warned = new Set<string>();
  const emitAgain = createUnconfirmed(hub, env, log);

  function begin(raw: IncomingMessage | Request, request: R, route: () => string): Collection {
    const { clientId, wantsDirectives } = directiveRequest(raw);
    const { method = '' } = raw;
    const name = (): string => `${method} ${route()}`;
    const isAsked = wantsDirectives && isMutation(method); // Clients search no other response (D-SRC-3).
    let pending: Collected[] = [];
    let isClosed = false;
    let end = (): void => {};
    if (isMutation(method)) addWork(hub, new Promise<void>((done) => (end = done)));

    async function emitOne({ list, audiences }: Collected, source: string | null): Promise<Directive[]> {
      const emitOptions = audiences === null ? { source } : { audience: [...audiences], source };
      try {
        return await hub.emit(list, emitOptions);
      } catch (error) {
        // The mutation has succeeded, so its response must not fail. Its client receives the directives in the response. When they
        // are emitted after all, the idempotency keys keep the client from applying them twice.
        if (!isRefused(error)) emitAgain({ list, options: emitOptions });
        log(
          'error',
          `${name()}: the directives were not ${isRefused(error) ? 'emitted' : 'confirmed'}`,
          error,
        );
        return list as Directive[]; // Clients accept a `TypeInvalidate` too.
      }
    }

    function emitLate(collected: Collected): void {
      log(
        'warn',
        `${name()}: directives were collected after the response was sent, so it does not contain them. Await what collects them before responding`,
      );
      void emitOne(collected, null);
    }

    async function emitAll(lists: readonly Collected[], room: Room): Promise<readonly Directive[]> {
      const hasRoom = isAsked && room !== 'none' && lists.length > 0;
      const source = hasRoom ? await readSource(options.sourceOf, { request, clientId }, log) : null;
      const excess = hasRoom ? whyNotCarried(lists, room, source) : null;
      if (excess !== null) log('warn', `${name()}: ${excess}`);
      const isCarried = hasRoom && excess === null;
      // The client ignores directives with its own source on its stream, so only those in its response may have that source. All
      // lists are emitted in one turn, which keeps their order and makes the response wait for one timeout only (D-HUB-7).
      const sent = await Promise.all(lists.map((one) => emitOne(one, isCarried ? source : null)));
      return isCarried ? sent.flat() : [];
    }

    return {
      isSilent: () => isMutation(method) && !withDirectives.has(raw),
      name,
      collector: {
        emit(directives, emitOptions) {
          const { audiences } = readDestination(emitOptions);
          const list = readDirectives(directives, Infinity);
          for (const directive of list) {
            directive.idempotency_key = idempotencyKey(directive, () => env.newId());
            dropSource(directive);
          }
          checkAudiences(list, audiences);
          if (list.length > 0) withDirectives.add(raw);
          if (isClosed) emitLate({ list, audiences });
          else pending.push({ list, audiences });
        },
      },
      isAsked,
      isPending: () => pending.length > 0,
      flush(room) {
        const emitted = emitAll(pending, room);
        pending = [];
        addWork(hub, emitted);
        return emitted;
      },
      close() {
        isClosed = true;
      },
      end,
    };
  }

  return {
    begin,
    responded(status, collection) {
      if (isDone(status)) collection.close();
      collection.end();
      if (!isWarning || status >= 300 || !collection.isSilent()) return;
      const name = collection.name();
      if (warned.has(name) || warned.size >= maxWarned) return;
      warned.add(name);
      log(
        'warn',
        `${name} responded ${status} and collected no directive, so other clients do not learn what it changed. Collect one, or set warnWhenSilent: false if it emits by itself`,
      );
    },
    watch(response, collection) {
      response.once('close', () => {
        // A handler whose client left may still commit and respond.
        if (!response.headersSent) return env.setTimeout(collection.end, abandonedMs);
        collection.end();
        if (!isDone(response.statusCode)) return;
        collection.close();
        void collection.flush('none');
      });
    },
  };
}

const isMutation = (method: string): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method);

/**
 * Drops the source that a handler has written into a directive. The client with this id would ignore the directive on its stream, even if
 * the response does not contain it.
 */
function dropSource(directive: DirectiveInput): void {
  delete directive.source;
  targetsOf(directive).forEach(dropSource);
}

/** Determines the source with the option `sourceOf`, which may fail. */
async function readSource<R>(
  sourceOf: MiddlewareOptions<R>['sourceOf'],
  { request, clientId }: { readonly request: R; readonly clientId: string | null },
  log: HubEnv['log'],
): Promise<string | null> {
  if (sourceOf === undefined) return clientId;
  try {
    const source: unknown = await sourceOf(request, clientId);
    if (source === null || isName(source)) return source;
    throw new TypeError(
      `[edict] sourceOf must return null, or a client id with ${nameRule}, not ${shown(source)}.`,
    );
  } catch (error) {
    log('error', 'The option "sourceOf" failed, so the directives have no source', error);
    return null;
  }
}

/** Whether a response with this status means that the mutation has happened. This includes redirects. */
export function isDone(status: number): boolean {
  return status >= 200 && status < 400;
}

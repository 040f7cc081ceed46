// What the middlewares share: a handler collects directives, and they go out once it has succeeded (document §4.1).

import { DIRECTIVES_FIELD, DIRECTIVES_HEADER, type Directive } from '@edict/core/protocol';
import type { IncomingMessage } from 'node:http';
import { readDirectives } from '../directiveList.ts';
import { platformEnv, type LogLevel } from '../env.ts';
import type { DirectiveInput, EmitOptions, Hub } from '../hub.ts';
import { directiveRequest, directivesHeader } from '../pull.ts';
import { keyOf, readDestination } from '../stamp.ts';

/** What a mutation handler sees. */
export interface DirectiveCollector {
  /**
   * Notes directives that are emitted, with the request's client id as `source`, when the handler has answered with 2xx; otherwise they
   * are dropped. Throws a `TypeError` with the path of the fault at once, so a mistake shows where it was made. `options` as for `hub.emit`.
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

/** One mutation's directives, from the handler to the answer. */
export interface Collection {
  readonly collector: DirectiveCollector;
  /** Whether anything waits to be emitted. */
  readonly isPending: () => boolean;
  /** Emits what was collected; resolves to what belongs into the answer, empty when the client did not ask for it. */
  readonly flush: () => Promise<readonly Directive[]>;
}

/** Makes collections; one for each middleware that is set up. */
export interface Collections {
  readonly begin: (request: IncomingMessage | Request) => Collection;
  /** The handler of a route answered with this status: warns when a mutation was silent. */
  readonly answered: (method: string, route: string, status: number, collection: Collection) => void;
  readonly log: (level: LogLevel, message: string, detail?: unknown) => void;
}

/** The heart of the middlewares. */
export function createCollections(hub: Pick<Hub, 'emit'>, options: MiddlewareOptions = {}): Collections {
  const env = platformEnv();
  const log = options.log ?? env.log;
  const isWarning = options.warnWhenSilent ?? process.env['NODE_ENV'] !== 'production';
  const warned = new Set<string>();
  const spoken = new WeakSet<Collection>();

  function begin(request: IncomingMessage | Request): Collection {
    const { clientId, wantsDirectives } = directiveRequest(request);
    let pending: { list: Directive[]; options: EmitOptions }[] = [];

    async function emitOne({
      list,
      options: destination,
    }: {
      list: Directive[];
      options: EmitOptions;
    }): Promise<Directive[]> {
      try {
        return await hub.emit(list, destination);
      } catch (error) {
        if (error instanceof TypeError) throw error; // A mistake of the handler.
        // The mutation is done. Its own client still learns what changed; the keys keep a late push from counting twice.
        log('error', 'Directives of a mutation were not confirmed', error);
        return list;
      }
    }

    const collection: Collection = {
      collector: {
        emit(directives, emitOptions) {
          readDestination(emitOptions);
          const list = readDirectives(directives, Infinity).map((directive) => ({
            ...directive,
            idempotency_key: keyOf(directive, () => env.newId()),
          }));
          if (list.length > 0) spoken.add(collection);
          pending.push({ list, options: { audience: emitOptions?.audience, source: clientId } });
        },
      },
      isPending: () => pending.length > 0,
      async flush() {
        const lists = pending;
        pending = [];
        const sent: Directive[] = [];
        for (const list of lists) sent.push(...(await emitOne(list)));
        return wantsDirectives ? sent : [];
      },
    };
    return collection;
  }

  return {
    begin,
    log,
    answered(method, route, status, collection) {
      const isMutation = !['GET', 'HEAD', 'OPTIONS'].includes(method);
      const name = `${method} ${route}`;
      if (!isWarning || !isMutation || !isSuccess(status) || spoken.has(collection) || warned.has(name))
        return;
      warned.add(name);
      log(
        'warn',
        `${name} answered ${status} without any directive: other clients do not learn what it changed`,
      );
    },
  };
}

/** Whether a mutation with this status has happened. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The body with the directives in it; null when it is no JSON object. */
export function bodyWith(body: unknown, directives: readonly Directive[]): Record<string, unknown> | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const own: unknown = DIRECTIVES_FIELD in body ? body[DIRECTIVES_FIELD] : [];
  return { ...body, [DIRECTIVES_FIELD]: [...(Array.isArray(own) ? own : []), ...directives] };
}

/** As `bodyWith`, for JSON text. */
export function textWith(text: string, directives: readonly Directive[]): string | null {
  try {
    const body = bodyWith(JSON.parse(text), directives);
    return body === null ? null : JSON.stringify(body);
  } catch {
    return null; // Not JSON, whatever its content type says: left as it is.
  }
}

/** Where there is no JSON object to put them into, directives travel in a header; too many do not travel (D-HUB-9). */
export function setHeader(
  directives: readonly Directive[],
  set: (name: string, value: string) => void,
  log: Collections['log'],
): void {
  if (directives.length === 0) return;
  const value = directivesHeader(directives);
  if (value !== null) set(DIRECTIVES_HEADER, value);
  else
    log(
      'warn',
      'The directives are too long for a header; answer with a JSON object to have them in its body',
    );
}

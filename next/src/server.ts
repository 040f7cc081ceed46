/**
 * Edict on the server side of Next.js: one hub for the whole process, its event stream, prefetching for pages, and server actions.
 *
 * @module @edict/next/server
 */

import { createDataLayer, type DataLayer, type Definition } from '@edict/core';
import { dehydrate } from '@edict/core/hydration';
import type { Directive } from '@edict/core/protocol';
import { createHub, type DirectiveInput, type EmitOptions, type Hub, type HubOptions } from '@edict/server';
import { connection } from 'next/server.js'; // Without a bundler, Node finds it only with the extension.
import type { ActionResponse } from './action.ts';
import { withSources, type Sources } from './sources.ts';
import type { LiveState } from './state.ts';

export type { ActionResponse } from './action.ts';
export type { Sources } from './sources.ts';
export type { LiveState } from './state.ts';

/** Options of `createLive`. */
export interface LiveOptions<D extends Definition> {
  /** The types and lists, the same as in `createLiveProvider`. */
  readonly definitions: readonly D[];
  /**
   * How the server reads them, by name: fetch functions with the signature of the definitions' own. Read the database here. Without an entry, the
   * definition's own fetch function runs on the server too, and needs absolute URLs there.
   */
  readonly sources?: Sources<D> | undefined;
  /** Options of the hub, or a function that returns them. The function runs when the hub is first used, so not during `next build`. */
  readonly hub?: HubOptions | (() => HubOptions) | undefined;
  /** The audiences of the visitor, who may be read from `cookies()`. Each page subscribes to them, and an empty list to none. Default `global`. */
  readonly audience?: string | readonly string[] | (() => Promise<string | readonly string[]>) | undefined;
  /** Distinguishes several hubs in one application. Default `default`. */
  readonly name?: string | undefined;
}

/** Sends directives, as `hub.emit`. The action's response carries the same directives. */
export type Emit = (directives: readonly DirectiveInput[], options?: EmitOptions) => Promise<Directive[]>;

/** What `createLive` returns. */
export interface Live {
  /** The hub of this process. Edits of the code in development do not replace it. */
  readonly hub: Hub;
  /**
   * The event stream as a route handler: `export const { GET } = live` in `app/api/events/route.ts`. It needs the
   * Node.js runtime.
   */
  readonly GET: (request: Request) => Promise<Response>;
  /**
   * Reads the data of a page, for `<LiveBoundary>`. It reads the position of the hub before the data, so that no
   * change in between is lost. The page is rendered for each request. A failed read is logged and left out, and the
   * browser repeats it. While the position cannot be read, it is logged and left out too.
   *
   * @param load starts the reads on the data layer of this request. If one read starts after another has ended, make
   *   it an async function. Omit it for a page of server components alone.
   */
  readonly prefetch: (load?: (dl: DataLayer) => unknown) => Promise<LiveState>;
  /**
   * Makes a server action whose response carries its directives. Call it with `useServerAction`. Next.js sends the request itself, without the client id, so the
   * stream delivers the directives to the author too, where the second copy does nothing.
   *
   * @param run receives `emit` and the arguments of the action
   */
  readonly action: <A extends readonly unknown[], R>(
    run: (emit: Emit, ...args: A) => Promise<R>,
  ) => (...args: A) => Promise<ActionResponse<R>>;
}

/** Next.js loads a module once for pages and once for route handlers, and again after each edit. All of them need the same hub. */
function hubOf(name: string, options: HubOptions | (() => HubOptions) | undefined): Hub {
  const key = Symbol.for(`@edict/next/hub/${name}`);
  const shared = globalThis as typeof globalThis & { [hub: symbol]: Hub | undefined };
  return (shared[key] ??= createHub(typeof options === 'function' ? options() : options));
}

/**
 * Sets up the server side of an application: call it once, in a module that pages, routes, and actions import.
 *
 * ```ts
 * // lib/live.ts
 * import { defineItem } from '@edict/core';
 * import { createLive } from '@edict/next/server';
 *
 * const ticket = defineItem('ticket', { fetch: (id: number) => ({ id, title: 'Printer on fire' }) });
 *
 * export const live = createLive({ definitions: [ticket] });
 * ```
 */
export function createLive<D extends Definition>({
  definitions,
  sources,
  hub: options,
  audience,
  name = 'default',
  ...others
}: LiveOptions<D>): Live {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new TypeError(
      `[edict] createLive: ${unknown} is not an option. Use one of: definitions, sources, hub, audience, name.`,
    );
  const registered = withSources(definitions, sources);
  const hub = (): Hub => hubOf(name, options);

  return {
    get hub() {
      return hub();
    },

    GET: async (request) => await hub().fetchHandler(request),

    async prefetch(load) {
      await connection(); // A position from build time would be older than any log.
      const given = typeof audience === 'function' ? await audience() : audience;
      const audiences = [given ?? 'global'].flat();
      const cursors = await Promise.all(audiences.map((one) => hub().cursor(one))).catch((error: unknown) => {
        if (error instanceof TypeError) throw error; // A wrong audience.
        console.error('[edict] prefetch: the position of the hub is missing.', error);
        return []; // The browser recovers by the age of the data, so the page needs no backplane.
      });
      const dl = createDataLayer({ register: registered });
      dl.onLifecycle('item:fetch:error', ({ detail: { type, id, error } }) =>
        console.error(`[edict] prefetch: the fetch of ${type} ${id} failed.`, error),
      );
      dl.onLifecycle('collection:fetch:error', ({ detail: { name: list, error } }) =>
        console.error(`[edict] prefetch: the fetch of collection "${list}" failed.`, error),
      );
      try {
        await Promise.all([load?.(dl)].flat());
        await dl.whenSettled(); // For reads whose promises `load` did not return.
        return { ...dehydrate(dl, { cursors }), ...(given === undefined ? null : { audience: audiences }) };
      } finally {
        dl.dispose();
      }
    },

    action(run) {
      return async (...args) => {
        const directives: Directive[] = [];
        const emit: Emit = async (list, how) => {
          const sent = await hub().emit(list, how);
          directives.push(...sent);
          return sent;
        };
        return { result: await run(emit, ...args), directives };
      };
    },
  };
}

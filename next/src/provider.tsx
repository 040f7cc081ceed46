// The data layer of the application, and the boundary that hydrates a page and then connects.

import { createDataLayer, DL, type DataLayer, type Definition, type InitOptions } from '@edict/core';
import type { Cursor } from '@edict/core/hydration';
import { DLProvider, HydrationBoundary, useDL } from '@edict/react';
import { createContext, useEffect, useMemo, type Context, type ReactElement, type ReactNode } from 'react';
import { recordChanges } from './changes.ts';
import type { LiveState } from './state.ts';

/** The component that `createLiveProvider` returns. */
export type LiveProvider = (props: { readonly children?: ReactNode }) => ReactElement;

const optionsOf = new WeakMap<DataLayer, InitOptions | undefined>();

/** The positions of the hub before the surrounding page was rendered; null outside a page. */
export const CursorContext: Context<readonly Cursor[] | null> = createContext<readonly Cursor[] | null>(null);

/**
 * Makes the provider for the root layout. On the server each rendered page has its own data layer; in the browser all pages share `DL`. Call it in a
 * module that starts with `'use client'`.
 *
 * ```tsx
 * 'use client';
 * import { defineItem } from '@edict/core';
 * import { createLiveProvider } from '@edict/next';
 *
 * const ticket = defineItem('ticket', { fetch: async (id: number) => (await fetch(`/api/tickets/${id}`)).json() });
 *
 * export const Live = createLiveProvider([ticket]);
 * ```
 *
 * @param definitions the types and lists of the application
 * @param options options of `DL.init`, which each page calls. Without `sse.audience`, it subscribes to the audiences of its visitor
 */
export function createLiveProvider(definitions: readonly Definition[], options?: InitOptions): LiveProvider {
  return function LiveProvider({ children }) {
    const dl = useMemo(() => {
      if (typeof document === 'undefined') return createDataLayer({ register: definitions });
      DL.register(...definitions);
      optionsOf.set(DL, options);
      recordChanges(DL);
      return DL;
    }, []);
    return <DLProvider dl={dl}>{children}</DLProvider>;
  };
}

/** Props of `LiveBoundary`. */
export interface LiveBoundaryProps {
  /** The result of `live.prefetch` for this page. */
  readonly state: LiveState;
  /** The components of the page. */
  readonly children?: ReactNode;
}

/**
 * Passes the data of a page to its components, and connects to the event stream when the page is hydrated. Use one
 * on each page that shows live data. A stream that opens in the layout would not know the position of the page.
 * Throws a `TypeError` if `state` is not the awaited result of `live.prefetch`.
 */
export function LiveBoundary({ state, children }: LiveBoundaryProps): ReactElement {
  const cursors: unknown = state?.cursors; // A promise has none.
  if (!Array.isArray(cursors))
    throw new TypeError(
      '[edict] <LiveBoundary>: state must be the result of live.prefetch. Await it: state={await live.prefetch(…)}.',
    );
  return (
    <HydrationBoundary state={state}>
      <Connect audience={JSON.stringify(state.audience)} />
      <CursorContext.Provider value={state.cursors}>{children}</CursorContext.Provider>
    </HydrationBoundary>
  );
}

/** An empty list opens no stream. */
const streamOf = (audience: readonly string[]): NonNullable<InitOptions['sse']> =>
  audience.length === 0 ? { enabled: false } : { enabled: true, audience };

/** The audiences are JSON, so equal ones connect once. Without them, the options decide. */
function Connect({ audience }: { readonly audience: string | undefined }): null {
  const dl = useDL();
  useEffect(() => {
    const options = optionsOf.get(dl);
    const stream = audience === undefined ? null : streamOf(JSON.parse(audience) as string[]);
    dl.init({ ...options, sse: { ...stream, ...options?.sse } });
  }, [dl, audience]);
  return null;
}

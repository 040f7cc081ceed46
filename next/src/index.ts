/**
 * Edict in the App Router of Next.js: the provider, the boundary of a page, server actions, and server components that follow changes.
 *
 * @module @edict/next
 */

export { createLiveProvider, LiveBoundary } from './provider.tsx';
export type { LiveBoundaryProps, LiveProvider } from './provider.tsx';
export { RefreshOn } from './refreshOn.ts';
export type { RefreshOnProps } from './refreshOn.ts';
export { useServerAction } from './useServerAction.ts';
export type { ServerActionResult } from './useServerAction.ts';
export type { ActionResponse } from './action.ts';
export type { LiveState } from './state.ts';

/**
 * A panel that shows entries, requests, the stream and lifecycle events. An entry of its own, so that it stays out of the main bundle.
 *
 * @module @edict/react/devtools
 */

export type { DLDevtoolsProps } from './DLDevtools.tsx';
export { DLDevtools } from './DLDevtools.tsx';

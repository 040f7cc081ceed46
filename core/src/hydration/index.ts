/**
 * Server rendering: a data layer's cache as plain JSON, and back. Functions that accept a data layer, so that pages without server rendering do
 * not load them.
 *
 * @module @edict/core/hydration
 */

export type * from './types.ts';
export { dehydrate } from './dehydrate.ts';
export { hydrate } from './hydrate.ts';
export { escapeState } from './escapeState.ts';
export { readDehydrated } from './read.ts';

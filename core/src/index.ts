export type * from './register.ts';
export type * from './types.ts';
export type * from './lifecycleEvents.ts';
export type * from './protocol/directive.ts';
export type { Env, PageChange } from './env.ts';
export { createDataLayer, type DataLayerOptions } from './dataLayer.ts';
export { DL } from './dl.ts';
export { readDehydrated } from './dehydrated.ts';
export { deepEqual } from './rules/equal.ts';

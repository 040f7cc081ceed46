/**
 * The data layer: `DL`, or one of your own with `createDataLayer`. It registers types and collections, fetches and caches them, and applies
 * directives. The types here are also those of the other packages. Runs in browsers, Node and workers.
 *
 * @module @edict/core
 */

export type * from './types/register.ts';
export type * from './types/configs.ts';
export type * from './types/definitions.ts';
export type * from './types/dataLayer.ts';
export type * from './types/delivery.ts';
export type * from './types/options.ts';
export type * from './types/references.ts';
export type * from './types/snapshots.ts';
export type * from './types/standardSchema.ts';
export type * from './events/eventTypes.ts';
export type * from './protocol/directive.ts';
export type { Env, PageChange } from './platform/env.ts';
export type { TabChannel, Tabs } from './platform/tabs.ts';
export { defineCollection, defineItem } from './config/definitions.ts';
export { createDataLayer, type DataLayerOptions } from './dataLayer.ts';
export { DL } from './default.ts';
export { HttpError, type JsonInit } from './mutations/json.ts';

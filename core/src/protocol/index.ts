/**
 * The wire alone: builders of directives, schemas, names of headers and parameters. Nothing of the client comes along, so that a server or a
 * test can use it. Needs `zod`, which `@edict/core` brings.
 *
 * @module @edict/core/protocol
 */

export * from './names.ts';
export * from './builders.ts';
export * from './schemas.ts';
export { maxDepth, maxDirectives } from '../directives/normalize.ts';
export type {
  ClientDirective,
  Directive,
  DirectiveMeta,
  Envelope,
  ForceReloadPageDirective,
  Id,
  InvalidateDirective,
  RefreshCollectionDirective,
  RefreshItemDirective,
  TypeInvalidate,
} from '@edict/core';

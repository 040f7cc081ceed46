/**
 * The protocol without the client, for servers and tests: builders of directives, schemas, and the names of headers and parameters. It needs
 * `zod`, which is a dependency of `@edict/core`.
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

// The wire alone: for servers and tests. Nothing of the client's comes along.

export * from './names.ts';
export * from './builders.ts';
export * from './schemas.ts';
export { maxDepth, maxDirectives } from '../rules/normalize.ts';
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
} from '@edict/core';

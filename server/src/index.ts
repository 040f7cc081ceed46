/**
 * The hub: numbers, stores, replays and delivers directives. For `node:http`, Express, Fastify, Hono, and platforms with `Request` and `Response`.
 *
 * @module @edict/server
 */

export { createHub } from './hub.ts';
export type { DirectiveInput, EmitOptions, Hub } from './hub.ts';
export type { HubMetrics, OutboxMetrics } from './metrics.ts';
export type { AdminHandler } from './admin/adminHandler.ts';
export type { StreamFilter } from './subscribe/revocation.ts';
export { controlAudience } from './log/backplane.ts';
export { memoryBackplane } from './log/memoryBackplane.ts';
export { directiveRequest, directivesHeader } from './http/directiveRequest.ts';
export type { DirectiveRequest } from './http/directiveRequest.ts';
export type { Authorization, AuthorizeAsk, AuthorizeRequest, HubOptions, RequestHeaders } from './options.ts';
export type {
  Appended,
  AppendItem,
  Backplane,
  BackplaneLink,
  BackplaneNode,
  LogEntry,
  LogReader,
  LogSink,
  LogView,
  ReplayLimits,
} from './log/backplane.ts';
export type { HubEnv, LogLevel } from './env.ts';

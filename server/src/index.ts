/**
 * The hub: numbers, stores, replays and fans out directives; for `node:http`, Express, Fastify, Hono, and whatever has `Request` and `Response`.
 *
 * @module @edict/server
 */

export { createHub } from './hub.ts';
export type { DirectiveInput, EmitOptions, Hub } from './hub.ts';
export type { HubMetrics, OutboxMetrics } from './metrics.ts';
export { memoryBackplane } from './log/memoryBackplane.ts';
export { directiveRequest, directivesHeader } from './http/directiveRequest.ts';
export type { DirectiveRequest } from './http/directiveRequest.ts';
export type {
  AuthorizeAnswer,
  AuthorizeAsk,
  AuthorizeRequest,
  HubOptions,
  RequestHeaders,
} from './options.ts';
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

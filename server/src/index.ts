/**
 * The hub: numbers, stores, replays and fans out directives; for `node:http`, Express, Fastify, Hono, and whatever has `Request` and `Response`.
 *
 * @module @edict/server
 */

export { createHub } from './hub.ts';
export type { DirectiveInput, EmitOptions, Hub, HubMetrics } from './hub.ts';
export { memoryBackplane } from './memoryBackplane.ts';
export { directiveRequest, directivesHeader } from './pull.ts';
export type { DirectiveRequest } from './pull.ts';
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
} from './backplane.ts';
export type { HubEnv, LogLevel } from './env.ts';

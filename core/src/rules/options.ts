// Placeholder for shape; filled by the options rule.
import type { BulkOptions, MemoryOptions, SseOptions } from '../types.ts';

/** The options in force. */
export interface Settings {
  sse: SseOptions;
  memory: MemoryOptions;
  bulk: BulkOptions;
  fetchOrigins: readonly string[];
}

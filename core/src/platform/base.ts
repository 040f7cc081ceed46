// The members that every part of a data layer may use.

import type { Settings } from '../config/options.ts';
import type { Lifecycle } from '../events/bus.ts';
import type { TimedEnv } from './clock.ts';

export interface Base {
  env: TimedEnv;
  lifecycle: Lifecycle;
  /** The id of this client. It is created when it is first needed. */
  clientId: () => string;
  /** The options in force. */
  settings: () => Settings;
  /** Aborts when the data layer is disposed. */
  disposed: AbortSignal;
}

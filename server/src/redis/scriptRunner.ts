// Runs the scripts with the arguments that all of them need.

import type { HubEnv } from '../env.ts';
import type { HighestSeq } from './highestSeq.ts';
import type { Args, ReconnectingClient } from './reconnectingClient.ts';
import { begins } from './safeError.ts';
import type { Script } from './scripts.ts';

/** One run of a script. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  /** Returns the script's further arguments. Called when Redis is connected, because some depend on its clock. */
  readonly args: () => Args;
}

/** Runs scripts. */
export interface ScriptRunner {
  /** Runs a script that can be repeated. */
  readonly run: (call: ScriptCall) => Promise<unknown>;
  /** Runs a script once and rejects with `NOSCRIPT` when Redis does not have it. */
  readonly runOnce: (call: ScriptCall) => Promise<unknown>;
}

/** The collaborators of a runner. */
export interface ScriptRunnerNeeds {
  readonly env: Pick<HubEnv, 'now'>;
  readonly client: ReconnectingClient;
  readonly highestSeq: HighestSeq;
  readonly expiryMs: number;
}

/** Scripts were flushed after this connection had loaded them. Redis ran nothing. */
export const isMissingScript = (error: unknown): boolean => begins(error, 'NOSCRIPT');

/** Creates a runner. */
export function createScriptRunner({ env, client, highestSeq, expiryMs }: ScriptRunnerNeeds): ScriptRunner {
  const send = (command: 'EVALSHA' | 'EVAL', { script, keys, args }: ScriptCall): Promise<unknown> =>
    client.run(command, () => {
      const nodeMicros = Math.floor(env.now() * 1000);
      const head = [command === 'EVAL' ? script.text : script.sha, keys.length, ...keys];
      return [...head, nodeMicros, highestSeq.overall(), expiryMs, ...args()];
    });
  const runOnce = (call: ScriptCall): Promise<unknown> => send('EVALSHA', call);

  return {
    runOnce,
    async run(call) {
      try {
        return await runOnce(call);
      } catch (error) {
        if (!isMissingScript(error)) throw error;
        return send('EVAL', call);
      }
    },
  };
}

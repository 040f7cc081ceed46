import type { TimedEnv } from './clock.ts';

/**
 * Returns the same environment, but all of its timers end when the signal aborts, and no new ones start after
 * that.
 */
export function ownTimers(env: TimedEnv, signal: AbortSignal): TimedEnv {
  const handles = new Set<unknown>();
  const clearTimeout = (handle: unknown): void => {
    if (handles.delete(handle)) env.clearTimeout(handle);
  };
  signal.addEventListener('abort', () => handles.forEach(clearTimeout));
  return {
    ...env,
    clearTimeout,
    setTimeout(run, ms) {
      if (signal.aborted) return null;
      const handle = env.setTimeout(() => {
        handles.delete(handle);
        run();
      }, ms);
      handles.add(handle);
      return handle;
    },
  };
}

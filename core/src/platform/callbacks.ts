/** Calls a function of the application, which may be async. `onError` receives what it throws or rejects with. */
export function call(run: () => unknown, onError: (error: unknown) => void): void {
  try {
    const result = run() as PromiseLike<unknown> | null | undefined;
    if (typeof result?.then === 'function') void Promise.resolve(result).catch(onError);
  } catch (error) {
    onError(error);
  }
}

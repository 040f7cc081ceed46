// A time limit for a promise. Its error names what is missing.

/** Settles like the promise, or rejects after `ms` with the description of what is missing. */
export async function within<T>(ms: number, promise: Promise<T>, whatIsMissing: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`Not within ${ms} ms: ${whatIsMissing()}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

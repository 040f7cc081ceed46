// A promise that may take only so long, so that what is waited for in vain is named.

/** Settles as the promise does, or rejects after `ms` with what is not so yet. */
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

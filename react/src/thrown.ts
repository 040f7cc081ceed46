// Which failed entries went to an error boundary, so that its reset can ask for them again (D-REACT-6).

export interface Thrown {
  /** Noted while rendering: the same key again changes nothing. */
  note: (key: string, retry: () => void) => void;
  retryAll: () => void;
}

export function createThrown(): Thrown {
  const retries = new Map<string, () => void>();
  return {
    note(key, retry) {
      retries.set(key, retry);
    },
    retryAll() {
      const due = [...retries.values()];
      retries.clear();
      for (const retry of due) retry();
    },
  };
}

// Whether the session has ended under the page. Nothing is thrown away when it has: drafts stay where they are.

let isOut = false;
const listeners = new Set<() => void>();

export function reportSignedOut(): void {
  if (isOut) return;
  isOut = true;
  for (const listener of [...listeners]) listener();
}

export const signedOut = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): boolean => isOut,
};

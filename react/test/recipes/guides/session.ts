// session.ts
import { createDataLayer, type DataLayer } from '@edict/core';
import { ticket, tickets } from './lists.ts';

export interface User {
  id: string;
  teamId: string;
}

/** The signed-in user, with their own data layer. */
export interface Session {
  user: User;
  dl: DataLayer;
}

let session: Session | null = null;
const listeners = new Set<() => void>();

export const currentSession = (): Session | null => session;

export function onSession(callback: () => void): () => void {
  listeners.add(callback);
  return () => listeners.delete(callback);
}

function change(next: Session | null): void {
  const previous = session;
  session = next;
  for (const listener of listeners) listener();
  previous?.dl.dispose();
}

/** Call it after the sign-in, when a page opens with a valid session, and when the user's teams have changed. */
export function begin(user: User): void {
  const dl = createDataLayer({ register: [ticket, tickets] });
  // One place for all read errors. Subscribe before `init` and before the first read.
  for (const event of ['item:fetch:error', 'collection:fetch:error'] as const)
    dl.onLifecycle(event, ({ detail }) => toast(String(detail.error)));
  // The stream was refused: the session has ended on the server.
  dl.onLifecycle('sse:error', ({ detail }) => {
    if (detail.status === 401 && session?.dl === dl) end();
  });
  dl.init({
    sse: {
      audience: ['global', `user-${user.id}`, `team-${user.teamId}`],
      withCredentials: true,
      share: { key: user.id }, // The tabs of this user share one stream. A data layer of your own does not by default.
    },
  });
  change({ user, dl });
}

/** Call it after the sign-out. */
export function end(): void {
  change(null);
}

/** Replace it by your own way to show a message. */
function toast(message: string): void {
  window.dispatchEvent(new CustomEvent('toast', { detail: message }));
}

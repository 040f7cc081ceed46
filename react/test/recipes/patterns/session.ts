// session.ts
import { createDataLayer, type DataLayer } from '@edict/core';
import { register, toast } from './registry.ts';

export interface User {
  id: string;
  teamId: string;
}

/** Who is signed in, with a data layer of their own. */
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

function become(next: Session | null): void {
  const last = session;
  session = next;
  for (const listener of listeners) listener();
  last?.dl.dispose();
}

/** After the sign-in, and when a page opens that is signed in already. Again when the user's teams have changed. */
export function begin(user: User): void {
  const dl = createDataLayer();
  register(dl);
  // One place for all errors of reading. Before `init` and before anything is read.
  for (const event of ['item:fetch:error', 'collection:fetch:error'] as const)
    dl.onLifecycle(event, ({ detail }) => toast(String(detail.error)));
  // The stream is refused: the session has ended elsewhere.
  dl.onLifecycle('sse:error', ({ detail }) => {
    if (detail.status === 401 && session?.dl === dl) end();
  });
  dl.init({ sse: { withCredentials: true, audience: ['global', `user-${user.id}`, `team-${user.teamId}`] } });
  become({ user, dl });
}

/** After the sign-out. */
export function end(): void {
  become(null);
}

// The hub of this process, and its authorization. The weather menu can restart it.

import { parse as parseCookies } from 'hono/utils/cookie';
import { createHub, type AuthorizeRequest, type Hub, type HubOptions } from '@edict/server';
import { audiencesOf } from '../src/audiences.ts';
import type { Clients } from './desk/clients.ts';
import { sessionCookie, type Sessions } from './desk/sessions.ts';

export interface HubHost {
  /** The present hub. Do not store it, because a restart replaces it. */
  current: () => Hub;
  /** Ends every stream. With the backplane in memory, it also forgets all messages. */
  restart: () => Promise<void>;
  close: () => Promise<void>;
}

/** What a stream's request may do. */
interface Pass {
  audiences: ReadonlySet<string>;
  expiresAt: number;
  user: string;
}

export function createHubHost(sessions: Sessions, clients: Clients, options: () => HubOptions): HubHost {
  /** The hub calls `authorize` once per audience. The session of the request is read once. */
  const passes = new WeakMap<AuthorizeRequest, Promise<Pass | null>>();

  const passOf = async (request: AuthorizeRequest, clientId: string | null): Promise<Pass | null> => {
    const session = await sessions.find(parseCookies(request.headers.cookie ?? '')[sessionCookie]);
    if (session === null) return null;
    if (clientId !== null && !(await clients.claim(clientId, session.person.id))) return null;
    return {
      audiences: new Set(audiencesOf(session.person)),
      expiresAt: Date.parse(session.expiresAt),
      user: String(session.person.id),
    };
  };

  const start = (): Hub =>
    createHub({
      ...options(),
      async authorize(request, { audience, clientId }) {
        const found = passes.get(request) ?? passOf(request, clientId);
        passes.set(request, found);
        const pass = await found;
        return (
          pass !== null && pass.audiences.has(audience) && { expiresAt: pass.expiresAt, user: pass.user }
        );
      },
      log: (level, message, detail) => {
        if (level !== 'debug') console[level](`hub: ${message}`, detail ?? '');
      },
    });

  let hub = start();
  return {
    current: () => hub,
    async restart() {
      const old = hub;
      hub = start();
      await old.close({ retryMs: [1000, 2000] });
    },
    close: () => hub.close(),
  };
}

// The hub of this process, and who may listen to what. It can be restarted, which the weather menu does.

import { parse as parseCookies } from 'hono/utils/cookie';
import { createHub, type Hub, type HubOptions } from '@edict/server';
import type { Session } from '../src/model.ts';
import { sessionCookie, type Sessions } from './desk/sessions.ts';
import { audiencesOf } from './desk/viewer.ts';

export interface HubHost {
  /** The hub of now. Do not keep it: a restart replaces it. */
  current: () => Hub;
  /** Ends every stream, and forgets everything that a process forgets. */
  restart: () => Promise<void>;
  /** The client that a request may speak for: null when its id belongs to somebody else's stream. */
  clientOf: (clientId: string | null, personId: number) => string | null;
  close: () => Promise<void>;
}

/** So many client ids are remembered with their owners. */
const mostOwners = 10_000;

export function createHubHost(sessions: Sessions, options: () => HubOptions = () => ({})): HubHost {
  /** Client ids travel as `source`, so everybody can read them; only their owner may use them. */
  const owners = new Map<string, number>();
  /** One request is asked about each of its audiences; the session is looked up once. */
  const asked = new WeakMap<Request, Promise<Session | null>>();

  const sessionOf = (request: Request): Promise<Session | null> => {
    const known = asked.get(request);
    if (known !== undefined) return known;
    const found = sessions.find(parseCookies(request.headers.get('cookie') ?? '')[sessionCookie]);
    asked.set(request, found);
    return found;
  };

  const start = (): Hub =>
    createHub({
      ...options(),
      async authorize(request, { audience, clientId }) {
        // True: this hub is only reached through `fetchHandler`, whose raw request is a `Request`.
        const session = await sessionOf(request.raw as Request);
        if (session === null || !audiencesOf(session.person).includes(audience)) return false;
        if (clientId !== null) {
          if ((owners.get(clientId) ?? session.person.id) !== session.person.id) return false;
          remember(owners, clientId, session.person.id);
        }
        return { expiresAt: Date.parse(session.expiresAt) };
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
    clientOf: (clientId, personId) =>
      clientId !== null && (owners.get(clientId) ?? personId) === personId ? clientId : null,
    close: async () => await hub.close(),
  };
}

function remember(owners: Map<string, number>, clientId: string, personId: number): void {
  owners.delete(clientId);
  owners.set(clientId, personId);
  if (owners.size <= mostOwners) return;
  const [oldest] = owners.keys();
  if (oldest !== undefined) owners.delete(oldest);
}

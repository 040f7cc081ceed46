// Defines which servers the backplane accepts. A URL does not show the kind of server, so each connection checks
// it once.

import type { RedisConnection } from './reconnectingClient.ts';
import { RedisError, safeError } from './safeError.ts';

/**
 * Rejects when the server is a node of a Redis Cluster, a Sentinel, or a replica. `HELLO` is the one command that shows this and
 * that every user may run, whatever the ACL allows.
 */
export async function checkServer(connection: Pick<RedisConnection, 'call'>): Promise<void> {
  let reply: unknown;
  try {
    reply = await connection.call('HELLO', []);
  } catch (error) {
    const reason = safeError(error);
    if (reason.isRefusal && reason.message.startsWith('ERR')) return; // Some proxies do not know the command.
    throw reason;
  }
  const fault = faultOf(reply);
  if (fault !== null) throw new RedisError(fault);
}

function faultOf(reply: unknown): string | null {
  const mode = fieldOf(reply, 'mode');
  if (mode === 'cluster') return clusterFault('the server');
  if (mode === 'sentinel')
    return '[edict] redisBackplane: the server is a Sentinel and stores no data. Pass an ioredis client with the options sentinels and name.';
  const role = fieldOf(reply, 'role');
  if (role === undefined || role === 'master') return null;
  return '[edict] redisBackplane: the server is a replica and accepts no writes. Use the address of the master, or Sentinel.';
}

/** The text for a cluster, however it was passed. */
export const clusterFault = (subject: string): string =>
  `[edict] redisBackplane: ${subject} is part of a Redis Cluster, which is not supported. Use one Redis with replicas and Sentinel, or a managed Redis with cluster mode disabled.`;

/** The reply alternates between names and values. */
function fieldOf(reply: unknown, name: string): unknown {
  if (!Array.isArray(reply)) return undefined;
  const at = reply.indexOf(name);
  return at < 0 ? undefined : (reply[at + 1] as unknown); // An element of a list of unknown values.
}

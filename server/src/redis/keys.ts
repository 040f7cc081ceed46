// The names of the keys in Redis.

import { controlAudience } from '../log/backplane.ts';

/** The keys of one prefix. */
export interface RedisKeys {
  /** The log of an audience, or of the revocations. */
  readonly audience: (audience: string) => string;
  /** The log of a single node. The node uses it to check its own appends and reads. */
  readonly node: (id: string) => string;
}

/**
 * Hubs with different prefixes never share a key, even with the prefixes `a:` and `a:b:`. A key can be split in
 * only one way: its last `{` ends the prefix and the kind.
 */
export function createKeys(prefix: string): RedisKeys {
  const key = (kind: string, name: string): string => `${prefix}${kind}:{${escapeName(name)}}`;
  return {
    audience: (audience) => (audience === controlAudience ? key('c', 'control') : key('a', audience)),
    node: (id) => key('n', id),
  };
}

const escapeName = (name: string): string => name.replaceAll('%', '%25').replaceAll('{', '%7B');

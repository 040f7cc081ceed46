// The names of the keys in Redis.

import { controlAudience } from '../log/backplane.ts';

/** The keys of one prefix. */
export interface RedisKeys {
  /** The log of an audience, or of the revocations. */
  readonly audience: (audience: string) => string;
  /** A log of one node alone, which the node uses to check its own appends and reads. */
  readonly node: (id: string) => string;
}

/**
 * Hubs with different prefixes never share a key, also with the prefixes `a:` and `a:b:`. A key can be split in one way only: its last
 * `{` is the end of the prefix and the kind.
 */
export function createKeys(prefix: string): RedisKeys {
  const key = (kind: string, name: string): string => `${prefix}${kind}:{${escapeName(name)}}`;
  return {
    audience: (audience) => (audience === controlAudience ? key('c', 'control') : key('a', audience)),
    node: (id) => key('n', id),
  };
}

const escapeName = (name: string): string => name.replaceAll('%', '%25').replaceAll('{', '%7B');

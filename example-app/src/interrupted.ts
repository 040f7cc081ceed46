// Whether the stream was lost, so that the page may be out of date.

import { useState } from 'react';
import type { ConnectionState } from '@edict/react';

/** A new attempt does not end an interruption, and the first attempt does not begin one. */
export function useIsInterrupted(status: ConnectionState['status']): boolean {
  const [isInterrupted, setIsInterrupted] = useState(false);
  const next = status === 'connecting' ? isInterrupted : status !== 'open';
  if (next !== isInterrupted) setIsInterrupted(next);
  return next;
}

// What could not be fetched is asked for again, as long as somebody looks at it. The data layer does so by itself where a
// directive asked; a read that failed is the application's to repeat.

import { useEffect, useEffectEvent } from 'react';
import { useConnection, useLifecycle } from '@edict/react';

const everyMs = 5000;

/** For components that show a failure: at once when the page is connected again, and every few seconds while it is. */
export function useRetry(retry: () => void): void {
  const { status } = useConnection();
  const again = useEffectEvent(retry);
  useLifecycle('sse:open', retry);
  useEffect(() => {
    if (status !== 'open') return undefined;
    const timer = setInterval(() => again(), everyMs);
    return () => clearInterval(timer);
  }, [status]);
}

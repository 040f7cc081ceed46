// Renders server components again on the server when records change.

import type { Id } from '@edict/core';
import { useDL } from '@edict/react';
import { useRouter } from 'next/navigation.js'; // With the extension, Node finds it without a bundler.
import { useContext, useEffect, useMemo, useRef, useState, useTransition } from 'react';
import { changeCount, changesSince, onChange, type Change } from './changes.ts';
import { CursorContext } from './provider.tsx';

/** A repeated refresh waits twice as long as the one before. The longest wait is 32 windows. */
const mostDoublings = 5;

/** Props of `RefreshOn`. */
export interface RefreshOnProps {
  /** The items that the server components show: the type, and the id or all items of the type. */
  readonly items?:
    | readonly {
        /** The name of the type. */
        readonly type: string;
        /** The id of the item. Without it, a change of any item of the type counts. */
        readonly id?: Id | undefined;
      }[]
    | undefined;
  /** The names of the lists that they show. */
  readonly collections?: readonly string[] | undefined;
  /** Changes within this time are one refresh. Milliseconds, default 50. */
  readonly windowMs?: number | undefined;
}

/**
 * Renders the server components of the page again when named records change, by `router.refresh()`. Changes within `windowMs`, and changes during a
 * refresh, are one refresh each. While the server that renders the page lags behind, the refresh is repeated at growing intervals. Put it inside
 * `<LiveBoundary>`, whose state may be `await live.prefetch()`.
 *
 * ```tsx
 * import { RefreshOn } from '@edict/next';
 *
 * export const Follow = ({ id }: { id: number }) => <RefreshOn items={[{ type: 'ticket', id }]} collections={['tickets']} />;
 * ```
 */
export function RefreshOn({ items = [], collections = [], windowMs = 50 }: RefreshOnProps): null {
  const dl = useDL();
  const router = useRouter();
  const cursors = useContext(CursorContext);
  const [isRefreshing, startTransition] = useTransition();
  const [isWanted, setIsWanted] = useState(false);
  const watched = JSON.stringify([
    items.map(({ type, id }) => [type, id === undefined ? null : String(id)]),
    collections,
  ]);
  const concerns = useMemo(() => matcher(watched), [watched]);
  const seen = useRef(0);
  /** The refreshes since the last change. There are several only while the server that renders the page lags behind. */
  const repeats = useRef(0);

  useEffect(() => {
    if (changesSince(dl, cursors ?? [], seen.current).some(concerns)) setIsWanted(true);
    const end = onChange(dl, (change) => {
      if (!concerns(change)) return;
      repeats.current = 0;
      setIsWanted(true);
    });
    // The first connection of the browser replays nothing to a page without a position.
    const endOpen = cursors?.length === 0 ? dl.onLifecycle('sse:open', () => setIsWanted(true)) : null;
    return () => {
      seen.current = changeCount(dl);
      end();
      endOpen?.();
    };
  }, [dl, cursors, concerns]);

  useEffect(() => {
    if (isRefreshing || !isWanted) return;
    const timer = setTimeout(
      () => {
        repeats.current++;
        setIsWanted(false); // Before the request. A later change needs another request.
        startTransition(() => router.refresh());
      },
      windowMs * 2 ** Math.min(repeats.current, mostDoublings),
    );
    return () => clearTimeout(timer);
  }, [isWanted, isRefreshing, router, windowMs]);

  return null;
}

/**
 * Whether a change concerns the watched records, which are given as JSON, so that equal props use the same
 * matcher.
 */
function matcher(watched: string): (change: Change) => boolean {
  const [items, collections] = JSON.parse(watched) as [[string, string | null][], string[]];
  return (change) =>
    change === null ||
    collections.includes(change.name) ||
    items.some(
      ([type, id]) => type === change.name && (id === null || change.id === undefined || id === change.id),
    );
}

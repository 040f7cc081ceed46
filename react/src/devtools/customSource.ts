// The custom source of this page, if directives do not arrive by the event stream.

import type { DataLayer } from '@edict/core';
import { internalsOf, type CustomSource } from '@edict/core/internal';
import * as React from 'react';
import type { Store } from '../binding/useStore.ts';
import { useStore } from '../binding/useStore.ts';

/**
 * The interval at which the state of a source is read, because no event reports when a source connects or ends.
 */
const tickMs = 500;

function createCustomSourceStore(dl: DataLayer | null): Store<CustomSource | null> {
  let seen: CustomSource | null = null;
  function look(): CustomSource | null {
    const now = (dl === null ? null : internalsOf(dl)?.parts.source.info()) ?? null;
    if (now?.type === seen?.type && now?.isConnected === seen?.isConnected) return seen;
    return (seen = now);
  }
  return {
    getSnapshot: look,
    getServerSnapshot: () => null,
    subscribe(callback) {
      const timer = setInterval(callback, tickMs);
      return () => clearInterval(timer);
    },
  };
}

/** The custom source, or null while directives arrive by the event stream. */
export function useCustomSource(dl: DataLayer | null): CustomSource | null {
  const store = React.useMemo(() => createCustomSourceStore(dl), [dl]);
  return useStore(store);
}

/** `Custom source, connected` */
export const customText = ({ isConnected }: CustomSource): string =>
  isConnected ? 'Custom source, connected' : 'Custom source, not connected';

import type { DataLayer } from '@edict/core';
// Imported by the package's name, because this entry is a bundle of its own. The provider must be the one of the main bundle.
import { DLProvider } from '@edict/react';
import * as React from 'react';
import { createPortal } from 'react-dom';
import { useStore } from '../binding/useStore.ts';
import { Dock } from './Dock.tsx';
import { createPlace } from './place.ts';

/** Props of `DLDevtools`. */
export interface DLDevtoolsProps {
  /** Which data layer to show. Default: the provider's, without a provider `DL`. */
  readonly dl?: DataLayer;
  /** Whether the panel is open on the first visit; afterwards it is as it was left. Default false. */
  readonly initialIsOpen?: boolean;
  /** The edge that the panel is docked to. Default `bottom`. */
  readonly position?: 'bottom' | 'left' | 'right';
  /** The color scheme. Default `system`, which follows the user's system. */
  readonly theme?: 'light' | 'dark' | 'system';
}

/**
 * Shows what a data layer holds and why: the timeline of its lifecycle events, the cache, the connection, and what came of
 * each directive. Renders nothing on a server. Leave it out of production by leaving out its import.
 */
export function DLDevtools({
  dl,
  initialIsOpen = false,
  position = 'bottom',
  theme = 'system',
}: DLDevtoolsProps): React.ReactElement | null {
  const [place] = React.useState(createPlace);
  const root = useStore(place);
  if (root === null) return null;
  const dock = createPortal(<Dock initialIsOpen={initialIsOpen} position={position} theme={theme} />, root);
  return dl === undefined ? <>{dock}</> : <DLProvider dl={dl}>{dock}</DLProvider>;
}

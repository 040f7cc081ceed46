import type { DataLayer } from '@edict/core';
// Imported by the package's name, because this entry is a bundle of its own. The provider must be the one of the main bundle.
import { DLProvider } from '@edict/react';
import * as React from 'react';
import { createPortal } from 'react-dom';
import { useStore } from '../binding/useStore.ts';
import { Dock } from './Dock.tsx';
import { createPanelRoot } from './panelRoot.ts';

/** Props of `DLDevtools`. */
export interface DLDevtoolsProps {
  /** Which data layer to show. Default: the provider's, without a provider `DL`. */
  readonly dl?: DataLayer;
  /** Whether the panel is open on the first visit. Afterwards it remembers its state. Default false. */
  readonly initialIsOpen?: boolean;
  /** The edge that the panel is docked to. Default `bottom`. */
  readonly position?: 'bottom' | 'left' | 'right';
  /** The color scheme. Default `system`, which follows the user's system. */
  readonly theme?: 'light' | 'dark' | 'system';
  /** Whether the panel, if it is open, receives the focus when it is mounted. Default false. */
  readonly autoFocus?: boolean;
  /** The element that the panel's host is appended to. Default `document.body`. */
  readonly target?: HTMLElement;
}

/**
 * Shows what a data layer caches and why: a timeline with the effects of each directive, the requests, the cache, and the connection. Renders
 * nothing on a server. To leave it out of production, leave out its import.
 */
export function DLDevtools({
  dl,
  initialIsOpen = false,
  position = 'bottom',
  theme = 'system',
  autoFocus = false,
  target,
}: DLDevtoolsProps): React.ReactElement | null {
  const [panelRoot] = React.useState(() => createPanelRoot(target));
  const root = useStore(panelRoot);
  if (root === null) return null;
  const dock = createPortal(<Dock {...{ initialIsOpen, position, theme, autoFocus }} />, root);
  return dl === undefined ? <>{dock}</> : <DLProvider dl={dl}>{dock}</DLProvider>;
}

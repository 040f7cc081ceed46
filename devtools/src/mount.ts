import type { DataLayer } from '@edict/core';
import { DLDevtools } from '@edict/react/devtools';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

/** Options of `mountDevtools`. */
export interface MountOptions {
  /** The element that the panel is appended to. Default `document.body`. */
  readonly target?: HTMLElement;
  /** Whether the panel is open on the first visit. Afterwards it remembers its state. Default false. */
  readonly initialIsOpen?: boolean;
  /** The edge that the panel is docked to. Default `bottom`. */
  readonly position?: 'bottom' | 'left' | 'right';
  /** The color scheme. Default `system`, which follows the user's system. */
  readonly theme?: 'light' | 'dark' | 'system';
}

/**
 * Shows the devtools of a data layer. The panel has a React root and a shadow root of its own, and works beside any framework.
 *
 * ```ts
 * import { DL } from '@edict/core';
 * import { mountDevtools } from '@edict/devtools';
 *
 * const unmount = mountDevtools(DL, { theme: 'dark' });
 * ```
 *
 * @returns a function that removes the panel
 */
export function mountDevtools(dl: DataLayer, options: MountOptions = {}): () => void {
  // The panel is a portal into its shadow root, so the root element itself is not added to the page.
  const root = createRoot(document.createElement('div'));
  root.render(createElement(DLDevtools, { ...options, dl }));
  return () => root.unmount();
}

import * as React from 'react';
import type { DockProps } from './Dock.tsx';

/** The smallest width that the page keeps beside a side panel. In narrower windows, the panel covers the page. */
const leastPagePx = 320;

const sides = { bottom: 'paddingBottom', left: 'paddingLeft', right: 'paddingRight' } as const;

/**
 * The page keeps space for the panel while it is open, so that users can scroll to the content behind it. Returns
 * the height or width of the panel.
 */
export function useRoom(panel: HTMLElement | null, position: DockProps['position']): number {
  const [sizePx, setSizePx] = React.useState(0);
  React.useLayoutEffect(() => {
    if (panel === null || typeof ResizeObserver === 'undefined') return undefined;
    const side = sides[position];
    const { style } = document.body;
    const before = style[side];
    const make = (): void => {
      const { offsetWidth, offsetHeight } = panel;
      const isBeside = position === 'bottom' || window.innerWidth - offsetWidth >= leastPagePx;
      const px = position === 'bottom' ? offsetHeight : offsetWidth;
      style[side] = isBeside ? `${px}px` : before;
      setSizePx(px);
    };
    const observer = new ResizeObserver(make);
    observer.observe(panel);
    window.addEventListener('resize', make); // A panel keeps its width when the page's changes.
    make();
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', make);
      style[side] = before;
    };
  }, [panel, position]);
  return sizePx;
}

// The panel's inner edge, which users drag or move with the arrow keys.

import * as React from 'react';
import type { DockProps } from './Dock.tsx';

const least = 180;
const step = 24;

interface ResizeHandleProps {
  readonly position: DockProps['position'];
  /** The current size, whether it comes from the user or from the style sheet. */
  readonly sizePx: number;
  readonly onSize: (size: number | null) => void;
}

export function ResizeHandle({ position, sizePx, onSize }: ResizeHandleProps): React.ReactElement {
  const isBottom = position === 'bottom';
  const most = (isBottom ? window.innerHeight : window.innerWidth) - 48;
  const bounded = (next: number): number => Math.round(Math.max(least, Math.min(next, most)));

  function onPointerMove(event: React.PointerEvent<HTMLDivElement>): void {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { innerHeight, innerWidth } = window;
    const at = {
      bottom: innerHeight - event.clientY,
      right: innerWidth - event.clientX,
      left: event.clientX,
    };
    onSize(bounded(at[position]));
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const grow = { bottom: 'ArrowUp', right: 'ArrowLeft', left: 'ArrowRight' }[position];
    const shrink = { bottom: 'ArrowDown', right: 'ArrowRight', left: 'ArrowLeft' }[position];
    if (event.key !== grow && event.key !== shrink) return;
    event.preventDefault();
    onSize(bounded(sizePx + (event.key === grow ? step : -step)));
  }

  return (
    <div
      className="handle"
      role="separator"
      tabIndex={0}
      aria-label="Size of the panel"
      aria-orientation={isBottom ? 'horizontal' : 'vertical'}
      aria-valuemin={least}
      aria-valuenow={bounded(sizePx)}
      aria-valuemax={most}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => onSize(null)}
      onKeyDown={onKeyDown}
    />
  );
}

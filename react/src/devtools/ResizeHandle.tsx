// The panel's inner edge: dragged, or moved by the arrow keys.

import * as React from 'react';
import type { DockProps } from './Dock.tsx';

const least = 180;
const step = 24;

interface ResizeHandleProps {
  readonly position: DockProps['position'];
  readonly size: number | null;
  readonly onSize: (size: number | null) => void;
}

export function ResizeHandle({ position, size, onSize }: ResizeHandleProps): React.ReactElement {
  const isBottom = position === 'bottom';
  const handle = React.useRef<HTMLDivElement>(null);

  function bounded(next: number): number {
    const most = (isBottom ? window.innerHeight : window.innerWidth) - 48;
    return Math.round(Math.max(least, Math.min(next, most)));
  }

  function current(): number {
    const box = handle.current?.parentElement?.getBoundingClientRect();
    return Math.round((isBottom ? box?.height : box?.width) ?? least);
  }

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
    onSize(bounded(current() + (event.key === grow ? step : -step)));
  }

  return (
    <div
      ref={handle}
      className="handle"
      role="separator"
      tabIndex={0}
      aria-label="Size of the panel"
      aria-orientation={isBottom ? 'horizontal' : 'vertical'}
      aria-valuemin={least}
      aria-valuenow={size ?? 400}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => onSize(null)}
      onKeyDown={onKeyDown}
    />
  );
}

// A list box that renders only the visible rows and a few around them. All rows have the same height. Moving the
// active row with the keyboard scrolls to it. New rows above do not move the visible rows.

import * as React from 'react';

const rowPx = 30;
const around = 6;
/** Used before the first measurement, and if nothing can be measured. */
const guessPx = 480;

interface WindowedListProps<T> {
  /** The prefix of the ids of the rows. */
  readonly id: string;
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly activeKey: string | null;
  readonly onActive: (key: string) => void;
  /** Shown when there are no items. */
  readonly empty: string;
  readonly children: (item: T) => React.ReactElement;
}

function stepOf(key: string, at: number, last: number, page: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'PageDown':
      return Math.min(Math.max(at, 0) + page, last);
    case 'PageUp':
      return Math.max(at - page, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}

/** Ids must not contain spaces, but keys may. */
const idText = (key: string): string =>
  key.replaceAll(/[\s%]/g, (character) => `%${character.charCodeAt(0)}`);

export function WindowedList<T>({
  id,
  label,
  items,
  keyOf,
  activeKey,
  onActive,
  empty,
  children,
}: WindowedListProps<T>): React.ReactElement {
  const box = React.useRef<HTMLDivElement>(null);
  const [heightPx, setHeightPx] = React.useState(guessPx);
  const [scrollPx, setScrollPx] = React.useState(0);
  /** The topmost visible row, and how many of its pixels are scrolled out of view. */
  const anchor = React.useRef<{ key: string; overPx: number } | null>(null);

  const broughtFor = React.useRef('');

  const follow = React.useCallback((): void => {
    const top = box.current?.scrollTop ?? 0;
    const first = items[Math.floor(top / rowPx)];
    anchor.current = first === undefined || top === 0 ? null : { key: keyOf(first), overPx: top % rowPx };
    setScrollPx(top);
  }, [items, keyOf]);

  React.useEffect(() => {
    const element = box.current;
    if (element === null || typeof ResizeObserver === 'undefined') return undefined;
    const observer = new ResizeObserver(() => setHeightPx(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  React.useLayoutEffect(() => {
    const element = box.current;
    const held = anchor.current;
    if (element === null || held === null || element.scrollTop === 0) return;
    const at = items.findIndex((item) => keyOf(item) === held.key);
    if (at >= 0 && at * rowPx + held.overPx !== element.scrollTop)
      element.scrollTop = at * rowPx + held.overPx;
  }, [items, keyOf]);

  // The active row is scrolled into view when it becomes active and when the list is resized, but not at other
  // times.
  React.useLayoutEffect(() => {
    const element = box.current;
    const now = `${heightPx} ${activeKey}`;
    if (element === null || broughtFor.current === now) return;
    broughtFor.current = now;
    const top = items.findIndex((item) => keyOf(item) === activeKey) * rowPx;
    if (top < 0) return;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowPx > element.scrollTop + heightPx) element.scrollTop = top + rowPx - heightPx;
    else return;
    follow(); // Before the scroll event, because new items may arrive first, and they keep the anchor in place.
  }, [items, keyOf, activeKey, heightPx, follow]);

  function onKeyDown(event: React.KeyboardEvent): void {
    const at = items.findIndex((item) => keyOf(item) === activeKey);
    const page = Math.max(1, Math.floor(heightPx / rowPx) - 1);
    const to = stepOf(event.key, at, items.length - 1, page);
    const item = to === null ? undefined : items[to];
    if (item === undefined) return;
    event.preventDefault();
    onActive(keyOf(item));
  }

  const first = Math.max(0, Math.min(Math.floor(scrollPx / rowPx), items.length - 1) - around);
  const shown = items.slice(first, first + Math.ceil(heightPx / rowPx) + 2 * around);
  const rowId = (item: T): string => `${id}-${idText(keyOf(item))}`;
  const active = shown.find((item) => keyOf(item) === activeKey);
  return (
    <div
      ref={box}
      className="list"
      role={items.length === 0 ? 'group' : 'listbox'} // A list box without options is not valid.
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active === undefined ? undefined : rowId(active)}
      onScroll={follow}
      onKeyDown={onKeyDown}
    >
      {items.length === 0 ? (
        <p className="empty">{empty}</p>
      ) : (
        <div role="presentation" style={{ height: items.length * rowPx, position: 'relative' }}>
          {shown.map((item, i) => (
            <div
              key={keyOf(item)}
              id={rowId(item)}
              className="row"
              role="option"
              aria-selected={keyOf(item) === activeKey}
              aria-setsize={items.length}
              aria-posinset={first + i + 1}
              style={{ top: (first + i) * rowPx, height: rowPx }}
              onClick={() => onActive(keyOf(item))}
            >
              {children(item)}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

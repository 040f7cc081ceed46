// The scroll position of a list. Changes by other users do not move the visible rows. Another list starts at the
// top, and a list that the user returns to keeps its position.

import { useLayoutEffect, useRef, type UIEvent } from 'react';
import { cameBack } from './router.tsx';

/** Scroll positions by the address of the list. */
const tops = new Map<string, number>();

interface Shown {
  list: string;
  ids: readonly number[];
}

/** `list` is null while another list is still shown. Spread the result on the element that contains the rows. */
export function useScrollOfRows(list: string | null, ids: readonly number[], openId: number | null) {
  const rows = useRef<HTMLUListElement>(null);
  const shown = useRef<Shown | null>(null);

  useLayoutEffect(() => {
    if (list === null || rows.current === null) return;
    const before = shown.current;
    shown.current = { list, ids };
    const scroller = scrollerOf(rows.current);
    const top = tops.get(list) ?? 0;
    if (before?.list === list) {
      // At the top, new rows become visible.
      if (before.ids !== ids && top > 0)
        scroller.scrollTop = top + shiftOf(before.ids, ids, rows.current, top);
    } else if (cameBack()) scroller.scrollTop = top;
    else if (before !== null) scroller.scrollTop = 0; // The first one may have been scrolled before React was there.
    tops.set(list, scroller.scrollTop);
  }, [list, ids]);

  // Beside an open ticket, the rows have a different height.
  useLayoutEffect(() => {
    rows.current?.querySelector(`[data-ticket="${openId}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [openId]);

  return {
    ref: rows,
    onScroll({ currentTarget }: UIEvent): void {
      if (shown.current !== null) tops.set(shown.current.list, currentTarget.scrollTop);
    },
  };
}

/** On a low window, the whole list scrolls. */
const scrollerOf = (rows: HTMLElement): Element =>
  getComputedStyle(rows).overflowY === 'visible' ? (rows.closest('.list') ?? rows) : rows;

/** The number of pixels that most of the visible rows were moved. */
function shiftOf(
  before: readonly number[],
  after: readonly number[],
  { clientHeight, firstElementChild }: HTMLElement,
  top: number,
): number {
  const height = firstElementChild?.getBoundingClientRect().height ?? 0;
  if (height === 0) return 0;
  const shifts = before
    .slice(Math.floor(top / height), Math.ceil((top + clientHeight) / height))
    .map((id, place) => ({ from: Math.floor(top / height) + place, to: after.indexOf(id) }))
    .filter(({ to }) => to >= 0)
    .map(({ from, to }) => to - from)
    .sort((a, b) => a - b);
  return (shifts[Math.floor(shifts.length / 2)] ?? 0) * height;
}

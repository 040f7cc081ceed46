// Moves the focus when the focused element disappears, so that keyboard users do not start again.

import { useEffect, useRef, type FocusEvent } from 'react';

/** A `ref` for what has the focus as soon as it is there. */
export const takesFocus = (element: HTMLElement | null): void => element?.focus();

/** The page where there is none. */
const focusOn = (element: HTMLElement | null | undefined): void =>
  (element ?? document.getElementById('page'))?.focus();

/** For a control that goes away with what it does. */
export const focusPage = (): void => focusOn(null);

/** When the component leaves and takes the focus with it, the first that fits has it; the page where there is none. */
export function useFocusAfter(selector: string): void {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusOn(document.querySelector<HTMLElement>(selector));
    },
    [selector],
  );
}

/**
 * When an open ticket leaves and takes the focus with it, its row has it, or the row that took its place. Without rows, the page has it.
 */
export function useFocusAfterTicket(id: number): void {
  const place = useRef(-1);
  // After each render: the row may leave before the ticket does.
  useEffect(() => {
    const at = rowLinks().findIndex((link) => link.dataset['row'] === String(id));
    if (at >= 0) place.current = at;
  });
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return;
      const links = rowLinks();
      const own = links.find((link) => link.dataset['row'] === String(id));
      focusOn(own ?? (place.current < 0 ? null : links[Math.min(place.current, links.length - 1)]));
    },
    [id],
  );
}

/** When a way that one went took away what had the focus, or hid it, the ticket that it led to has it; else the page. */
export function useFocusAfterWay(path: string): void {
  const from = useRef(path);
  useEffect(() => {
    if (from.current === path) return;
    from.current = path;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.checkVisibility() === false)
      focusOn(document.querySelector<HTMLElement>('article[data-detail]'));
  }, [path]);
}

/** For a list: when the row with the focus goes, the one that takes its place has it. To be spread on what holds the rows. */
export function useFocusInRows(ids: readonly number[]) {
  /** The index of the row with the focus, or null when the focus is elsewhere. */
  const place = useRef<number | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const here = placeOf(document.activeElement);
    if (here >= 0) {
      // Others came or went above it.
      place.current = here;
    } else if (document.activeElement === document.body) {
      const links = rowLinks();
      focusOn(links[Math.min(place.current, links.length - 1)]);
    }
  }, [ids]);
  return {
    onFocus({ target }: FocusEvent): void {
      place.current = placeOf(target);
    },
    /** The focus moved elsewhere. Browsers send no event when a focused element is removed. */
    onBlur(): void {
      place.current = null;
    },
  };
}

const rowLinks = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

/** Which row it is in; -1 where it is in none. */
const placeOf = (element: Element | null): number =>
  rowLinks().findIndex((link) => link.closest('.row')?.contains(element));

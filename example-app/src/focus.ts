// Moves the focus when the focused element disappears, so that keyboard users do not start again.

import { useEffect, useRef, type FocusEvent } from 'react';

/** A `ref` for an element that receives the focus as soon as it is mounted. */
export const takesFocus = (element: HTMLElement | null): void => element?.focus();

/** Focuses the page if there is no other element. */
const focusOn = (element: HTMLElement | null | undefined): void =>
  (element ?? document.getElementById('page'))?.focus();

/** For a control that disappears after it was used. */
export const focusPage = (): void => focusOn(null);

/** For a form that the server refused. A user who has moved on to a field stays there. */
export function focusWrongField(): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLButtonElement)
    activeElement.form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

/** Moves from the list into the open ticket. */
export const focusTicket = (): void => focusOn(document.querySelector<HTMLElement>('article[data-detail]'));

/**
 * When the component unmounts with the focus, the first suitable element receives it, or the page if there is
 * none.
 */
export function useFocusAfter(selector: string): void {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusOn(document.querySelector<HTMLElement>(selector));
    },
    [selector],
  );
}

/**
 * When an open ticket unmounts with the focus, its row receives it, or the row in its position. If there are no
 * rows, the page receives it.
 */
export function useFocusAfterTicket(id: number): void {
  const place = useRef(-1);
  // Runs after each render, because the row may disappear before the ticket.
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

/**
 * When a link that was followed disappears or is hidden, the ticket that it opened receives the focus, or
 * otherwise the page.
 */
export function useFocusAfterWay(path: string): void {
  const from = useRef(path);
  useEffect(() => {
    if (from.current === path) return;
    from.current = path;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.checkVisibility() === false) focusTicket();
  }, [path]);
}

/**
 * For a list: when the focused row disappears, the row in its position receives the focus. Spread the result on
 * the element that contains the rows.
 */
export function useFocusInRows(ids: readonly number[]) {
  /** The index of the focused row, or null if the focus is elsewhere. */
  const place = useRef<number | null>(null);
  useEffect(() => {
    if (place.current === null) return;
    const here = placeOf(document.activeElement);
    if (here >= 0) {
      // Other rows were added or removed above it.
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

/** The index of the row that contains the element; -1 if there is none. */
const placeOf = (element: Element | null): number =>
  rowLinks().findIndex((link) => link.closest('.row')?.contains(element));

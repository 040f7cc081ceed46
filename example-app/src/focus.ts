// Where the focus goes when what had it is gone: who works with the keyboard is not to begin anew.

import { useEffect } from 'react';

/** A `ref` for what has the focus as soon as it is there. */
export const takesFocus = (element: HTMLElement | null): void => element?.focus();

/** For a control that goes away with what it does. */
export const focusPage = (): void => document.getElementById('page')?.focus();

/** When the component leaves and takes the focus with it, the first that fits has it; the page where there is none. */
export function useFocusAfter(selector: string): void {
  useEffect(
    () => () => {
      if (document.activeElement !== document.body) return;
      const next = document.querySelector<HTMLElement>(selector);
      if (next === null) focusPage();
      else next.focus();
    },
    [selector],
  );
}

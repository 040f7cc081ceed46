// The page's name: in the tab, in the history, and what a screen reader says first.

import { useEffect } from 'react';

/** Null: another component names the page. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Edict Desk`;
  }, [title]);
}

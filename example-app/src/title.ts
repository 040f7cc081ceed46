// The title of the page, for the tab, the history, and screen readers.

import { useEffect } from 'react';

/** Null: another component sets the title. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Edict Desk`;
  }, [title]);
}

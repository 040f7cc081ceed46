// Keeps rows in place under a pointer that is about to click.

import { useEffect, useRef, useState } from 'react';

/** So long after its last movement the pointer is taken to rest. */
const restsAfterMs = 400;
const longestMs = 2000;

/** The rows to show: those of before, for a moment, while the pointer moves over them. To be spread on what holds them. */
export function useSteadyRows(list: string | null, ids: readonly number[]) {
  const [isAiming, setIsAiming] = useState(false);
  const [shown, setShown] = useState({ list, ids });
  const isHeld = isAiming && shown.list === list;
  if (!isHeld && (shown.list !== list || shown.ids !== ids)) setShown({ list, ids });

  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const isLate = isHeld && shown.ids !== ids;
  useEffect(() => {
    if (!isLate) return undefined;
    const timer = setTimeout(() => setIsAiming(false), longestMs);
    return () => clearTimeout(timer);
  }, [isLate]);

  return {
    ids: isHeld ? shown.ids : ids,
    aim: {
      onPointerMove(): void {
        setIsAiming(true);
        clearTimeout(rest.current);
        rest.current = setTimeout(() => setIsAiming(false), restsAfterMs);
      },
    },
  };
}

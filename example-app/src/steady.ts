// Keeps rows in place while a user is about to click one of them.

import { useEffect, useRef, useState } from 'react';

/** The pointer counts as resting this long after its last movement. */
const restsAfterMs = 400;
const longestMs = 2000;

/**
 * The rows to show. While the pointer moves over them, the previous rows stay for a moment. Spread the result on
 * the element that contains the rows.
 */
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

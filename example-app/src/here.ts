// Whether a component is still on the page, for what goes on after it has waited.

import { useEffect, useRef, type RefObject } from 'react';

export function useIsHere(): RefObject<boolean> {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  return isHere;
}

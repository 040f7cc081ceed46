// Whether a component is still mounted, for code that continues after it has waited.

import { useEffect, useRef, type RefObject } from 'react';

export function useIsHere(): RefObject<boolean> {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  return isHere;
}

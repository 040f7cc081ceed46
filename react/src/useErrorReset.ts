import * as React from 'react';
import { useScope } from './DLProvider.tsx';
import { retryThrown } from './binding/errorReset.ts';

/**
 * Returns the function that the reset of an error boundary calls first. It fetches the failed entries again that Suspense hooks below the provider have thrown (D-REACT-6). The same function as long as the provider is.
 */
export function useErrorReset(): () => void {
  const { thrown } = useScope();
  return React.useCallback(() => retryThrown(thrown), [thrown]);
}

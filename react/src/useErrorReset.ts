import * as React from 'react';
import { useScope } from './DLProvider.tsx';
import { retryThrown } from './binding/errorReset.ts';

/**
 * What an error boundary's reset is to call first: it fetches again the failed entries that Suspense hooks below the provider
 * have thrown (D-REACT-6). The same function as long as the provider is.
 */
export function useErrorReset(): () => void {
  const { thrown } = useScope();
  return React.useCallback(() => retryThrown(thrown), [thrown]);
}

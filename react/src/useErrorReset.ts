import * as React from 'react';
import { useScope } from './binding/scope.ts';
import { retryThrown } from './binding/errorReset.ts';

/**
 * Returns a function to call at the start of an error boundary's reset. It refetches the failed entries that
 * Suspense hooks below the provider have thrown, and the stale ones that they have shown. The function stays the same while the provider does.
 */
export function useErrorReset(): () => void {
  const { thrown } = useScope();
  return React.useCallback(() => retryThrown(thrown), [thrown]);
}

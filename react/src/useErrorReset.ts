import { useScope } from './DLProvider.tsx';

/**
 * What an error boundary's reset is to call first: it fetches again the failed entries that Suspense hooks below the provider
 * have thrown (D-REACT-6). The same function as long as the provider is.
 */
export function useErrorReset(): () => void {
  return useScope().thrown.retryAll;
}

// The exports under the `react-server` condition. A bundler turns the components into references to client code.
// Using a hook in a server component is a mistake, so the hook throws an error that explains the fix.

import type * as client from './index.ts';

export { DLProvider, GoneError, HydrationBoundary } from './index.ts';

type Hooks = typeof client;

const inClientOnly = (name: string) => (): never => {
  throw new Error(
    `[edict] ${name} is a hook and runs in client components. Put 'use client' at the top of the file that calls it.`,
  );
};

export const useCollection: Hooks['useCollection'] = inClientOnly('useCollection');
export const useConnection: Hooks['useConnection'] = inClientOnly('useConnection');
export const useDL: Hooks['useDL'] = inClientOnly('useDL');
export const useErrorReset: Hooks['useErrorReset'] = inClientOnly('useErrorReset');
export const useInfiniteCollection: Hooks['useInfiniteCollection'] = inClientOnly('useInfiniteCollection');
export const useItem: Hooks['useItem'] = inClientOnly('useItem');
export const useItems: Hooks['useItems'] = inClientOnly('useItems');
export const useLifecycle: Hooks['useLifecycle'] = inClientOnly('useLifecycle');
export const useMutation: Hooks['useMutation'] = inClientOnly('useMutation');
export const useSuspenseCollection: Hooks['useSuspenseCollection'] = inClientOnly('useSuspenseCollection');
export const useSuspenseItem: Hooks['useSuspenseItem'] = inClientOnly('useSuspenseItem');

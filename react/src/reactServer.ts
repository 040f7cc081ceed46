// What a server component finds under the `react-server` condition: the components, which a bundler turns into references to
// the client, and the hooks as what they are there, a mistake that says how to mend it (D-REACT-10).

import type * as client from './index.ts';

export { DLProvider, HydrationBoundary } from './index.ts';

type Hooks = typeof client;

const inClientOnly = (name: string) => (): never => {
  throw new Error(
    `[edict] ${name} is a hook and runs in client components: put 'use client' on top of the file that calls it.`,
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

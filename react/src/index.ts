/**
 * Hooks for React 17, 18 and 19. The Suspense hooks and the hydration guarantee of `HydrationBoundary` need React 18.
 *
 * @module @edict/react
 */

export type { HydrationBoundaryProps } from './hydration/HydrationBoundary.tsx';
export { HydrationBoundary } from './hydration/HydrationBoundary.tsx';
export type { DLProviderProps } from './DLProvider.tsx';
export { DLProvider, useDL } from './DLProvider.tsx';
export type { Connection, ConnectionState } from './useConnection.ts';
export { useConnection } from './useConnection.ts';
export { useCollection } from './useCollection.ts';
export { useErrorReset } from './useErrorReset.ts';
export { useInfiniteCollection } from './useInfiniteCollection.ts';
export { useItem } from './useItem.ts';
export { useItems } from './useItems.ts';
export { useLifecycle } from './useLifecycle.ts';
export type {
  MutationCallbacks,
  MutationContext,
  MutationFunction,
  MutationState,
  Until,
} from './mutations/mutation.ts';
export type { MutationResult, UseMutationOptions } from './useMutation.ts';
export { useMutation } from './useMutation.ts';
export { GoneError, useSuspenseCollection, useSuspenseItem } from './useSuspense.ts';
export type {
  CollectionSnapshot,
  CollectionSnapshotMeta,
  InfiniteCollectionMeta,
  InfiniteCollectionSnapshot,
  InfinitePage,
  ItemSnapshot,
  ItemSnapshotMeta,
  LevelArgumentData,
  ReadOptions,
  SelectOptions,
  UseCollectionOptions,
  UseInfiniteCollectionOptions,
  UseItemOptions,
  UseSuspenseCollectionOptions,
} from './types.ts';

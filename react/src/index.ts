/**
 * Hooks for React 17, 18 and 19. The Suspense hooks and what `HydrationBoundary` guarantees need 18.
 *
 * @module @edict/react
 */

export type { HydrationBoundaryProps } from './hydration/HydrationBoundary.tsx';
export { HydrationBoundary } from './hydration/HydrationBoundary.tsx';
export type { DLProviderProps } from './DLProvider.tsx';
export { DLProvider, useDL } from './DLProvider.tsx';
export type { ConnectionState } from './binding/connection.ts';
export type { Connection } from './useConnection.ts';
export { useConnection } from './useConnection.ts';
export { useCollection } from './useCollection.ts';
export { useErrorReset } from './useErrorReset.ts';
export { useInfiniteCollection } from './useInfiniteCollection.ts';
export { useItem } from './useItem.ts';
export { useItems } from './useItems.ts';
export { useLifecycle } from './useLifecycle.ts';
export type { MutationContext, MutationFunction, MutationState, Until } from './mutations/mutation.ts';
export type { MutationResult, UseMutationOptions } from './useMutation.ts';
export { useMutation } from './useMutation.ts';
export { useSuspenseCollection, useSuspenseItem } from './useSuspense.ts';
export type {
  CollectionSnapshot,
  CollectionSnapshotMeta,
  DefaultLevel,
  GivenLevel,
  GivenLevelData,
  InfiniteCollectionMeta,
  InfiniteCollectionSnapshot,
  ItemRow,
  ItemSnapshot,
  ItemSnapshotMeta,
  OrNull,
  ReadOptions,
  SelectOptions,
  UseCollectionOptions,
  UseInfiniteCollectionOptions,
  UseItemOptions,
  UseSuspenseCollectionOptions,
} from './types.ts';

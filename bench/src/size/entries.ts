// The bundles to compare: the code that an application imports for the same task with each library.

export interface Bundle {
  readonly title: string;
  readonly source: string;
  /**
   * The highest allowed size in bytes, minified and gzipped. `bench:size` fails above it. Lower it when the bundle shrinks. Raise it only for a
   * fix, or for code that avoids work at runtime.
   */
  readonly budget?: number;
  /** The same for the bundle of esbuild. */
  readonly esbuildBudget?: number;
  /** The size that the project aims for. The check does not depend on it. */
  readonly aim?: number;
}

export const bundles: readonly Bundle[] = [
  {
    title: 'Edict: hooks, core and stream client',
    source: `export { DLProvider, useItem, useCollection, useLifecycle } from '@edict/react'; export { DL } from '@edict/core';`,
    budget: 23_605,
    esbuildBudget: 24_710,
    aim: 22_000,
  },
  { title: 'Edict: core and stream client', source: `export { DL } from '@edict/core';` },
  {
    title: 'Edict: every hook, core, stream client',
    source: `export * from '@edict/react'; export * from '@edict/core';`,
  },
  {
    title: 'Edict: code that `sse.share` loads',
    source: `export { shareStream } from '../core/src/stream/share/sharedStream.ts';`,
    budget: 1500,
  },
  { title: 'SWR: hook, mutate', source: `export { default, SWRConfig, useSWRConfig } from 'swr';` },
  {
    title: 'TanStack Query: provider, useQuery',
    source: `export { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';`,
  },
  {
    title: 'RTK Query: store, createApi with hooks, React-Redux',
    source: `export { configureStore } from '@reduxjs/toolkit'; export { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query/react'; export { Provider } from 'react-redux';`,
  },
  {
    title: 'TanStack Query + centrifuge-js: provider, useQuery, socket client',
    source: `export { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query'; export { Centrifuge } from 'centrifuge';`,
  },
  {
    title: 'Convex: React client, useQuery',
    source: `export { ConvexProvider, ConvexReactClient, useMutation, useQuery } from 'convex/react';`,
  },
  {
    title: 'Electric: shape stream, useShape',
    source: `export { useShape } from '@electric-sql/react'; export { ShapeStream } from '@electric-sql/client';`,
  },
  { title: 'Zustand: create', source: `export { create } from 'zustand';` },
];

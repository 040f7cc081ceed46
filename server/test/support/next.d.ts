// What the guide for Next.js uses of it. The application that it shows is no part of this repository.

declare module 'next/server' {
  /** Resolves when a request is being answered. */
  export function connection(): Promise<void>;
}

declare module 'next/constants' {
  /** What `NEXT_PHASE` is while `next build` runs the modules of the routes. */
  export const PHASE_PRODUCTION_BUILD: 'phase-production-build';
}

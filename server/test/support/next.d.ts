// The types of Next.js that its guide uses. The application in the guide is not part of this repository.

declare module 'next/server' {
  /** Resolves during a request, but not during a build. */
  export function connection(): Promise<void>;
}

declare module 'next/constants' {
  /** The value of `NEXT_PHASE` while `next build` runs the modules of the routes. */
  export const PHASE_PRODUCTION_BUILD: 'phase-production-build';
}

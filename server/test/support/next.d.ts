// What the guide for Next.js uses of it. The application that it shows is no part of this repository.

declare module 'next/server' {
  /** Resolves when a request is being answered. */
  export function connection(): Promise<void>;
}

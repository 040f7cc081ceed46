// The condition for code that only development builds contain. Bundlers replace it, so no platform types are
// needed.

export {};

declare global {
  const process: { readonly env: { readonly NODE_ENV?: string } };
}

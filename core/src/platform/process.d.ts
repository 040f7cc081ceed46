// The condition of what only development builds contain. Bundlers replace it, so no type of a platform is needed.

export {};

declare global {
  const process: { readonly env: { readonly NODE_ENV?: string } };
}

// The condition of what only development builds contain. Bundlers replace it, so no type of a platform is needed.

declare const process: { readonly env: { readonly NODE_ENV?: string } };

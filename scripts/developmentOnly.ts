// What only development builds of the core contain.

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const written = "process.env.NODE_ENV !== 'production'";

/**
 * The sources write the condition above or its opposite, and the tag `dev` before texts that production builds leave out.
 * @param isPackage looks for `process` first, which a browser without a bundler does not have. Bundlers drop the guarded code all the same.
 */
export function developmentOnly({ isPackage }: { isPackage: boolean }): Plugin {
  const condition = isPackage ? `(typeof process === 'object' && ${written})` : `(${written})`;
  return {
    name: 'development-only',
    setup({ onLoad }) {
      onLoad({ filter: /core\/src\/.*\.ts$/ }, async ({ path }) => ({
        loader: 'ts',
        contents: (await readFile(path, 'utf8'))
          .replaceAll(written, condition)
          .replaceAll(written.replace('!', '='), `!${condition}`)
          .replaceAll(/\bdev(`[^`]*`)/g, `(${condition} ? $1 : '')`),
      }));
    },
  };
}

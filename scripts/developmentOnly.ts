// Leaves out the parts of the core that only development builds contain.

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const written = "process.env.NODE_ENV !== 'production'";

/**
 * A browser has no `process`. Bundlers replace `process.env.NODE_ENV`. Without a bundler, reading it throws. The package
 * marks that once, and then behaves as in production. A production bundle contains neither the mark nor the code that it guards.
 */
const mark = 'try { process.env.NODE_ENV; } catch { globalThis.edictUnbundled = {}; }';
const isBundled = "typeof edictUnbundled !== 'object'";

/**
 * The sources write the condition above or its opposite, and the tag `dev` before texts that production builds leave out.
 * @param isPackage browsers may load the build without a bundler
 */
export function developmentOnly({ isPackage }: { isPackage: boolean }): Plugin {
  const condition = isPackage ? `(${isBundled} && ${written})` : `(${written})`;
  return {
    name: 'development-only',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^edict:mark$/ }, ({ path }) => ({ path, namespace: 'edict' }));
      onLoad({ filter: /^/, namespace: 'edict' }, () => ({ contents: mark }));
      onLoad({ filter: /core\/src\/.*\.ts$/ }, async ({ path }) => {
        const contents = (await readFile(path, 'utf8'))
          .replaceAll(written, condition)
          .replaceAll(written.replace('!', '='), `!${condition}`)
          .replaceAll(/\bdev(`[^`]*`)/g, `(${condition} ? $1 : '')`);
        const start = contents.includes(isBundled) ? "import 'edict:mark'; " : '';
        return { loader: 'ts', contents: start + contents };
      });
    },
  };
}

// Makes the built ES modules smaller than a bundler alone can. A constant that is used once moves to its use, and code without an effect
// is dropped. Names and lines stay, so that the builds can be read.

import { minify, type MinifyOptions } from 'terser';
import type { Options } from 'tsup';

const options: MinifyOptions = {
  ecma: 2020,
  module: true,
  mangle: false,
  compress: {
    ...{ directives: false, inline: 1, passes: 3, sequences: false, join_vars: false },
    // esbuild compresses nested functions worse, because inside them it never uses the short names of outer variables again.
    reduce_funcs: false,
  },
  format: { beautify: true, indent_level: 2, preserve_annotations: true },
};

type Plugin = NonNullable<Options['plugins']>[number];

/** A plugin of tsup. */
export const compress = (): Plugin => ({
  name: 'compress',
  async renderChunk(code, { path, map }) {
    if (this.format !== 'esm' || !path.endsWith('.js')) return undefined;
    const content = typeof map === 'string' ? map : JSON.stringify(map);
    const compressed = await minify({ [path]: code }, { ...options, sourceMap: { content, asObject: true } });
    return { code: compressed.code ?? code, map: compressed.map ?? null };
  },
});

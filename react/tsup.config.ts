import { readFile } from 'node:fs/promises';
import { defineConfig, type Options } from 'tsup';
import { compress } from '../scripts/compress.ts';
import { shortNames } from '../scripts/shortNames.ts';

const importOfReact = "import * as React from 'react';";

/** esbuild does not merge equal imports. An application that is bundled by esbuild would contain one for each of our files. */
const oneReact: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'one-react',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^one-react$/ }, ({ path }) => ({ path, namespace: 'one-react' }));
    onLoad({ filter: /^/, namespace: 'one-react' }, () => ({
      contents: `${importOfReact} export { React };`,
    }));
    onLoad({ filter: /react\/src\/.*\.tsx?$/ }, async ({ path }) => ({
      loader: path.endsWith('x') ? 'tsx' : 'ts',
      contents: (await readFile(path, 'utf8')).replace(importOfReact, "import { React } from 'one-react';"),
    }));
  },
};

const shared = {
  format: ['esm', 'cjs'],
  external: [/^@edict\//],
  sourcemap: true,
  target: 'es2022',
  esbuildPlugins: [oneReact],
  plugins: [compress()],
  esbuildOptions: (options) => void Object.assign(options, shortNames),
} satisfies Options;

/** Components and hooks: bundlers for server components look for the directive, which a second tree shaking would remove. */
const client = (name: string, source: string): Options => ({
  ...shared,
  entry: { [name]: source },
  banner: { js: "'use client';" },
});

/** The `react-server` entry refers to the client entry as a file of its own, so that bundlers see the border. */
const reactServer: Options = {
  ...shared,
  entry: { 'react-server': 'src/reactServer.ts' },
  esbuildPlugins: [
    {
      name: 'client-entry',
      setup({ initialOptions, onResolve }) {
        const path = initialOptions.format === 'cjs' ? './index.cjs' : './index.js';
        onResolve({ filter: /^\.\/index\.ts$/ }, () => ({ path, external: true }));
      },
    },
  ],
};

export default defineConfig([
  client('index', 'src/index.ts'),
  {
    ...client('devtools', 'src/devtools/index.ts'),
    esbuildOptions(options) {
      Object.assign(options, shortNames);
      // React 17 has no `react/jsx-runtime` that strict resolvers of ES modules find.
      const compilerOptions = {
        jsx: 'react',
        jsxFactory: 'createElement',
        jsxFragmentFactory: 'Fragment',
      } as const;
      delete options.tsconfig; // esbuild takes the one or the other.
      options.tsconfigRaw = { compilerOptions };
      options.inject = ['src/devtools/jsx.ts'];
    },
  },
  reactServer,
]);

import babel from '@rolldown/plugin-babel';
import react, { reactCompilerPreset } from '@vitejs/plugin-react';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';

export default defineConfig(({ isSsrBuild }) => ({
  // The React Compiler compiles only the components of this application. The packages are not compiled.
  plugins: [react(), babel({ include: /\/example-app\/src\/.+\.tsx$/, presets: [reactCompilerPreset()] })],
  // Uses the sources of the packages in this repository. Your application does not need this.
  resolve: { conditions: ['source', ...defaultClientConditions], dedupe: ['react', 'react-dom'] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  build: {
    target: 'es2022',
    sourcemap: true,
    // The command of the server build names its input.
    ...(isSsrBuild === true ? {} : { rollupOptions: { input: ['index.html', 'demo.html', 'docs.html'] } }),
  },
}));

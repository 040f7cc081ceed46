import babel from '@rolldown/plugin-babel';
import react, { reactCompilerPreset } from '@vitejs/plugin-react';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';

export default defineConfig(({ isSsrBuild }) => ({
  // The compiler is for the components of this application; the packages do without.
  plugins: [react(), babel({ include: /\/example-app\/src\/.+\.tsx$/, presets: [reactCompilerPreset()] })],
  // The packages of this repository from their sources. An application of your own does not need this.
  resolve: { conditions: ['source', ...defaultClientConditions], dedupe: ['react', 'react-dom'] },
  ssr: { resolve: { conditions: ['source', ...defaultServerConditions] } },
  build: {
    target: 'es2022',
    sourcemap: true,
    // The server's build names its own input.
    ...(isSsrBuild === true ? {} : { rollupOptions: { input: ['index.html', 'demo.html', 'docs.html'] } }),
  },
}));

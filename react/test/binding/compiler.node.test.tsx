import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const require = createRequire(import.meta.url);

interface CompilerEvent {
  readonly kind: string;
  readonly fnName?: string | null;
}

/** The part of Babel that this test uses. Babel is a dependency of the compiler and has no types here. */
interface Babel {
  transformSync: (code: string, options: object) => { code: string } | null;
}

const babel = require('@babel/core') as Babel;
const folder = fileURLToPath(new URL('../../src/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.tsx?$/.test(name),
);

function compile(name: string): CompilerEvent[] {
  const events: CompilerEvent[] = [];
  babel.transformSync(readFileSync(folder + name, 'utf8'), {
    filename: folder + name,
    configFile: false,
    babelrc: false,
    parserOpts: { plugins: ['typescript', ...(name.endsWith('x') ? ['jsx'] : [])] },
    plugins: [
      [
        require.resolve('babel-plugin-react-compiler'),
        {
          panicThreshold: 'none',
          target: '19',
          logger: { logEvent: (_file: string, event: CompilerEvent) => events.push(event) },
        },
      ],
    ],
  });
  return events;
}

const events = new Map(files.map((name) => [name, compile(name)]));

it.each(files)('D-REACT-6 the React Compiler skips nothing in %s', (name) => {
  expect(events.get(name)?.filter(({ kind }) => kind !== 'CompileSuccess')).toEqual([]);
});

it('D-REACT-6 the React Compiler compiles the hooks and components', () => {
  const compiled = [...events.values()].flatMap((ofFile) =>
    ofFile.flatMap(({ kind, fnName }) => (kind === 'CompileSuccess' ? [fnName] : [])),
  );
  expect(compiled).toEqual(
    expect.arrayContaining([
      'DLProvider',
      'HydrationBoundary',
      'useCollection',
      'useConnection',
      'useItem',
      'useItems',
      'useLifecycle',
      'useMutation',
      'useSuspenseCollection',
      'useSuspenseItem',
      'DLDevtools',
      'TimelineView',
      'CacheView',
      'DirectiveTrace',
      'ResyncTraceView',
      'WindowedList',
    ]),
  );
});

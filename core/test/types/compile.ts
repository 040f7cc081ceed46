// Compiles snippets with the compiler of the project, in memory.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Compiled {
  /** The messages of each file, by its name. */
  messages: Record<string, string[]>;
  /** How many types the compiler instantiated. Unlike a duration, this depends on the sources only. */
  instantiations: number;
}

/** @param files sources by file name, such as `a.ts`. They are compiled in a folder of this package. */
export function compile(files: Readonly<Record<string, string>>, options: ts.CompilerOptions = {}): Compiled {
  const folder = join(root, 'core/test/types');
  const sources = new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
  const all: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    customConditions: ['source'],
    jsx: ts.JsxEmit.ReactJSX,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    ...options,
  };
  const host = ts.createCompilerHost(all);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path) ?? readFile(path);
  const program = ts.createProgram([...sources.keys()], all, host);
  const messages = Object.fromEntries(
    [...sources.keys()].map((path) => [
      path.slice(dirname(path).length + 1),
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(path))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    ]),
  );
  return { messages, instantiations: program.getInstantiationCount() };
}

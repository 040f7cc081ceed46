// The dependency rules of docs/architecture.md, read from the sources themselves.

import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(src, name))
  .sort();
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  customConditions: ['source'],
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
});
const checker = program.getTypeChecker();
const named = (path: string): string => relative(src, path).replaceAll('\\', '/');

interface Import {
  /** The specifier as it is written. */
  specifier: string;
  /** The file in `src`, or null for a package. */
  file: string | null;
  isType: boolean;
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const clause = statement.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const bindings = clause.namedBindings;
  if (clause.name !== undefined || bindings === undefined || ts.isNamespaceImport(bindings)) return false;
  return bindings.elements.every((element) => element.isTypeOnly);
}

function importsOf(path: string): Import[] {
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`${path} was not read`);
  const found: Import[] = [];
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const target = statement.moduleSpecifier;
    if (target === undefined || !ts.isStringLiteral(target)) continue;
    const file = target.text.startsWith('.') ? named(join(path, '..', target.text)) : null;
    found.push({ specifier: target.text, file, isType: isTypeOnly(statement) });
  }
  return found;
}

const imports = new Map(files.map((path) => [named(path), importsOf(path)]));
const core = [...imports.keys()].filter((file) => !file.startsWith('testing/'));

/** All files that a file reaches through imports that pass the filter. Includes the file itself only in a cycle. */
function reach(file: string, passes: (one: Import) => boolean): Set<string> {
  const found = new Set<string>();
  const visit = (from: string): void => {
    for (const one of imports.get(from) ?? []) {
      if (one.file === null || !passes(one) || found.has(one.file)) continue;
      found.add(one.file);
      visit(one.file);
    }
  };
  visit(file);
  return found;
}

/** The parts in the order in which they are handed to each other; those of one step do not know each other. */
const line: readonly (readonly string[])[] = [
  [
    'events/bus.ts',
    'cache/store.ts',
    'directives/idempotency.ts',
    'directives/ownEchoes.ts',
    'directives/recent.ts',
  ],
  ['fetching/requests.ts'],
  ['fetching/batching.ts'],
  ['fetching/read.ts', 'stream/resync.ts', 'directives/apply.ts'],
  ['fetching/refetchAll.ts'],
  ['mutations/fetch.ts', 'stream/envelopes.ts'],
  ['stream/client.ts'],
  ['stream/directiveSources.ts'],
  ['dataLayer.ts'],
  ['default.ts', 'index.ts', 'scriptTag.ts'],
];
/** Files that only decide: facts in, a decision out, no clock, timer, or network. */
const pure: ReadonlySet<string> = new Set([
  'cache/entry.ts',
  'cache/params.ts',
  'cache/staleness.ts',
  'cache/structuralSharing.ts',
  'config/checks.ts',
  'config/configChecks.ts',
  'config/describe.ts',
  'config/definitions.ts',
  'config/optionChecks.ts',
  'config/options.ts',
  'directives/normalize.ts',
  'fetching/listResponse.ts',
  'fetching/responses.ts',
  'levels/graph.ts',
  'levels/merge.ts',
  'platform/ages.ts',
  'platform/callbacks.ts',
  'platform/headers.ts',
  'platform/plainObject.ts',
  'platform/timers.ts',
  'platform/urls.ts',
  'stream/connectionState.ts',
  'stream/readEnvelope.ts',
  'stream/request.ts',
]);
/** The folders in their order. A file imports only from its own folder, and from folders of the same step or of earlier steps. */
const folders: readonly (readonly string[])[] = [
  ['platform', 'config'],
  ['cache', 'levels'],
  ['fetching'],
  ['directives'],
  ['stream', 'mutations'],
];
const folderStepOf = (file: string): number =>
  // The registry compiles the configs into the records of the cache, so it belongs to its step.
  file === 'config/registry.ts' ? 1 : folders.findIndex((step) => step.includes(file.split('/')[0] ?? ''));

const stepOf = (file: string): number => line.findIndex((step) => step.includes(file));

function eachNode(path: string, look: (node: ts.Node) => void): void {
  const source = program.getSourceFile(path);
  const visit = (node: ts.Node): void => {
    look(node);
    ts.forEachChild(node, visit);
  };
  if (source !== undefined) ts.forEachChild(source, visit);
}

const place = (node: ts.Node): string => {
  const source = node.getSourceFile();
  return `${named(source.fileName)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
};

describe('the imports of the core', () => {
  it('lead from pure files only to types and other pure files', () => {
    expect([...pure].filter((file) => !imports.has(file))).toEqual([]);
    const strays = core
      .filter((file) => pure.has(file))
      .flatMap((file) =>
        (imports.get(file) ?? [])
          // Names on the wire are constants.
          .filter(({ isType, file: target }) => !isType && target !== 'protocol/names.ts')
          .filter((one) => one.file === null || !pure.has(one.file))
          .map((one) => `${file} imports ${one.specifier}`),
      );
    expect(strays).toEqual([]);
  });

  it('follow the order of the parts, including types', () => {
    const strays = line.flat().flatMap((file) =>
      [...reach(file, () => true)]
        .filter((other) => stepOf(other) !== -1 && other !== file && stepOf(other) >= stepOf(file))
        // An entry point may export from any part. The lifecycle bus serves every part of its own step.
        .filter(
          (other) => stepOf(file) < line.length - 1 && !(stepOf(file) === 0 && other === 'events/bus.ts'),
        )
        .map((other) => `${file} reaches ${other}`),
    );
    expect(strays).toEqual([]);
  });

  it('follow the order of the folders, including types', () => {
    const strays = core.flatMap((file) =>
      (imports.get(file) ?? [])
        .filter(({ file: target }) => target !== null && folderStepOf(file) >= 0)
        .filter(({ file: target }) => folderStepOf(target ?? '') > folderStepOf(file))
        .map((one) => `${file} imports ${one.specifier}`),
    );
    expect(strays).toEqual([]);
  });

  it('include every part of the order', () => {
    expect(line.flat().filter((file) => !imports.has(file))).toEqual([]);
  });

  it('have no cycles', () => {
    const circles = core.filter((file) => reach(file, (one) => !one.isType).has(file));
    expect(circles).toEqual([]);
  });

  it('lead from the protocol only to the rules of the client', () => {
    const strays = core
      .filter((file) => file.startsWith('protocol/'))
      .flatMap((file) =>
        (imports.get(file) ?? [])
          .filter(
            ({ isType, file: target }) =>
              !isType && target !== null && !target.startsWith('protocol/') && !pure.has(target),
          )
          .map((one) => `${file} imports ${one.specifier}`),
      );
    expect(strays).toEqual([]);
  });

  it('never lead to zod outside the protocol', () => {
    const users = core.filter(
      (file) =>
        !file.startsWith('protocol/') && imports.get(file)?.some((one) => one.specifier.startsWith('zod')),
    );
    expect(users).toEqual([]);
    const viaProtocol = reach('index.ts', (one) => !one.isType);
    const zodUsers = [...viaProtocol].filter((file) =>
      imports.get(file)?.some((one) => !one.isType && one.specifier.startsWith('zod')),
    );
    expect(zodUsers).toEqual([]);
  });

  it('of the simulated world reach the core only by its package name', () => {
    const strays = [...imports]
      .filter(([file]) => file.startsWith('testing/'))
      .flatMap(([file, list]) =>
        list
          .filter(({ specifier, file: target }) =>
            target === null
              ? !['@edict/core', '@edict/core/internal', '@edict/core/protocol'].includes(specifier)
              : !target.startsWith('testing/'),
          )
          .map((one) => `${file} imports ${one.specifier}`),
      );
    expect(strays).toEqual([]);
  });

  it('never lead from the core to the simulated world', () => {
    const users = core.filter((file) =>
      imports.get(file)?.some(({ file: target }) => target?.startsWith('testing/') === true),
    );
    expect(users).toEqual([]);
  });
});

describe('the sources of the core', () => {
  const platform = new Set([
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'requestAnimationFrame',
    'crypto',
    'fetch',
    'EventSource',
    'XMLHttpRequest',
    'WebSocket',
    'location',
    'sessionStorage',
    'localStorage',
    'caches',
    'navigator',
    'document',
    'window',
    'self',
    'globalThis',
    'performance',
    'console',
  ]);

  /** A global of the platform: named like one, and declared nowhere in the core. */
  function namesPlatform(node: ts.Identifier): boolean {
    if (!platform.has(node.text)) return false;
    const { parent } = node;
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
    if (ts.isQualifiedName(parent) || ts.isPartOfTypeNode(node)) return false;
    const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
    return declarations.every((declaration) => declaration.getSourceFile().isDeclarationFile);
  }

  /** `Date.now()`, `Date()` and `new Date()` ask the clock; `new Date(ms)` and `instanceof Date` do not. */
  function asksClockOrChance(node: ts.Node): boolean {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const owner = node.expression.text;
      return (
        (owner === 'Date' && node.name.text === 'now') || (owner === 'Math' && node.name.text === 'random')
      );
    }
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
      return node.expression.text === 'Date' && (node.arguments?.length ?? 0) === 0;
    }
    return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Date';
  }

  // The script-tag build sets its global; that is all it does.
  const platformFiles = ['env', 'tabs', 'connectionLimit']
    .map((name) => `platform/${name}.ts`)
    .concat('scriptTag.ts');

  it('use platform globals only in three files of platform/', () => {
    const strays: string[] = [];
    for (const file of core) {
      if (platformFiles.includes(file)) continue;
      eachNode(join(src, file), (node) => {
        if (ts.isIdentifier(node) && namesPlatform(node)) strays.push(`${place(node)} names ${node.text}`);
        if (asksClockOrChance(node)) strays.push(`${place(node)} asks ${node.getText()}`);
      });
    }
    expect(strays).toEqual([]);
  });

  it('assign to the fields of entries, slots, and their requests only in cache/store.ts', () => {
    const owned = new Set(['Entry', 'Slot', 'Flight']);
    const strays: string[] = [];
    const isAssignment = (kind: ts.SyntaxKind): boolean =>
      kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    for (const file of core) {
      // hydration/read.ts assigns to entries that it made itself, which are in no cache.
      if (['cache/store.ts', 'hydration/read.ts'].includes(file)) continue;
      eachNode(join(src, file), (node) => {
        const target = ts.isBinaryExpression(node)
          ? isAssignment(node.operatorToken.kind)
            ? node.left
            : null
          : ts.isDeleteExpression(node)
            ? node.expression
            : (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
                [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)
              ? node.operand
              : null;
        if (target === null || !ts.isPropertyAccessExpression(target)) return;
        const owner = checker.getTypeAtLocation(target.expression).symbol?.name;
        if (owned.has(owner ?? '')) strays.push(`${place(target)} assigns ${owner}.${target.name.text}`);
      });
    }
    expect(strays).toEqual([]);
  });

  it('have no function with more than four positional parameters', () => {
    const strays: string[] = [];
    for (const file of core)
      eachNode(join(src, file), (node) => {
        if (ts.isFunctionLike(node) && node.parameters.length > 4) strays.push(place(node));
      });
    expect(strays).toEqual([]);
  });

  it('do not use the type any', () => {
    const strays: string[] = [];
    for (const path of files) {
      eachNode(path, (node) => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) strays.push(place(node));
      });
    }
    expect(strays).toEqual([]);
  });
});

// Short names for properties that only our own code sees, because minifiers leave properties alone. The builds of `core` and `react` use them.
//
// A property gets a short name if an interface of the folders below declares it, and nothing else has a property of that name: no public type,
// no platform, no library, no message, and no text in the sources.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Their interfaces are ours alone. */
const internal =
  /^(core\/src\/(cache|config|directives|events|fetching|inspect|levels|mutations|platform|stream)|react\/src\/binding)\//;

/** Public, or shaped by the platform, a library, or a message. */
const published =
  /core\/src\/(events\/eventTypes|platform\/(env|tabs)|mutations\/json)\.ts$|core\/src\/(types|protocol|testing|adapters)\/|react\/src\/(types\.ts$|devtools\/)/;

/** Interfaces that describe an object of somebody else, or what packages without short names use. */
const foreign = new Set(['NodeStream', 'Internals', 'CustomSource']);

const sourcesIn = (folder: string): string[] =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `${folder}/${path}`);

function declaredName(node: ts.Node): string | null {
  const isMember =
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isGetAccessor(node);
  return isMember && ts.isIdentifier(node.name) ? node.name.text : null;
}

/** Declares a type, or is a constant from which one is inferred. */
const isOwner = (node: ts.Node): node is ts.Node & { name?: ts.Identifier } =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.name.text.startsWith('initial'));

/** The texts of these are types, or paths of modules. */
const isNoName = (parent: ts.Node): boolean =>
  ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);

/** Calls back with every property and the interface that declares it, with every text, and with every name. */
function walk(
  path: string,
  onProperty: (name: string, owner: string) => void,
  onText?: (text: string) => void,
  onName?: (name: string) => void,
): void {
  const visit = (node: ts.Node, owner: string): void => {
    const inside = isOwner(node) ? (node.name?.text ?? '') : owner;
    const name = declaredName(node);
    if (name !== null) onProperty(name, inside);
    if (ts.isStringLiteralLike(node) && !isNoName(node.parent)) onText?.(node.text);
    if (ts.isIdentifier(node)) onName?.(node.text);
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(ts.createSourceFile(path, readFileSync(root + path, 'utf8'), ts.ScriptTarget.Latest, true), '');
}

/** The most frequent name first. */
function namesOfOurs(): string[] {
  const ours = new Set<string>();
  const uses = new Map<string, number>();
  const usesOf = (name: string): number => uses.get(name) ?? 0;
  const taken = new Set(['default', 'length', 'name']);
  const libraries = readdirSync(`${root}node_modules/typescript/lib`)
    .filter((name) => /^lib\..*\.d\.ts$/.test(name))
    .map((name) => `node_modules/typescript/lib/${name}`);
  for (const path of [...libraries, 'node_modules/@types/react/index.d.ts'])
    walk(path, (name) => taken.add(name));
  for (const path of [...sourcesIn('core/src'), ...sourcesIn('react/src')])
    walk(
      path,
      (name, owner) => {
        if (published.test(path) || foreign.has(owner)) taken.add(name);
        else if (internal.test(path) && owner !== '') ours.add(name);
      },
      (text) => {
        if (!text.includes(' ')) for (const word of text.split(/[^\w$-]+/)) taken.add(word);
      },
      (name) => uses.set(name, usesOf(name) + 1),
    );
  return [...ours]
    .filter((name) => name.length > 2 && !taken.has(name))
    .toSorted((a, b) => usesOf(b) - usesOf(a) || (a < b ? -1 : 1));
}

/** In the order in which minifiers give letters to variables: the same letters again compress better. */
const letters = 'etnriasocludpfmhgvybwxkq_jzSETNRIAOCLDPFMHGVYBWXKQJZU';

/** One letter, then two. None of our properties is written so short. */
const shortName = (at: number): string =>
  (letters[Math.floor(at / letters.length) - 1] ?? '') + (letters[at % letters.length] ?? '');

const names = namesOfOurs();

/** Options of esbuild. */
export const shortNames: { mangleProps: RegExp; mangleCache: Record<string, string> } = {
  mangleProps: new RegExp(`^(?:${names.join('|')})$`),
  mangleCache: Object.fromEntries(names.map((name, at) => [name, shortName(at)])),
};

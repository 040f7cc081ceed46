// Short names for properties that only our own code sees, because minifiers leave properties alone. The builds of `core` and `react` use them.
//
// A property gets a short name if an interface of the folders below declares it, and nothing else has a property of that name: no public type,
// no message, no text in the sources, and no object of the platform or of a library in the places where the sources use the name.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Their interfaces are internal. */
const internal =
  /^(core\/src\/(cache|config|directives|events|fetching|inspect|levels|mutations|platform|stream)|react\/src\/binding)\//;

/** Public, or shaped by the platform, a library, or a message. */
const published =
  /core\/src\/(events\/eventTypes|platform\/(env|tabs)|mutations\/json)\.ts$|core\/src\/(types|protocol|testing|adapters)\/|react\/src\/(types\.ts$|devtools\/)/;

/** Some of their interfaces are public. */
const withPublic =
  /core\/src\/(dataLayer|hydration\/types)\.ts$|react\/src\/([^/]+|hydration\/[^/]+\.tsx|mutations\/[^/]+)$/;

/** Interfaces of objects from other code, or of objects that packages without short names use. */
const foreign = new Set(['NodeStream', 'Internals', 'CustomSource']);

/** Not public, although their files have public interfaces. */
const own = new Set(['Kept', 'ReadOptions']);

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

const isComparison = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node) &&
  (node.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
    node.operatorToken.kind === ts.SyntaxKind.ExclamationEqualsEqualsToken);

/** The texts of these are types, paths of modules, or values. */
const isNoName = (parent: ts.Node): boolean =>
  ts.isLiteralTypeNode(parent) ||
  ts.isImportDeclaration(parent) ||
  ts.isExportDeclaration(parent) ||
  isComparison(parent);

/** Calls back with every property and the interface that declares it (`''` if none does), with every text, and with every name. */
function walk(
  source: ts.SourceFile,
  onProperty: (name: string, owner: string, isType: boolean) => void,
  onText: (text: string) => void,
  onName: (name: ts.Identifier) => void,
): void {
  const visit = (node: ts.Node, owner: string): void => {
    const inside = isOwner(node) ? (node.name?.text ?? '') : owner;
    const name = declaredName(node);
    if (name !== null) onProperty(name, inside, ts.isPropertySignature(node));
    if (ts.isStringLiteralLike(node) && !isNoName(node.parent)) onText(node.text);
    if (ts.isIdentifier(node)) onName(node);
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, '');
}

/** The property that a name refers to, in a literal that of the expected type. Undefined for any other name. */
function propertyOf(checker: ts.TypeChecker, name: ts.Identifier): ts.Symbol | undefined {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent))
    return parent.name === name ? checker.getSymbolAtLocation(name) : undefined;
  if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent))
    return (parent.propertyName ?? parent.name) === name
      ? checker.getTypeAtLocation(parent.parent).getProperty(name.text)
      : undefined;
  if (ts.isObjectLiteralElementLike(parent) && parent.name === name)
    return checker.getContextualType(parent.parent as ts.ObjectLiteralExpression)?.getProperty(name.text);
  return undefined;
}

/** The most frequent name first. */
function namesOfOurs(): string[] {
  const ours = new Set<string>();
  const uses = new Map<string, ts.Identifier[]>();
  const taken = new Set(['default', 'length', 'name']);
  const paths = [...sourcesIn('core/src'), ...sourcesIn('react/src')];
  const { config } = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: paths }, ts.sys, root);
  const program = ts.createProgram(
    paths.map((path) => root + path),
    options,
  );
  const checker = program.getTypeChecker();
  const sources = new Set(paths.map((path) => program.getSourceFile(root + path)));
  for (const path of paths)
    walk(
      program.getSourceFile(root + path) as ts.SourceFile,
      (name, owner, isType) => {
        // An inline type describes an object from other code.
        const isPublic = owner === '' ? isType : withPublic.test(path) && !own.has(owner);
        if (published.test(path) || foreign.has(owner) || isPublic) taken.add(name);
        else if (internal.test(path) && owner !== '') ours.add(name);
      },
      (text) => {
        // The devtools show texts, and read no internal property by a text.
        if (!text.includes(' ') && !path.includes('/devtools/'))
          for (const word of text.split(/[^\w$-]+/)) taken.add(word);
      },
      (name) => {
        if (ts.isJsxAttribute(name.parent)) taken.add(name.text);
        const others = uses.get(name.text);
        if (others === undefined) uses.set(name.text, [name]);
        else others.push(name);
      },
    );
  const usesOf = (name: string): readonly ts.Identifier[] => uses.get(name) ?? [];
  const isOthers = (name: ts.Identifier): boolean =>
    propertyOf(checker, name)?.declarations?.some((node) => !sources.has(node.getSourceFile())) === true;
  return [...ours]
    .filter((name) => name.length > 2 && !taken.has(name) && !usesOf(name).some(isOthers))
    .toSorted((a, b) => usesOf(b).length - usesOf(a).length || (a < b ? -1 : 1));
}

/** In the order in which minifiers give letters to variables, because the same letters compress better. */
const letters = 'etnriasocludpfmhgvybwxkq_jzSETNRIAOCLDPFMHGVYBWXKQJZU';

/** One letter, then two. No property in the sources has such a short name. */
const shortName = (at: number): string =>
  (letters[Math.floor(at / letters.length) - 1] ?? '') + (letters[at % letters.length] ?? '');

const names = namesOfOurs();

/** Options of esbuild. */
export const shortNames: { mangleProps: RegExp; mangleCache: Record<string, string> } = {
  mangleProps: new RegExp(`^(?:${names.join('|')})$`),
  mangleCache: Object.fromEntries(names.map((name, at) => [name, shortName(at)])),
};

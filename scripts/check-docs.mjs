// The READMEs, the skill for assistants, and docs: every ts and tsx block type-checks against the packages' sources, and every relative link and anchor exists.
//
// A block that begins with `// name.ts` is that file of its page: blocks of one name are one file, and files of a page can import
// each other. In docs/api and docs/specification only the links are checked: their code blocks are signatures, and the examples are
// checked in the doc comments of the sources.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { createAnchors } from './anchors.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const readmesIn = (folder) =>
  readdirSync(join(root, folder))
    .map((name) => join(folder, name, 'README.md'))
    .filter((page) => existsSync(join(root, page)));
const pages = [
  'README.md',
  ...readmesIn('.').filter((page) => page !== join('docs', 'README.md')),
  ...readmesIn('examples'),
  'core/skills/edict/SKILL.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'))
    .map((name) => join('docs', name))
    .sort(),
];

const problems = [];
const complain = (page, line, message) => problems.push(`${page}:${line}: ${message}`);

// ── pages ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sources with code in their doc comments. */
const sources = ['core/src', 'react/src', 'server/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .filter((name) => readFileSync(join(root, name), 'utf8').includes('\n * ```'))
    .sort(),
);

/** The code blocks, links, and anchors of a page, or of the comments of a source, with their lines. */
function read(page) {
  const blocks = [];
  const links = [];
  const anchors = createAnchors();
  let open = null;
  const isSource = !page.endsWith('.md');
  for (const [index, whole] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    const number = index + 1;
    const line = isSource ? (/^ \* ?(.*)$/.exec(whole)?.[1] ?? '') : whole;
    const fence = /^\s*(`{3,})\s*(.*)$/.exec(line);
    if (open !== null) {
      if (fence !== null && fence[1].length >= open.ticks && fence[2] === '') open = null;
      else open.lines.push(line);
      continue;
    }
    if (fence !== null) {
      open = { page, line: number, ticks: fence[1].length, language: fence[2], lines: [] };
      blocks.push(open);
      continue;
    }
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    if (heading !== null) anchors.next(heading[1]);
    for (const [, name] of line.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(name);
    const words = line.replace(/`[^`]*`/g, '');
    for (const [, target] of words.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g))
      links.push({ line: number, target });
  }
  return { blocks, links, anchors };
}

const contents = new Map(pages.map((page) => [page, read(page)]));

// ── links ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

for (const [page, { links }] of contents) {
  for (const { line, target } of links) {
    if (/^[a-z]+:/i.test(target)) continue;
    const [path, anchor] = target.split('#');
    const file = path === '' ? page : relative(root, resolve(root, dirname(page), decodeURI(path)));
    if (!existsSync(join(root, file))) complain(page, line, `the link leads nowhere: ${target}`);
    else if (anchor !== undefined && file.endsWith('.md')) {
      const known = contents.get(file) ?? read(file);
      if (!known.anchors.has(anchor)) complain(page, line, `${file} has no heading for #${anchor}`);
    }
  }
}

// ── code ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Files that exist only here: path → text and the origin of each line. They are beside their page, so that packages are found from there. */
const files = new Map();
/** An augmentation applies to a whole program, so each page that has one is checked alone. */
const augmenting = new Set();

/** Pages whose code blocks are signatures: the generated reference and the specification. */
const isSignatures = (page) =>
  ['api', 'specification'].some((folder) => page.startsWith(join('docs', folder)));
const withCode = [...pages.filter((page) => !isSignatures(page)), ...sources];
for (const page of withCode) {
  const { blocks } = contents.get(page) ?? read(page);
  for (const { line, language, lines } of blocks) {
    if (language !== 'ts' && language !== 'tsx') {
      if (/^(tsx?|jsx?|typescript|javascript)\b/.test(language))
        complain(page, line, `a block fenced as ${language} is not checked: fence it as ts or tsx`);
      continue;
    }
    const named = /^\/\/ ([\w./[\]-]+\.tsx?)(, .*)?\s*$/.exec(lines[0] ?? '');
    // A variant of a file, such as `lib/live.ts, with Redis`, is another file beside it.
    const name = named?.[2] === undefined ? named?.[1] : join(dirname(named[1]), `line-${line}.${language}`);
    const path = join(root, `${page}.code`, name ?? `line-${line}.${language}`);
    const file = files.get(path) ?? { page, text: '', origin: [] };
    file.text += `${lines.join('\n')}\n`;
    for (let index = 0; index < lines.length; index += 1) file.origin.push(line + 1 + index);
    files.set(path, file);
    if (/declare module ['"]@edict\//.test(file.text)) augmenting.add(page);
  }
}

// The pages of the reference share the definitions of its first page.
const definitions = [...files].find(([path]) => path.endsWith('reference/index.md.code/data.ts'));
for (const page of pages.filter(
  (page) => page.startsWith(join('docs', 'reference')) && !page.endsWith('index.md'),
))
  files.set(join(root, `${page}.code/data.ts`), definitions[1]);

// The guides share the definitions of the page about lists.
const lists = [...files].find(([path]) => path.endsWith('items-and-lists.md.code/lists.ts'));
for (const page of pages.filter((page) => page.startsWith(join('docs', 'guides'))))
  if (!files.has(join(root, `${page}.code/lists.ts`)))
    files.set(join(root, `${page}.code/lists.ts`), lists[1]);

// A page that shows files of an example can import the example's other files.
for (const [page, example] of [['docs/guides/nextjs.md', 'examples/next-app-router']])
  for (const name of readdirSync(join(root, example), { recursive: true, encoding: 'utf8' })) {
    const path = join(root, `${page}.code`, name);
    if (!/^(app|lib)\/.*\.tsx?$/.test(name) || files.has(path)) continue;
    const text = readFileSync(join(root, example, name), 'utf8');
    files.set(path, {
      page: join(example, name),
      text,
      origin: text.split('\n').map((_, index) => index + 1),
    });
  }

/** Types of modules that a page uses and that ship none. */
const declarations = ['css', 'next', 'pg', 'ws'].map((name) =>
  join(root, `server/test/support/${name}.d.ts`),
);

const options = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  customConditions: ['source'],
  jsx: ts.JsxEmit.ReactJSX,
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node', 'react'],
};

function check(paths) {
  if (paths.length === 0) return;
  const host = ts.createCompilerHost(options);
  const folders = new Set(paths.map((path) => dirname(path)));
  const { getSourceFile, fileExists, readFile, directoryExists } = host;
  host.getSourceFile = (path, languageVersion, ...rest) =>
    files.has(path)
      ? ts.createSourceFile(path, files.get(path).text, languageVersion, true)
      : getSourceFile.call(host, path, languageVersion, ...rest);
  host.fileExists = (path) => files.has(path) || fileExists.call(host, path);
  host.readFile = (path) => files.get(path)?.text ?? readFile.call(host, path);
  host.directoryExists = (path) => folders.has(path) || (directoryExists?.call(host, path) ?? true);
  host.getCurrentDirectory = () => root;
  const program = ts.createProgram([...paths, ...declarations], options, host);
  for (const path of paths) {
    const source = program.getSourceFile(path);
    for (const { start = 0, messageText } of ts.getPreEmitDiagnostics(program, source)) {
      const { line } = source.getLineAndCharacterOfPosition(start);
      const { page, origin } = files.get(path);
      complain(page, origin[line] ?? 0, ts.flattenDiagnosticMessageText(messageText, '\n  '));
    }
  }
}

const paths = [...files.keys()];
check(paths.filter((path) => !augmenting.has(files.get(path).page)));
for (const page of augmenting) check(paths.filter((path) => files.get(path).page === page));

for (const problem of problems) console.error(problem);
console.log(
  `${pages.length} pages, ${sources.length} sources with examples, ${files.size} files of code, ${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);

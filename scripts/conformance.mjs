// Writes docs/conformance.md: each section of the service document and each clause with the tests that name it. The file is not
// committed. Fails when a section or clause has no test, or a test names a clause that does not exist.
// A test counts for a clause when its name, or the name of a `describe` around it, contains the clause's id (`D-FETCH-2`, `§4.5`).
// Skipped tests do not count.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/conformance.md');
const folders = ['core/test', 'react/test', 'server/test', 'example-app/test', 'example-app/e2e', 'compat'];
const isTestFile = (name) => /\.(test|browser|e2e|spec|node\.test)\.tsx?$/.test(name);
const read = (file) => readFileSync(join(root, 'docs/specification', file), 'utf8');
const clauses = { document: sectionsOf(read('service.md')), decisions: clausesOf(read('clauses.md')) };
const known = new Set([...clauses.document, ...clauses.decisions].map((clause) => clause.id));

/** The numbered sections of the document. A section with subsections counts through them. */
function sectionsOf(text) {
  const all = [...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? (.+)$/gm)].map(([, number, title]) => ({
    id: `§${number}`,
    title,
  }));
  return all.filter(({ id }) => !all.some((other) => other.id.startsWith(`${id}.`)));
}

/** The clauses, each with its first sentence. */
function clausesOf(text) {
  return [...text.matchAll(/^- (D-[A-Z]+-\d+) ([^\n]+(?:\n {2}(?! *-)[^\n]+)*)/gm)].map(([, id, body]) => ({
    id,
    title: /^.*?[.:](?=\s|$)/s.exec(body.replace(/\s+/g, ' '))?.[0] ?? body,
  }));
}

function* testFiles(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules' || entry.name === 'dist') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* testFiles(path);
    else if (isTestFile(entry.name)) yield path;
  }
}

/** `it`, `test.each(…)`, `describe.skip`: the first name and the modifiers after it. */
function callee(expression) {
  const modifiers = [];
  for (let node = expression; ;) {
    if (ts.isPropertyAccessExpression(node)) {
      modifiers.push(node.name.text);
      node = node.expression;
    } else if (ts.isCallExpression(node)) node = node.expression;
    else if (ts.isTaggedTemplateExpression(node)) node = node.tag;
    else return ts.isIdentifier(node) ? { name: node.text, modifiers } : null;
  }
}

function textOf(node) {
  if (node === undefined) return null;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null && right === null ? null : (left ?? '…') + (right ?? '…');
  }
  return null;
}

/** All tests of a file: the names of the describes around it and its own. */
function testsOf(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const tests = [];
  const visit = (node, around) => {
    const called = ts.isCallExpression(node) ? callee(node.expression) : null;
    const text = called === null ? null : textOf(node.arguments[0]);
    // `it.each(table)` is a call too, but its argument is no name.
    if (
      called !== null &&
      text !== null &&
      node.arguments.length > 1 &&
      /^(it|test|describe|suite)$/.test(called.name)
    ) {
      if (called.modifiers.some((modifier) => /^(skip|todo|fixme)$/.test(modifier))) return;
      const isGroup = /^(describe|suite)$/.test(called.name) || called.modifiers.includes('describe');
      if (!isGroup) tests.push([...around, text]);
      else for (const argument of node.arguments.slice(1)) visit(argument, [...around, text]);
      return;
    }
    ts.forEachChild(node, (child) => visit(child, around));
  };
  visit(source, []);
  return tests;
}

/** The clauses a test names; `§7.2` counts for `§7`. */
function idsOf(names) {
  const text = names.join(' ');
  const sections = [...text.matchAll(/§\s?(\d+)(?:\.(\d+))?/g)].map(([, whole, part]) => {
    const id = part === undefined ? `§${whole}` : `§${whole}.${part}`;
    return known.has(id) ? id : `§${whole}`;
  });
  return new Set([...(text.match(/D-[A-Z]+-\d+/g) ?? []), ...sections]);
}

const byClause = new Map();
const strangers = new Map();
let testCount = 0;
for (const folder of folders) {
  for (const path of [...testFiles(join(root, folder))].sort((a, b) => (a < b ? -1 : 1))) {
    const file = relative(root, path).split(sep).join(posix.sep);
    for (const names of testsOf(path)) {
      testCount += 1;
      for (const id of idsOf(names)) {
        const list = known.has(id) ? byClause : strangers;
        list.set(id, [...(list.get(id) ?? []), { file, names }]);
      }
    }
  }
}

/** Escapes Markdown, because names of tests contain code of every kind. */
const escape = (text) => text.replaceAll(/[\\`*_[\]<|~]/g, '\\$&').replaceAll('\n', ' ');
/** The name without the ids, which the heading already contains. */
const bare = (names) =>
  escape(
    names
      .join(' › ')
      .replaceAll(/(?:D-[A-Z]+-\d+|§\s?\d+(?:\.\d+)?)[,:]?\s*/g, '')
      .replaceAll(/^(?:\s*›\s*)+/g, '')
      .trim(),
  );

/** The file that defines the clause. */
const home = (id) => (id.startsWith('§') ? 'specification/service.md' : 'specification/clauses.md');

function section({ id, title }) {
  const tests = byClause.get(id) ?? [];
  const files = new Map();
  for (const { file, names } of tests) files.set(file, [...(files.get(file) ?? []), bare(names)]);
  const lists = [...files].map(
    ([file, names]) => `- [${file}](../${file})\n${names.map((name) => `  - ${name}`).join('\n')}`,
  );
  return `### ${id}\n\n[${escape(title)}](${home(id)})\n\n${lists.length === 0 ? '**No test.**' : lists.join('\n')}`;
}

const all = [...clauses.document, ...clauses.decisions];
const bareClauses = all.filter(({ id }) => !byClause.has(id)).map(({ id }) => id);
writeFileSync(
  target,
  `# Conformance

Every section of the [service document](specification/service.md) and every [clause](specification/clauses.md), with the tests that name it. A
script writes this page from the names of the tests.

${all.length - bareClauses.length} of ${all.length} have tests.

## The document

${clauses.document.map(section).join('\n\n')}

## The clauses

${clauses.decisions.map(section).join('\n\n')}
`,
);

for (const [id, tests] of strangers) {
  console.error(`unknown clause ${id} in ${[...new Set(tests.map((test) => test.file))].join(', ')}`);
}
if (bareClauses.length > 0) console.error(`without a test: ${bareClauses.join(', ')}`);
if (bareClauses.length > 0 || strangers.size > 0) process.exitCode = 1;
console.log(`conformance: ${all.length} clauses, ${testCount} tests`);

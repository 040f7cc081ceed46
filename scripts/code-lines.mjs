// Counts the lines of code of the core, without comments and blank lines, and fails above the budget.
//   node scripts/code-lines.mjs
// Parts that most pages do not load are not counted.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The budget follows the current number, so nothing grows unnoticed. It must not exceed 5,200. */
const budget = 4_950;
const excluded = ['testing/', 'adapters/', 'protocol/', 'hydration/', 'stream/share/'];
const src = fileURLToPath(new URL('../core/src', import.meta.url));

/** The lines on which a token of the source starts or ends. */
function codeLines(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const lines = new Set();
  const visit = (node) => {
    if (node.getChildCount(source) === 0 && node.getWidth(source) > 0) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = first; line <= last; line += 1) lines.add(line);
    }
    for (const child of node.getChildren(source))
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) visit(child);
  };
  visit(source);
  return lines.size;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !excluded.some((folder) => name.startsWith(folder)))
  .sort();
const folders = new Map();
for (const name of files) {
  const folder = /[\\/]/.test(name) ? name.split(/[\\/]/)[0] : '.';
  folders.set(folder, (folders.get(folder) ?? 0) + codeLines(join(src, name)));
}
const total = [...folders.values()].reduce((sum, lines) => sum + lines, 0);
for (const [folder, lines] of [...folders].sort(([, a], [, b]) => b - a))
  console.log(`${String(lines).padStart(6)}  ${folder}`);
console.log(`${String(total).padStart(6)}  lines of code in core/src, budget ${budget}`);
if (total > budget) process.exitCode = 1;

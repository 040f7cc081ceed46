#!/usr/bin/env node
// Measures prose: long sentences, chains of colons, speech metaphors, sentences without a concrete subject, British spelling.
//
//   node scripts/prose.mjs README.md docs core/src           figures per 1,000 words, and the worst places
//   node scripts/prose.mjs --added REV                       only lines that were added since REV
//   options: --max N (fails above N hits per 1,000 words), --top N (places to list, default 15), --json
//
// Reads Markdown (without code blocks) and the comments of .ts, .tsx, .mts, .js, .mjs files. A hit is a place to look at, not a verdict.
// A low figure does not prove good prose. A high one shows that a rewrite is needed.

import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, extname } from 'node:path';

const args = process.argv.slice(2);
const option = (name, fallback) => {
  const at = args.indexOf(name);
  return at < 0 ? fallback : args.splice(at, 2)[1];
};
const top = Number(option('--top', '15'));
const max = Number(option('--max', 'Infinity'));
const since = option('--added', null);
const asJson = args.includes('--json');
const paths = args.filter((arg) => !arg.startsWith('--'));

const rules = [
  [
    'dialect',
    /\b(anew|nobody|whoever|somebody|under way|on its way|once more|as it stands|as they stand|so far as|it stands|of its own accord)\b/gi,
  ],
  ['speech metaphor', /\b(says|tells|told|hears|heard|brings|brought|speaks|spoken)\b/gi],
  ['"stands"', /\bstands? (in|on|for|beside|behind|before|above|under|alone|there|where|apart)\b/gi],
  [
    'clause as subject',
    /(^|[.;:] |[,(] )(what|who|whoever|whatever|that which) (is|are|was|were|has|have|had|comes|came|goes|went|fails|failed|changes|changed|asks|asked|stands|a |an |the |it |they |nobody|somebody)\b/gi,
  ],
  [
    'fragment',
    /^(Of |That of |Those of |By the |By its |Also where |Also of |Not before|Not where |As such |As above)/gim,
  ],
  ['"of which"', /\b(of which|by which|to which|in whose|of whose|of whom)\b/gi],
  [
    'British spelling',
    /\b\w*(authoris|behaviour|cancelled|cancelling|colour|optimis(e|ing|ation)|serialis|normalis|recognis|initialis|neighbour|favour|organis|whilst)\w*/gi,
  ],
];
const maxWords = 30;

const isProse = (file) => ['.md', '.ts', '.tsx', '.mts', '.js', '.mjs'].includes(extname(file));

function* files(path) {
  if (statSync(path).isFile()) {
    if (isProse(path)) yield path;
    return;
  }
  for (const name of readdirSync(path)) {
    if (['node_modules', 'dist', '.git', 'coverage', 'api', 'conformance.md', 'CHANGELOG.md'].includes(name))
      continue;
    yield* files(join(path, name));
  }
}

/** Paragraphs of prose: [line, text]. */
function paragraphs(file, text) {
  const lines = text.split('\n');
  const found = [];
  let current = null;
  const flush = () => {
    if (current !== null && current.text.trim() !== '') found.push([current.line, current.text.trim()]);
    current = null;
  };
  const add = (line, words) => {
    if (words.trim() === '') return flush();
    if (current === null) current = { line, text: words.trim() };
    else current.text += ` ${words.trim()}`;
  };
  if (extname(file) === '.md') {
    let isCode = false;
    lines.forEach((raw, at) => {
      if (/^\s*(```|~~~)/.test(raw)) {
        isCode = !isCode;
        return flush();
      }
      if (isCode || /^\s*(<|!\[|\|[\s:|-]+\|$)/.test(raw)) return flush();
      if (/^\s*(#|[-*] |\d+\. |\|)/.test(raw)) flush();
      add(
        at + 1,
        raw
          .replace(/`[^`]*`/g, 'x')
          .replace(/\]\([^)]*\)/g, ']')
          .replace(/^\s*(#+|[-*]|\d+\.)\s+/, '')
          .replace(/\|/g, '. '),
      );
      if (/^\s*(#|\|)/.test(raw)) flush();
    });
  } else {
    let isBlock = false;
    lines.forEach((raw, at) => {
      const line = raw.trim();
      if (isBlock || line.startsWith('/**') || line.startsWith('/*')) {
        const inner = line
          .replace(/^\/\*\*?/, '')
          .replace(/\*\/.*$/, '')
          .replace(/^\*\s?/, '');
        isBlock = !line.includes('*/');
        if (/^@\w+/.test(inner.trim())) flush();
        add(at + 1, inner.replace(/`[^`]*`/g, 'x'));
        if (!isBlock) flush();
      } else if (line.startsWith('//')) add(at + 1, line.replace(/^\/\/+\s?/, '').replace(/`[^`]*`/g, 'x'));
      else {
        flush();
        const tail = /[;,{})\]] \/\/ (.*)$/.exec(raw);
        if (tail !== null) found.push([at + 1, tail[1]]);
      }
    });
  }
  flush();
  return found;
}

/** Lines that were added since a revision, by file. */
function addedLines(rev) {
  const diff = execFileSync('git', ['diff', '--unified=0', '--no-color', rev], {
    maxBuffer: 1 << 28,
  }).toString();
  const added = new Map();
  let file = null;
  let line = 0;
  for (const row of diff.split('\n')) {
    if (row.startsWith('+++ ')) file = row.startsWith('+++ b/') ? row.slice(6) : null;
    else if (row.startsWith('@@')) line = Number(/\+(\d+)/.exec(row)[1]);
    else if (file !== null && row.startsWith('+')) {
      if (!added.has(file)) added.set(file, new Set());
      added.get(file).add(line++);
    }
  }
  return added;
}

const added = since === null ? null : addedLines(since);
const list =
  added === null
    ? paths.flatMap((path) => [...files(path)])
    : [...added.keys()].filter(
        (file) => isProse(file) && !/(^|\/)(node_modules|dist|docs\/api)\//.test(file),
      );
const counts = new Map([...rules.map(([name]) => [name, 0]), ['long sentence', 0], ['chained colons', 0]]);
const places = [];
let words = 0;
for (const file of list) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    continue;
  }
  for (const [line, paragraph] of paragraphs(file, text)) {
    if (added !== null) {
      const lines = added.get(file);
      const rows = Math.max(1, Math.ceil(paragraph.length / 110));
      if (![...Array(rows).keys()].some((n) => lines.has(line + n))) continue;
    }
    words += paragraph.split(/\s+/).length;
    const hits = [];
    for (const [name, pattern] of rules) {
      const matched = paragraph.match(pattern) ?? [];
      if (matched.length > 0) hits.push(...matched.map((hit) => [name, hit.trim()]));
    }
    for (const sentence of paragraph.split(/(?<=[.!?])\s+(?=[A-Z"x])/)) {
      const length = sentence.split(/\s+/).length;
      if (length > maxWords) hits.push(['long sentence', `${length} words`]);
      if ((sentence.match(/[:;](?=\s)/g) ?? []).length > 1)
        hits.push(['chained colons', sentence.slice(0, 40)]);
    }
    for (const [name] of hits) counts.set(name, counts.get(name) + 1);
    if (hits.length > 0) places.push({ file, line, hits, paragraph });
  }
}
const total = [...counts.values()].reduce((a, b) => a + b, 0);
const per1000 = words === 0 ? 0 : (1000 * total) / words;
if (asJson) console.log(JSON.stringify({ words, total, per1000, counts: Object.fromEntries(counts) }));
else {
  for (const { file, line, hits, paragraph } of places
    .sort((a, b) => b.hits.length - a.hits.length)
    .slice(0, top))
    console.log(
      `${file}:${line}  [${hits.map(([name, hit]) => `${name}: ${hit}`).join('; ')}]\n    ${paragraph.slice(0, 200)}`,
    );
  console.log([...counts].map(([name, count]) => `${name} ${count}`).join(', '));
  console.log(`${words} words, ${total} hits, ${per1000.toFixed(1)} per 1,000 words`);
}
if (per1000 > max) {
  console.error(`At most ${max} hits per 1,000 words are allowed.`);
  process.exitCode = 1;
}

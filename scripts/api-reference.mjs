// Writes docs/api, the reference of every public export, with TypeDoc from the doc comments. It has a page for each entry
// point, and an index that is grouped by task (scripts/api/groups.mjs).
//   node scripts/api-reference.mjs           writes the pages
//   node scripts/api-reference.mjs --check   fails if they are out of date
//
// Either way, an id of the specification, an export or a member without a comment, a {@link} that leads nowhere, and a type that is shown but not
// exported are errors, and so is an export that no group has.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Application,
  Converter,
  ReflectionKind,
  RendererEvent,
  TSConfigReader,
  TypeDocReader,
} from 'typedoc';
import { createAnchors } from './anchors.mjs';
import { groups } from './api/groups.mjs';
import { order, shape } from './api/shape.mjs';
import { Theme } from './api/theme.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'docs/api');

/** Types that are shown and not exported. Their names are enough for a reader. */
const notExported = {
  '@edict/core': [
    '@edict/core/src/types/register.ts:Types',
    '@edict/core/src/types/register.ts:Collections',
    '@edict/core/src/config/definitions.ts:AllLevels',
    '@edict/core/src/types/configs.ts:BulkFetch',
    '@edict/core/src/types/definitions.ts:LevelsIn',
    '@edict/core/src/types/definitions.ts:ParamsIn',
    '@edict/core/src/types/definitions.ts:RequiredParams',
    '@edict/core/src/types/register.ts:WithDefaultLevel',
    '@edict/core/src/types/register.ts:PartialMerge',
  ],
  '@edict/react': [],
  '@edict/server': [],
  '@edict/next': ['@edict/next/src/sources.ts:SourceOf'],
  '@edict/devtools': [],
};

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function read() {
  const app = await Application.bootstrapWithPlugins(
    { options: join(root, 'scripts/api/typedoc.json'), logLevel: 'Warn' },
    [new TypeDocReader(), new TSConfigReader()],
  );
  app.renderer.defineTheme('edict', Theme);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => shape(project), 1000);
  const project = await app.convert();
  if (project === undefined) throw new Error('The sources could not be read.');
  app.validate(project);
  order(project, groups);
  return { app, project };
}

/** TypeDoc looks for types that are shown and not exported in one package only, that of the project. */
function findUnexported(app, project) {
  const { packageName } = project;
  app.options.setValue('validation', {
    ...app.options.getValue('validation'),
    notDocumented: false,
    notExported: true,
  });
  for (const [name, names] of Object.entries(notExported)) {
    project.packageName = name;
    app.options.setValue('intentionallyNotExported', names);
    app.validate(project);
  }
  project.packageName = packageName;
}

// ── the index ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const textOf = (parts) => parts.map((part) => part.text).join('');

/** The first sentence of a comment, without links. */
function firstSentence(reflection) {
  const comment = reflection.comment ?? reflection.signatures?.[0]?.comment;
  const text = textOf(comment?.summary ?? []).replace(/\s+/g, ' ');
  const end = /[.:](?= [A-Z`]|$)/.exec(text);
  return (end === null ? text : text.slice(0, end.index)).replaceAll('|', '\\|');
}

/** Entry → name of export → reflection. Re-exports count where they come from. */
const exportsOf = (project) =>
  new Map(
    project.children.map((entry) => [
      entry.name,
      new Map(
        entry.children.filter((one) => !one.kindOf(ReflectionKind.Reference)).map((one) => [one.name, one]),
      ),
    ]),
  );

/** @param urlOf where TypeDoc has put a reflection, from docs/api */
function indexPage(project, urlOf) {
  const problems = [];
  const all = exportsOf(project);
  const left = new Set(
    [...all].flatMap(([entry, members]) => [...members.keys()].map((name) => `${entry} ${name}`)),
  );
  const sections = groups.map(({ title, text, guide, exports }) => {
    const rows = Object.entries(exports).flatMap(([entry, names]) =>
      names.map((name) => {
        const reflection = all.get(entry)?.get(name);
        if (!left.delete(`${entry} ${name}`)) problems.push(`${entry} has no ${name}, or two groups have it`);
        return reflection === undefined
          ? ''
          : `| [\`${name}\`](${urlOf(reflection)}) | \`${entry}\` | ${firstSentence(reflection)} |`;
      }),
    );
    const more = guide === undefined ? '' : ` Guide: ${guide}.`;
    return [
      `## ${title}`,
      `${text}${more}`,
      ['| export | from | description |', '| --- | --- | --- |', ...rows].join('\n'),
    ].join('\n\n');
  });
  for (const one of left) problems.push(`${one} is in no group of scripts/api/groups.mjs`);
  const entries = project.children.map(
    (entry) =>
      `| [\`${entry.name}\`](${urlOf(entry)}) | ${textOf(entry.comment?.summary ?? []).replace(/\s+/g, ' ')} |`,
  );
  const page = [
    '# API reference',
    'Every public export, grouped by task. New here? Begin with [Quick start](../start/quick-start.md) and [Mental model](../start/mental-model.md).',
    '[TypeDoc](https://typedoc.org) writes these pages from the comments in the sources (`npm run docs:api`).',
    '## Entry points',
    ['| entry point | contents |', '| --- | --- |', ...entries].join('\n'),
    ...sections,
  ].join('\n\n');
  return { page: `${page}\n`, problems };
}

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Path → text of each page below a folder. */
function pagesIn(folder) {
  const pages = new Map();
  let names = [];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  for (const name of names)
    if (name.endsWith('.md'))
      pages.set(name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8').replace(/ +$/gm, ''));
  return pages;
}

/**
 * TypeDoc counts equal headings in another way than GitHub, and writes its own anchors before them. They are replaced by those of GitHub,
 * also in links.
 */
function takeGitHubAnchors(pages) {
  const moved = new Map();
  for (const [name, text] of pages) {
    const anchors = createAnchors();
    const lines = [];
    let isCode = false;
    let before = null;
    for (const line of text.split('\n')) {
      if (line.startsWith('```')) isCode = !isCode;
      const mark = /^<a id="([^"]+)"><\/a>$/.exec(line);
      if (!isCode && mark !== null) {
        before = mark[1];
        continue;
      }
      const heading = isCode ? null : /^#{1,6} (.*)$/.exec(line);
      if (heading !== null) {
        const anchor = anchors.next(heading[1]);
        if (before !== null) moved.set(`${name}#${before}`, anchor);
        before = null;
      }
      if (line !== '' || lines.at(-1) !== '') lines.push(line);
    }
    pages.set(name, lines.join('\n'));
  }
  for (const [name, text] of pages) {
    const follow = (whole, path, anchor) => {
      const target = path === '' ? name : posix.join(posix.dirname(name), path);
      return `](${path}#${moved.get(`${target}#${anchor}`) ?? anchor})`;
    };
    pages.set(name, text.replace(/\]\(([^()#\s]*)#([^()\s]+)\)/g, follow));
  }
}

const { app, project } = await read();

const folder = mkdtempSync(join(tmpdir(), 'edict-api-'));
let pages;
let index = null;
try {
  app.options.setValue('out', folder);
  // The place of each reflection is known only while pages are written.
  app.renderer.on(RendererEvent.END, () => {
    index = indexPage(project, (reflection) => app.renderer.router.getFullUrl(reflection));
  });
  await app.generateOutputs(project);
  pages = pagesIn(folder);
} finally {
  rmSync(folder, { recursive: true });
}
const { page, problems } = index;
pages.set('README.md', page);
takeGitHubAnchors(pages);
for (const [name, text] of pages)
  for (const [id] of text.matchAll(/\bD-[A-Z]+-\d+|§\d[\d.]*/g))
    problems.push(`docs/api/${name} contains ${id}: say what it means`);
findUnexported(app, project);
for (const problem of problems) console.error(problem);
let isWrong = problems.length > 0 || app.logger.hasErrors() || app.logger.hasWarnings();

if (process.argv.includes('--check')) {
  const written = pagesIn(target);
  for (const name of new Set([...pages.keys(), ...written.keys()])) {
    if (pages.get(name) === written.get(name)) continue;
    console.error(`docs/api/${name} is not what the doc comments say: run npm run docs:api`);
    isWrong = true;
  }
} else {
  rmSync(target, { recursive: true, force: true });
  for (const [name, text] of pages) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), text);
  }
}
console.log(
  `${pages.size} pages, ${app.logger.warningCount + app.logger.errorCount + problems.length} problems`,
);
process.exit(isWrong ? 1 : 0);

// Proves that the properties notice broken rules. It breaks one rule after the other in a copy of the core, and fails if
// the properties pass.
//   node scripts/teeth.mjs [name…]      all rules, or those whose name begins with one of these
//   node scripts/teeth.mjs --fit        only whether each patch fits
//
// It also fails if a patch no longer fits the source. Then adapt the patch.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const runs = process.env.FC_RUNS ?? '1200';

/** The rules to break: the clause, in words, and edits. An edit is a text that the core contains exactly once, and its replacement. */
const breaks = [
  {
    name: 'follow-up',
    says: 'D-FETCH-2: a directive that meets a request in flight is satisfied by it',
    edits: [['flight.order > Math.max(staleOrder, answeredOrder) &&', 'flight.order > answeredOrder &&']],
  },
  {
    name: 'fresh',
    says: 'D-DIR-5: an answer that was requested before the directive makes the entry fresh',
    edits: [['slot.fetchedAt === null || isMarked(slot)', 'slot.fetchedAt === null']],
  },
  {
    name: 'first-load',
    says: 'D-LEVEL-4: a level is held only once its payload has arrived',
    edits: [
      [
        'if (level === null) return entry.slots;',
        'if (level === null) return entry.slots.filter((slot) => slot.fetchedAt !== null);',
      ],
    ],
  },
  {
    name: 'latest-wins',
    says: 'D-FETCH-3: an older answer replaces a newer one',
    edits: [['if (order < slot.answeredOrder) return false;', '']],
  },
  {
    name: 'outdated',
    says: 'D-DIR-9: an inline result is applied although a later one was seen',
    edits: [['seq !== null && seq < stateOf(audience).highestSeq', 'false']],
  },
  {
    name: 'check',
    says: 'D-LEVEL-3: what a payload lacks counts as fetched all the same',
    edits: [['suffices(def, level, shared) && ', '']],
  },
  {
    name: 'uncovered',
    says: 'D-DIR-8: held levels that an inline result does not cover are left alone',
    edits: [
      [
        'return { wanted, covered, order };',
        'return { wanted: covered.length > 0 ? [] : wanted, covered, order };',
      ],
    ],
  },
  {
    name: 'contains',
    says: 'D-PARAM-3: contains matches equal params only',
    edits: [
      [
        'paramsFilter(directive.params)',
        '(own) => directive.params === null || JSON.stringify(own.params) === JSON.stringify(directive.params)',
      ],
    ],
  },
  {
    name: 'gap',
    says: 'D-SSE-6: a jump in the numbers is not noticed',
    edits: [["seq === lastSeq + 1 ? null : 'gap'", 'null']],
  },
  {
    name: 'position',
    says: 'D-SSE-7: a heartbeat that is ahead is not noticed',
    edits: [["seq === lastSeq ? null : 'position'", 'null']],
  },
  {
    name: 'replay-miss',
    says: 'D-SSE-7: a greeting that could not recover is not noticed',
    edits: [['isReplayMiss || isLate ?', 'isLate ?']],
  },
  {
    name: 'since',
    says: 'D-SSE-8: the hub is not told since when to replay',
    edits: [['String(Math.ceil(ageMs))', "'0'"]],
  },
  {
    name: 'silence',
    says: 'D-SSE-5: a connection that fell silent is believed to live',
    edits: [['let silenceMs = Math.max(2.5 * interval, shortestSilenceMs);', 'let silenceMs = Infinity;']],
  },
  {
    name: 'lost-answer',
    says: 'D-SRC-4: own echoes are ignored although the answer was lost',
    edits: [['appliedUntil = env.now() + graceMs;\n          isLostSinceConnection = true;', '']],
  },
  {
    name: 'resync',
    says: 'D-SSE-9: a resync refetches nothing',
    edits: [['fetching.begin(watchedSlots(), refetch);', '']],
  },
  {
    name: 'evict-watched',
    says: 'D-MEM-1: watched entries are evicted',
    edits: [['if (isWatched(entry) || entry', 'if (entry']],
  },
  {
    name: 'window',
    says: 'D-DIR-5: directives do not wait for each other',
    edits: [
      [
        'windowOf(() => settings().bulk.delayMs + env.random() * settings().bulk.jitterMs)',
        'windowOf(() => 0)',
      ],
    ],
  },
  {
    name: 'cover',
    says: 'D-LEVEL-5: levels are fetched although others convert to them',
    edits: [['needed.has(other) && replaces(entry.def.graph, other.level, level)', 'false']],
  },
  {
    name: 'join',
    says: 'D-FETCH-1: a read that meets a request in flight asks for another',
    edits: [['if (wanted === null && !isTooOld) return;', '']],
  },
];

/** A copy of the core in which `@edict/core` is the copy. */
function copyCore() {
  const copy = mkdtempSync(join(tmpdir(), 'edict-teeth-'));
  for (const name of ['package.json', 'vitest.config.ts', 'tsconfig.base.json', 'scripts/chromium.ts']) {
    cpSync(join(root, name), join(copy, name));
  }
  cpSync(join(root, 'core'), join(copy, 'core'), {
    recursive: true,
    filter: (path) => !/[\\/](dist|node_modules)$/.test(path),
  });
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@edict'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // Vite keeps its caches there, which are not shared.
    if (name !== '@edict' && !/^\.(?!bin)/.test(name))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  symlinkSync(join(copy, 'core'), join(modules, '@edict', 'core'));
  return copy;
}

/** The files of the core that contain this text, each as often as it does. */
function placesOf(copy, text) {
  const src = join(copy, 'core/src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('testing'))
    .flatMap((name) => {
      const path = join(src, name);
      return Array.from({ length: readFileSync(path, 'utf8').split(text).length - 1 }, () => path);
    });
}

function runProperties(copy) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(copy, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'node',
      '--bail',
      '1',
      '--testTimeout',
      '600000',
      'core/test/properties',
    ],
    {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, FC_RUNS: runs, FC_SHRINK: '0', CI: '1', NO_COLOR: '1' },
    },
  );
  return { isGreen: status === 0, output: `${stdout}\n${stderr}` };
}

/** The first text of a patch that the core does not contain exactly once. */
const misfitOf = (folder, { edits }) => edits.find(([from]) => placesOf(folder, from).length !== 1)?.[0];

if (process.argv.includes('--fit')) {
  const misfits = breaks.flatMap((rule) => {
    const text = misfitOf(root, rule);
    return text === undefined ? [] : [`${rule.name}: the patch no longer fits: ${text}`];
  });
  for (const line of misfits) console.error(line);
  process.exit(misfits.length === 0 ? 0 : 1);
}

const wanted = process.argv.slice(2);
const chosen = breaks.filter(
  ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);
const copy = copyCore();
let toothless = 0;
try {
  const whole = runProperties(copy);
  if (!whole.isGreen) {
    console.error(whole.output);
    throw new Error('the properties are not green before anything is broken');
  }
  console.log(`unbroken: green (${runs} schedules a property)`);
  for (const rule of chosen) {
    const { name, says, edits } = rule;
    const misfit = misfitOf(copy, rule);
    if (misfit !== undefined) {
      toothless += 1;
      console.log(`${name}: the patch no longer fits: ${misfit}`);
      continue;
    }
    const places = edits.map(([from]) => placesOf(copy, from));
    const sources = new Map(places.flat().map((path) => [path, readFileSync(path, 'utf8')]));
    for (const [index, [from, to]] of edits.entries()) {
      const [path] = places[index];
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(from, () => to),
      );
    }
    const { isGreen, output } = runProperties(copy);
    for (const [path, source] of sources) writeFileSync(path, source);
    const failed = [...output.matchAll(/Property failed after (\d+) tests/g)].map(([, count]) => count);
    const where = [
      ...new Set([...output.matchAll(/FAIL .*?(core\/test\/properties\/[\w-]+)/g)].map(([, test]) => test)),
    ];
    if (isGreen) toothless += 1;
    const by = where.map((test) => test.replace('core/test/properties/', '')).join(', ');
    console.log(
      `${name}: ${isGreen ? 'NOT CAUGHT' : `caught by ${by}${failed[0] ? ` after ${failed[0]} schedules` : ''}`} (${says})`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
if (toothless > 0) {
  console.error(`${toothless} of ${chosen.length} broken rules were not caught`);
  process.exitCode = 1;
}

// Serves one page for each library, opens the pages in a real Chromium, and runs their rounds in turns.
//
//   --counts                       runs one round, and checks only the counts, which do not depend on the machine
//   --only=edict,swr --rounds=30   compares some libraries in more rounds; with `--only`, no report is saved

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, setPriority } from 'node:os';
import { json } from 'node:stream/consumers';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright';
import { chromium } from 'playwright';
import { chromiumOptions } from '../../../scripts/chromium.ts';
import { machine } from '../report/machine.ts';
import { against, spread, type Against } from '../report/paired.ts';
import { median, publish, ratio, table, verdict } from '../report/tables.ts';
import type { Figures, Time } from './driver.tsx';
import type { Item } from './screen.ts';

const root = process.env['BENCH_ROOT'] ?? '.';
const libraries = {
  edict: { title: 'Edict', role: 'us' },
  tanstack: { title: 'TanStack Query', role: 'peer' },
  swr: { title: 'SWR', role: 'peer' },
  rtk: { title: 'RTK Query', role: 'peer' },
  zustand: { title: 'Zustand', role: 'reference' },
  floor: { title: 'by hand', role: 'reference' },
} as const;
type Key = keyof typeof libraries;
const keys = Object.keys(libraries) as Key[]; // The keys of the table above.

interface Row {
  readonly title: string;
  readonly time: Time;
  /** The highest allowed ratio to the time of the best peer, with 5,000 rows. */
  readonly ratio?: number;
  /** The highest allowed median in milliseconds. */
  readonly mostMs?: number;
  readonly counts?: (figures: Figures) => string;
  /** Whether the counts are right, which must be so on every machine. */
  readonly holds?: (figures: Figures) => boolean;
  readonly wanted?: string;
}

/** The size at which the ratios have targets. */
const judgedRows = 5000;

const rows: readonly Row[] = [
  {
    title: 'mount',
    time: 'mount',
    ratio: 0.32,
  },
  {
    title: 'parent renders without a change',
    time: 'rerender',
  },
  {
    title: 'one item written, until committed',
    time: 'write',
    ratio: 0.8,
    counts: ({ writeRendered }) => `${writeRendered} rendered`,
    holds: ({ writeRendered }) => writeRendered === 1,
    wanted: '1 rendered',
  },
  {
    title: '1,000 items changed in a burst',
    time: 'burst',
    ratio: 0.32,
    counts: ({ burstCommits, burstRendered }) => `${burstCommits} commits, ${burstRendered} rendered`,
    holds: ({ burstCommits, burstRendered }) => burstCommits === 1 && burstRendered === 1000,
    wanted: '1 commit, 1000 rendered',
  },
  {
    title: 'own mutation, from the call until committed',
    time: 'mutation',
    counts: ({ mutationRequests }) => `${mutationRequests} req`,
    holds: ({ mutationRequests }) => mutationRequests === 1,
    wanted: '1 req',
  },
  {
    title: 'own mutation, from the response of the refetch until committed',
    time: 'response',
    mostMs: 5,
  },
  {
    title: 'unmount',
    time: 'unmount',
    ratio: 0.6,
    counts: ({ listenersLeft }) => `${listenersLeft} left`,
    holds: ({ listenersLeft }) => listenersLeft === 0,
    wanted: '0 left',
  },
];

async function bundle(key: Key): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createScreen } from './adapters/${key}.tsx'; import { start } from './driver.tsx'; start(createScreen);`,
      resolveDir: `${root}/src/react`,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2022',
    platform: 'browser',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

/** The page installs a devtools hook, because React calls it at each commit, in production too. */
const page = (
  key: string,
): string => `<!doctype html><meta charset="utf-8"><title>${key}</title><body><script>
window.commits = { count: 0, told: null };
window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
  supportsFiber: true, isDisabled: false, renderers: new Map(),
  inject() { return 1; }, checkDCE() {}, onCommitFiberUnmount() {}, onPostCommitFiberRoot() {}, onScheduleFiberRoot() {}, setStrictMode() {},
  onCommitFiberRoot() { window.commits.count++; if (window.commits.told !== null) window.commits.told(); },
};
</script><script src="/${key}.js"></script>`;

async function serve(scripts: ReadonlyMap<string, string>): Promise<{ port: number; close: () => void }> {
  const tickets = new Map<string, string>();
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    if (url.startsWith('/api/')) {
      if (request.method === 'PUT') void put(url, request, response);
      else response.setHeader('Content-Type', 'application/json').end(tickets.get(url));
      return;
    }
    const path = url.slice(1);
    const script = scripts.get(path.replace(/\.js$/, ''));
    // In an isolated page, the clock has a resolution of 5 µs instead of 100 µs.
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (script === undefined) response.writeHead(404).end();
    else if (path.endsWith('.js')) response.setHeader('Content-Type', 'text/javascript').end(script);
    else response.setHeader('Content-Type', 'text/html').end(page(path));
  });
  async function put(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { item, directives } = (await json(request)) as { item: Item; directives: object[] }; // As `putItem` sends it.
    tickets.set(url, JSON.stringify(item));
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ directives }));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port.
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function launch(): Promise<Browser> {
  return chromium.launch({
    ...chromiumOptions,
    args: [
      ...chromiumOptions.args,
      '--disable-renderer-backgrounding',
      '--disable-background-timer-throttling',
      '--js-flags=--expose-gc',
    ],
  });
}

/**
 * Sets the highest priority for the processes of all pages, if the user is allowed to. Called before each round, because Chromium changes the
 * priorities of its processes.
 */
async function prefer(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  for (const { id, type } of processInfo) {
    if (type !== 'renderer') continue;
    try {
      setPriority(id, constants.priority.PRIORITY_HIGHEST);
    } catch {
      return; // The user is not allowed to set priorities. Other work on the machine then affects the times.
    }
  }
}

const times: readonly Time[] = ['mount', 'rerender', 'write', 'burst', 'mutation', 'response', 'unmount'];

/** Merges two rounds. A count that is wrong in either of them stays wrong. */
function merge(before: Figures, now: Figures): Figures {
  const worse = (was: number, is: number, wanted: number): number => (was === wanted ? is : was);
  return {
    times: Object.fromEntries(
      times.map((time) => [time, [...before.times[time], ...now.times[time]]]),
    ) as Figures['times'], // Every time is in the list.
    writeRendered: worse(before.writeRendered, now.writeRendered, 1),
    burstCommits: worse(before.burstCommits, now.burstCommits, 1),
    burstRendered: worse(before.burstRendered, now.burstRendered, 1000),
    mutationRequests: worse(before.mutationRequests, now.mutationRequests, 1),
    listenersLeft: worse(before.listenersLeft, now.listenersLeft, 0),
    fault: before.fault ?? now.fault,
  };
}

/** The median time of each round. */
const roundsOf = (rounds: readonly Figures[], time: Time): number[] =>
  rounds.map(({ times: taken }) => median(taken[time]));

const milliseconds = (ms: number): string =>
  `${ms >= 100 ? Math.round(ms).toLocaleString('en-US') : ms.toPrecision(2)} ms`;

async function main(): Promise<void> {
  const isCounting = process.argv.includes('--counts');
  const option = (name: string): string | undefined =>
    process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
  const only = option('only')?.split(',');
  const sizes = isCounting ? [1000] : [1000, 5000];
  const rounds = isCounting ? 1 : Number(option('rounds') ?? 15);
  const wanted: readonly Key[] = isCounting
    ? ['edict', 'floor']
    : keys.filter((key) => only === undefined || only.includes(key));
  const scripts = new Map<string, string>();
  for (const key of wanted) scripts.set(key, await bundle(key));
  const { port, close } = await serve(scripts);
  const browser = await launch();
  const results = new Map<string, Figures[]>();
  try {
    const pages = new Map<Key, Page>();
    for (const key of wanted) {
      const opened = await (await browser.newContext()).newPage();
      opened.on('pageerror', (error) => console.error(`${key}: ${error.message}`));
      await opened.goto(`http://127.0.0.1:${port}/${key}`);
      pages.set(key, opened);
    }
    for (const size of sizes) {
      const spent = new Map<Key, number>();
      // Round 0 is a warm-up. The first library changes in each round, so that none is always the first.
      for (let round = isCounting ? 1 : 0; round <= rounds; round++) {
        await prefer(browser);
        for (let place = 0; place < wanted.length; place++) {
          const key = wanted[(round + place) % wanted.length] ?? 'edict';
          const opened = pages.get(key);
          if (opened === undefined) continue;
          const began = performance.now();
          const figures = await opened.evaluate((count) => window.measure(count), size);
          if (round === 0) continue;
          results.set(`${key} ${size}`, [...(results.get(`${key} ${size}`) ?? []), figures]);
          spent.set(key, (spent.get(key) ?? 0) + performance.now() - began);
        }
      }
      for (const [key, ms] of spent)
        console.error(`${size} rows, ${key}: ${Math.round(ms)} ms for its rounds`);
    }
  } finally {
    await browser.close();
    close();
  }
  const all = (key: Key, size: number): readonly Figures[] => results.get(`${key} ${size}`) ?? [];
  const of = (key: Key, size: number): Figures => all(key, size).reduce(merge);
  if (isCounting) {
    const us = of('edict', 1000);
    for (const { title, counts, wanted: expected, holds } of rows) {
      if (counts === undefined || holds === undefined) continue;
      if (!holds(us)) process.exitCode = 1;
      console.log(`${holds(us) ? 'ok  ' : 'FAIL'} ${title}: ${counts(us)} (wanted: ${expected})`);
    }
    if (us.fault !== null) {
      process.exitCode = 1;
      console.log(`FAIL ${us.fault}`);
    }
    return;
  }
  const tables = sizes.map((size) => {
    const lines = rows.map(({ title, time, ratio: wantedRatio, mostMs, counts, holds, wanted: expected }) => {
      const peers = wanted.filter((key) => libraries[key].role === 'peer' && of(key, size).fault === null);
      const beside = (key: Key, other: Key): Against =>
        against(roundsOf(all(key, size), time), roundsOf(all(other, size), time));
      // The peer with the best time relative to Edict.
      const best = peers.reduce((a, b) => (beside('edict', a).middle >= beside('edict', b).middle ? a : b));
      const us = of('edict', size);
      const limit = size === judgedRows ? wantedRatio : undefined;
      const isRight =
        us.fault === null &&
        holds?.(us) !== false &&
        beside('edict', best).middle <= (limit ?? Infinity) &&
        median(us.times[time]) <= (mostMs ?? Infinity);
      const target = [
        limit === undefined ? '' : `<= ${limit}`,
        mostMs === undefined ? '' : `<= ${mostMs} ms`,
        expected ?? '',
      ].filter((part) => part !== '');
      return [
        title,
        ...wanted.map((key) => {
          const figures = of(key, size);
          const text = counts?.(figures) ?? '';
          const taken = figures.times[time];
          return `${milliseconds(Math.min(...taken))} · ${milliseconds(median(taken))}${text === '' ? '' : ` (${text})`}${figures.fault === null ? '' : ` **wrong**: ${figures.fault}`}`;
        }),
        libraries[best].title,
        spread(beside('edict', best)),
        wanted.includes('floor') ? ratio(beside('floor', best).middle) : '–',
        target.join(', '),
        verdict(isRight, target.length > 0 || us.fault !== null),
      ];
    });
    const head = [
      'workload',
      ...wanted.map((key) => libraries[key].title),
      'best peer',
      'Edict / best',
      'by hand / best',
      'target',
      'holds',
    ];
    return `## ${size.toLocaleString('en-US')} rows\n\n${table(head, lines)}`;
  });
  const version = browser.version();
  const report = [
    '# React: a list of rows in a real browser',
    machine(),
    `Chromium ${version}, production builds. ${rounds} rounds of every library after a warm-up, in changing order. Each library has its own page, and garbage is collected before each round. Times are *fastest · median*. A ratio compares two neighboring rounds. The report has the median of the ratios, which is compared with the target, and their range in brackets. Every row calls the library's hook for one item. The items are cached before the list mounts. A mutation is a request to a server on this machine, which responds immediately. Then the library fetches the item again.`,
    ...tables,
  ].join('\n\n');
  if (only === undefined) publish('react', report);
  else console.log(report);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

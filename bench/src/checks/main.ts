// Checks for CI that do not depend on the machine. They cover the correctness of every adapter, the requests and notified watchers of Edict,
// the races, and the storm. They also cover the renders and commits in a browser, and the size of the bundle. A fault of Edict fails the run.
// A fault of another library is only printed.

import { spawnSync } from 'node:child_process';
import type { Member } from '../core/team.ts';
import { createTeam } from '../core/team.ts';
import type { Target } from '../core/workloads.ts';
import { workloads } from '../core/workloads.ts';
import { measuredAt } from '../report/machine.ts';
import { publish, table } from '../report/tables.ts';

/** The least number of visible updates in the storm, and the highest number of requests. */
const storm = { updates: 20, requests: 30 };
/** The number of entries. A smaller cache has the same counts, and needs less time. */
const smaller = 1000;

let failures = 0;

function say(isOk: boolean, isOurs: boolean, text: string): void {
  if (!isOk && isOurs) failures++;
  if (!isOk || isOurs) console.log(`${isOk ? 'ok  ' : isOurs ? 'FAIL' : 'note'} ${text}`);
}

/** The allowed requests. For a fill, they depend on the number of entries. */
const requestsAllowed = (name: string, { requests }: Target, n: number): number =>
  name === 'fill' ? n / 100 : (requests ?? Infinity);

async function checkWorkloads(member: Member): Promise<void> {
  const isOurs = member.role === 'us';
  for (const [name, workload] of Object.entries(workloads)) {
    if (workload.without?.includes(member.key) === true) continue;
    const n = Math.min(workload.n, smaller);
    await member.prepare(name, n);
    for (let i = 0; i < 2; i++) {
      const { requests, told, fault } = await member.round();
      say(
        fault === null,
        isOurs,
        `${member.title}: ${workload.title}: ${fault ?? "shows the server's data"}`,
      );
      if (!isOurs) continue;
      const allowed = requestsAllowed(name, workload.target, n);
      if (allowed !== Infinity)
        say(
          requests <= allowed,
          true,
          `${member.title}: ${workload.title}: ${requests} requests, at most ${allowed}`,
        );
      const { told: wanted } = workload.target;
      if (wanted !== undefined)
        say(
          told === wanted,
          true,
          `${member.title}: ${workload.title}: ${told} notified watchers, exactly ${wanted}`,
        );
    }
  }
  await member.end();
}

async function checkProofs(team: readonly Member[]): Promise<void> {
  const columns: string[][] = [];
  let titles: string[] = [];
  for (const member of team) {
    const proofs = await member.prove();
    titles = proofs.map(({ title }) => title);
    for (const { id, title, fault, figures } of proofs) {
      const isOurs = member.role === 'us';
      say(fault === null, isOurs, `${member.title}: ${title}: ${fault ?? "ends with the server's data"}`);
      const { updates = 0, requests = 0 } = figures;
      if (id === 'storm' && isOurs) {
        say(
          updates >= storm.updates,
          true,
          `${member.title}: ${title}: ${updates} visible updates, at least ${storm.updates}`,
        );
        say(
          requests <= storm.requests,
          true,
          `${member.title}: ${title}: ${requests} requests, at most ${storm.requests}`,
        );
      }
    }
    columns.push(
      proofs.map(({ id, fault, figures }) =>
        id === 'storm'
          ? `${figures['updates']} updates, ${figures['requests']} requests${fault === null ? '' : ', ends wrong'}`
          : fault === null
            ? 'right'
            : '**wrong**',
      ),
    );
  }
  publish(
    'races',
    [
      '# Races, and a storm of directives',
      measuredAt(),
      "The runs use virtual time, so the results are the same on every machine. A case is right if the item shows the server's data after all requests have ended. In the storm, 60 messages for one watched item arrive 50 ms apart, and a response takes 120 ms. Its row has the number of visible updates during the storm and the number of requests.",
      table(
        ['case', ...team.map(({ title }) => title)],
        titles.map((title, at) => [title, ...columns.map((column) => column[at] ?? '')]),
      ),
    ].join('\n\n'),
  );
}

/** Runs another program, which reports a failure by its exit code. */
function checkProgram(title: string, program: string, options: readonly string[]): void {
  const root = process.env['BENCH_ROOT'] ?? '.';
  const { status } = spawnSync(process.execPath, [`${root}/dist/${program}.cjs`, ...options], {
    stdio: 'inherit',
  });
  say(status === 0, true, title);
}

async function main(): Promise<void> {
  const team = createTeam();
  try {
    await checkProofs(team);
    for (const member of team) await checkWorkloads(member);
  } finally {
    for (const { leave } of team) leave();
  }
  checkProgram('the size is within its budget', 'size/main', process.argv.slice(2));
  if (!process.argv.includes('--no-browser'))
    checkProgram('renders, commits and listeners in a browser', 'react/main', ['--counts']);
  console.log(failures === 0 ? '\nAll checks hold.' : `\n${failures} checks do not hold.`);
  process.exitCode = failures === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

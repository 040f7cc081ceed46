// Random sequences of actions, changes by others, and network faults. When all faults have ended,
// every window shows the same as a window that is opened at that time.
//
// A failure prints its seed and the steps. The speed of the pages depends on the machine, so a seed repeats the steps,
// but not always their outcome: CHANCE_SEED=7 CHANCE_RUNS=1 npx playwright test chance

import type { Browser } from '@playwright/test';
import { createChance, type Chance } from '../../server/test/chaos/chance.ts';
import { createProxy, type Proxy } from '../../server/test/chaos/proxy.ts';
import { missingForCluster, startCluster } from './clusterServer.ts';
import { startDesk } from './deskServer.ts';
import { expect, isLive, sitDown, test, type Seat, type Who } from './fixtures.ts';
import { act, deeds, type Doing } from './support/deeds.ts';
import { nextFrame } from './support/frames.ts';
import { shown } from './support/shown.ts';

const firstSeed = Number(process.env['CHANCE_SEED'] ?? 1);
const runs = Number(process.env['CHANCE_RUNS'] ?? 1);
const steps = 60;
/** A pause between two steps lasts until a page was drawn this often, at most. */
const mostFrames = 8;
/** A small number, so that people change the same tickets. */
const ticketsSeeded = 40;
const desk = { SEED_TICKETS: String(ticketsSeeded) };

/** A request that failed several times is retried within half a minute. */
const longestRetryMs = 35_000;

/** A user with a window and a network of their own. */
interface Person {
  readonly who: Who;
  /** The address of the desk that bypasses the user's network. */
  readonly url: string;
  readonly seat: Seat;
  readonly network: Proxy;
}

const addresses = [
  '/',
  '/tickets',
  '/tickets?status=open&size=10',
  '/tickets?assignee=me',
  '/tickets?sort=priority',
];

async function arrive(browser: Browser, url: string, who: Who, address: string): Promise<Person> {
  const network = await createProxy(Number(new URL(url).port));
  const context = await browser.newContext({ baseURL: `http://127.0.0.1:${network.port}` });
  return { who, url, network, seat: await sitDown(context, who, address) };
}

/** Drops the next message of the page's stream. Every request for the stream contains the client id. */
async function loseTheNextMessage({ seat, url }: Person): Promise<void> {
  const clientId = await seat.page.evaluate(
    () =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).searchParams.get('client_id'))
        .findLast((id) => id !== null) ?? '',
  );
  await seat.api.post(`${url}/api/weather`, { data: { clientId, drop: 1 } });
}

/** The faults of a network. They last until `calm`. */
const troubles: Readonly<Record<string, (person: Person) => Promise<void> | void>> = {
  cut: ({ network }) => network.cut(),
  refused: ({ network }) => network.refuse(true),
  stalled: ({ network }) => network.stall(true),
  slow: ({ network }) => network.delay(300),
  offline: ({ seat }) => seat.context.setOffline(true),
};

async function calm({ network, seat }: Person): Promise<void> {
  network.refuse(false);
  network.stall(false);
  network.delay(0);
  await seat.context.setOffline(false);
}

const doing = async ({ seat }: Person, what: Doing): Promise<string> => await seat.page.evaluate(act, what);

/** The user changes a ticket outside of their window. */
async function changeElsewhere({ seat, url }: Person, chance: Chance): Promise<string> {
  const id = 1 + chance.below(ticketsSeeded);
  const data = chance.pick<Record<string, unknown>>([
    { status: chance.pick(['open', 'pending', 'solved', 'closed']) },
    { assigneeId: chance.pick([null, 1, 2, 3]) },
    { priority: chance.pick(['low', 'urgent']) },
    { subject: `Changed to ${chance.below(1000)}` },
    { teamId: chance.pick([1, 2, 3]), visibility: 'everyone' },
    { visibility: 'team' },
  ]);
  const answer = await seat.api.patch(`${url}/api/tickets/${id}`, { data });
  return `${id} ${JSON.stringify(data)}: ${answer.status()}`;
}

async function step(people: readonly Person[], chance: Chance): Promise<string> {
  const person = chance.pick(people);
  const { who, seat } = person;
  const dice = chance.next();
  if (dice < 0.62) {
    const deed = chance.pick(deeds);
    return `${who}: ${deed}: ${await doing(person, { deed, dice: [chance.next(), chance.next()] })}`;
  }
  if (dice < 0.8) return `${who} elsewhere: ${await changeElsewhere(person, chance)}`;
  if (dice < 0.88) {
    const trouble = chance.pick(Object.keys(troubles));
    await troubles[trouble]?.(person);
    return `${who} is ${trouble}`;
  }
  await calm(person);
  if (dice < 0.95) return `${who} is calm`;
  if (dice < 0.97) {
    await seat.api.post(`${person.url}/api/weather/restart-hub`);
    return 'the hub is restarted';
  }
  if (dice < 0.985) {
    await loseTheNextMessage(person);
    return `${who} loses the next message`;
  }
  await seat.page.reload();
  return `${who} reloads`;
}

/** Ends the faults and all edits, and opens the bell. The event reconnects a stream that waits for up to half a minute. */
async function comeToRest(person: Person): Promise<void> {
  await calm(person);
  await person.seat.page.evaluate(() => dispatchEvent(new Event('online')));
  await isLive(person.seat.page);
  for (const deed of ['leave the edit', 'close the bell', 'open the bell'] as const)
    await doing(person, { deed, dice: [0, 0] });
}

async function isAsIfOpenedNow(browser: Browser, { who, seat, url }: Person): Promise<void> {
  const { pathname, search } = new URL(seat.page.url());
  const context = await browser.newContext({ baseURL: url });
  try {
    const fresh = await sitDown(context, who, pathname + search);
    await fresh.page.evaluate(act, { deed: 'open the bell', dice: [0, 0] } as const);
    await expect(async () => {
      expect(await seat.page.evaluate(shown)).toEqual(await fresh.page.evaluate(shown));
    }).toPass({ timeout: longestRetryMs });
  } finally {
    await context.close();
  }
}

/** Plays random steps. With several addresses, each user has another one. */
async function play(browser: Browser, urls: readonly string[], seed: number): Promise<void> {
  const chance = createChance(seed);
  const played: string[] = [];
  const people: Person[] = [];
  try {
    for (const [at, who] of (['mara', chance.pick<Who>(['jonas', 'priya', 'dele'])] as const).entries())
      people.push(await arrive(browser, urls[at % urls.length] ?? '', who, chance.pick(addresses)));
    for (let at = 0; at < steps; at += 1) {
      played.push(await step(people, chance));
      const { page } = chance.pick(people).seat;
      for (let left = chance.below(mostFrames); left > 0; left -= 1) await nextFrame(page);
    }
    for (const person of people) await comeToRest(person);
    for (const person of people) await isAsIfOpenedNow(browser, person);
  } catch (error) {
    throw new Error([`with CHANCE_SEED=${seed}:`, ...played].join('\n'), { cause: error });
  } finally {
    for (const { seat, network } of people) {
      await seat.context.close();
      await network.close();
    }
  }
}

for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
  test(`after any actions and network faults, a window shows the same as a newly opened one (${seed})`, async ({
    browser,
  }) => {
    test.setTimeout(180_000);
    const { url, stop } = await startDesk(desk);
    try {
      await play(browser, [url], seed);
    } finally {
      await stop();
    }
  });

  test(`after any actions and faults with one process per user, a window shows the same as a newly opened one (${seed})`, async ({
    browser,
  }) => {
    test.skip(missingForCluster.length > 0, `Missing: ${missingForCluster.join(', ')}.`);
    test.setTimeout(180_000);
    const { processes, stop } = await startCluster(desk);
    try {
      await play(
        browser,
        processes.map(({ url }) => url),
        seed,
      );
    } finally {
      await stop();
    }
  });
}

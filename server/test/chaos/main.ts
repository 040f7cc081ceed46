// The long form plays random faults for some minutes: `npm run chaos -- --minutes 10 --seed 7`

import { parseArgs } from 'node:util';
import { faults, slowFaults } from './faults.ts';
import { openScene } from './scene.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
const seed = Number(values.seed);
const until = Date.now() + Number(values.minutes) * 60_000;
const deadlineMs = 30_000;
const all = [...faults, ...slowFaults];

const scene = await openScene(seed);
console.log(`seed ${seed}, ${values.minutes} minutes`);
let rounds = 0;
let playing = 'nothing';
try {
  while (Date.now() < until) {
    const fault = scene.chance.pick(all);
    playing = fault.name;
    const begun = performance.now();
    await scene.writes(1 + scene.chance.below(30));
    await fault.play(scene);
    // Sometimes the next fault begins before the clients have caught up.
    if (scene.chance.next() < 0.3) continue;
    await scene.writes(1 + scene.chance.below(30));
    await scene.calm(deadlineMs);
    rounds += 1;
    console.log(`${String(rounds).padStart(4)}  ${Math.round(performance.now() - begun)} ms  ${fault.name}`);
  }
  playing = 'the end';
  await scene.calm(deadlineMs);
  console.log(`All clients equal the truth after ${rounds} rounds.`);
} catch (error) {
  console.error(`Not equal after: ${playing}`, error);
  process.exitCode = 1;
} finally {
  console.table(await scene.report().catch((error: unknown) => ({ error: String(error) })));
  await scene.close();
}

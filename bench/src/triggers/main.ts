// Measures the triggers of table watching.

import { machine } from '../report/machine.ts';
import { against, spread } from '../report/paired.ts';
import { duration, median, publish, table } from '../report/tables.ts';
import { measureStatements, rowCount, statements } from './statements.ts';

const ms = (value: number): string => duration(value * 1e6);

async function main(): Promise<void> {
  const { version, times } = await measureStatements();
  const rows = statements.map(({ title }, at) => {
    const { plain = [], watched = [] } = times[at] ?? {};
    return [title, ms(median(plain)), ms(median(watched)), spread(against(watched, plain))];
  });
  publish(
    'triggers',
    [
      '# Triggers: statements on a watched table',
      machine(['postgres']),
      `PostgreSQL ${version.split(' ')[0]}, without \`fsync\`. Both tables have ${rowCount.toLocaleString('en-US')} rows in ten audiences. Each statement is a transaction, and its time includes the round trip and the commit. The tables take turns. A time is the median of the rounds, and a ratio is the median of the ratios of neighboring rounds. The brackets contain the lowest and the highest ratio.`,
      table(['statement', 'without triggers', 'with triggers', 'ratio'], rows),
    ].join('\n\n'),
  );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

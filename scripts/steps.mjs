/**
 * Runs steps side by side, and prints their output one step after the other, in the order of the steps. The output of the first
 * step that has not ended is printed while it runs. The output of the steps after it waits.
 *
 * @param steps each `{ name, after? }`. A step starts when the steps named in `after` have ended.
 * @param run `(step, print)` runs one step and resolves to its result. It must not reject.
 * @param lanes how many steps run at a time
 * @returns the results in the order of the steps
 */
export async function inTurn(steps, run, lanes) {
  const names = new Set(steps.map(({ name }) => name));
  const waiting = [...steps];
  const ended = new Set();
  const outputs = steps.map(() => []);
  const results = steps.map(() => undefined);
  let running = 0;
  let printed = 0;

  const print = (at, chunk) => {
    if (at === printed) process.stdout.write(chunk);
    else outputs[at].push(chunk);
  };
  const flush = () => {
    for (; printed < steps.length; printed += 1) {
      for (const chunk of outputs[printed].splice(0)) process.stdout.write(chunk);
      if (results[printed] === undefined) return;
    }
  };
  // A step that is left out on the command line delays no other step.
  const isReady = ({ after = [] }) => after.every((name) => ended.has(name) || !names.has(name));

  await new Promise((done) => {
    const advance = () => {
      if (ended.size === steps.length) return done();
      while (running < lanes) {
        const index = waiting.findIndex(isReady);
        if (index === -1) return;
        const [step] = waiting.splice(index, 1);
        const at = steps.indexOf(step);
        running += 1;
        void run(step, (chunk) => print(at, chunk)).then((result) => {
          results[at] = result;
          ended.add(step.name);
          running -= 1;
          flush();
          advance();
        });
      }
    };
    advance();
  });
  return results;
}

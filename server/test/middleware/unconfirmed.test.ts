import { describe, expect, it } from 'vitest';
import type { DirectiveInput, Hub } from '../../src/index.ts';
import { createUnconfirmed } from '../../src/middleware/unconfirmed.ts';
import { simulate } from '../support/simulated.ts';
import { createWorld } from '../support/world.ts';
import { ticket } from './requests.ts';

function setup() {
  const world = createWorld();
  const { hub } = simulate({}, world);
  const emitted: unknown[] = [];
  const lines: string[] = [];
  let fault: Error | null = null;
  const counting: Hub = {
    ...hub,
    async emit(list: readonly DirectiveInput[]) {
      emitted.push(...list.map((directive) => 'id' in directive && directive.id));
      if (fault !== null) throw fault;
      return [];
    },
  };
  const emitAgain = createUnconfirmed(counting, world, (_level, message) => void lines.push(message));
  const add = (id: number): void => emitAgain({ list: [ticket(id)], options: {} });
  return { world, hub, add, lines, fail: (error: Error | null) => void (fault = error), emitted };
}

describe('lists that were not confirmed', () => {
  it('D-HUB-12 are emitted again after 0.5, 1, 2, 4, 8, and then every 10 s, until the first one is confirmed', async () => {
    const { world, add, fail, emitted } = setup();
    fail(new Error('not confirmed'));
    add(1);
    add(2);
    let at = 0;
    for (const delayMs of [500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
      await world.advance(delayMs - 1);
      expect(emitted).toHaveLength(at);
      await world.advance(1);
      expect(emitted).toHaveLength(++at);
    }
    fail(null);
    await world.advance(10_000);
    expect(emitted.slice(at)).toEqual([1, 2]);
    await world.advance(60_000);
    expect(emitted).toHaveLength(at + 2);
    add(3);
    await world.advance(500);
    expect(emitted.at(-1)).toBe(3);
  });

  it('do not wait behind a list that the hub refuses', async () => {
    const { world, add, fail, emitted } = setup();
    fail(new TypeError('above a limit'));
    add(1);
    add(2);
    await world.advance(500);
    expect(emitted).toEqual([1, 2]);
    await world.advance(60_000);
    expect(emitted).toHaveLength(2);
  });

  it('D-HUB-12 are dropped when the hub is closed', async () => {
    const { world, hub, add, fail, emitted } = setup();
    fail(new Error('not confirmed'));
    add(1);
    await hub.close();
    await world.advance(60_000);
    expect(emitted).toEqual([1]);
    expect(world.timers()).toBe(0);
  });

  it('are at most 10,000, and the log says so', () => {
    const { add, lines } = setup();
    for (let id = 0; id < 10_000; id += 1) add(id);
    expect(lines).toEqual([]);
    add(10_000);
    expect(lines).toEqual([expect.stringContaining('10000 lists')]);
  });
});

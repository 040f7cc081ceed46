// The convergence tests of the adapters: a cache behind one client, a good or a bad network, and 80 random steps.

import { createDataLayer, type DataLayer } from '@edict/core';
import { createSimulation, type Simulation } from '@edict/core/testing';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { parameters } from '../properties/runs.ts';

export interface Scene {
  sim: Simulation;
  dl: DataLayer;
  /** Returns a random whole number below this one. */
  draw: (below: number) => number;
  /** Whether the steps are over. From then on no request fails. */
  isCalm: () => boolean;
  /** Reads what is true at one time between a request and its response. Some requests fail. */
  respond: <T>(read: () => T) => Promise<T>;
  /** Emits these directives as a change of another client. */
  emit: (directives: readonly object[]) => void;
  /** Plays the steps. `act` is the action of the user of the cache. */
  play: (act: () => void) => Promise<void>;
  /** Ends the faults and waits for reconnects, heartbeats, a resync, and its requests. */
  heal: () => Promise<void>;
}

/** `write` changes a record of the server and returns the possible lists of directives for the change. */
export function createScene(seed: number, write: () => readonly (readonly object[])[]): Scene {
  const sim = createSimulation({ seed });
  // The caches note the time of a response by the platform's clock.
  vi.spyOn(Date, 'now').mockImplementation(() => sim.now());
  const draw = (below: number): number => Math.floor(sim.random() * below);
  sim.link.delay([1, 120]);
  // On a good network no fault of the adapter hides behind a resync.
  const isBad = seed % 2 === 0;
  if (isBad) sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
  const dl = createDataLayer({ env: sim.env });
  let isCalm = false;

  const emit = (directives: readonly object[], source: string | null = null): object[] =>
    sim.hub.emit(directives as never, { source }); // Directives of every shape.
  function change(source?: string | null): object[] {
    const ways = write();
    return emit(ways[draw(ways.length)] ?? [], source);
  }
  sim.route('POST /change', ({ clientId }) => ({ directives: change(clientId) }));
  function changeOwn(): void {
    if (sim.random() < 0.2) sim.link.loseAnswers();
    dl.fetch('/change', { method: 'POST' }).catch(() => undefined);
  }

  return {
    sim,
    dl,
    draw,
    isCalm: () => isCalm,
    async respond(read) {
      await sim.sleep(draw(40));
      const value = read();
      await sim.sleep(draw(150));
      if (!isCalm && sim.random() < 0.05) throw new Error('unlucky');
      return value;
    },
    emit,
    async play(act) {
      for (let step = 0; step < 80; step++) {
        if (step === 3) dl.init();
        const chance = sim.random();
        if (chance < 0.4) act();
        else if (chance < 0.55) changeOwn();
        else if (chance < 0.92 || !isBad) change();
        else if (chance < 0.96) {
          sim.link.cut();
          await sim.advance(draw(4000));
          sim.link.restore();
        } else sim.hub.restart();
        await sim.advance(draw(120));
      }
    },
    async heal() {
      isCalm = true;
      sim.link.rates({});
      await sim.advance(isBad ? 120_000 : 2000);
    },
  };
}

/** The test of an adapter. `play` returns what is wrong after the run of this seed. */
export function endsWithTheTruth(play: (seed: number) => Promise<string[]>): void {
  it('ends with the data of the server over a good and a bad network', { timeout: 600_000 }, async () => {
    const property = fc.asyncProperty(fc.nat(2 ** 31), async (seed) => {
      expect(await play(seed)).toEqual([]);
    });
    await fc.assert(
      property.afterEach(() => void vi.restoreAllMocks()),
      parameters(80),
    );
  });
}

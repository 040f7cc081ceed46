// The custom cache behind `connectCache` from docs/help/migrating.md never keeps data that the server declared stale.

import { createDataLayer } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createPages, keepCurrent } from '../recipes/ownCache.ts';

const paths = ['/tickets/1', '/tickets/2', '/tickets/3', '/tickets', '/tickets?team=a'];

it.each(Array.from({ length: 40 }, (_, index) => index + 1))(
  'ends with the truth, and keeps nothing else: run %i',
  async (seed) => {
    const sim = createSimulation({ seed });
    const draw = (below: number): number => Math.floor(sim.random() * below);
    sim.link.delay([1, 120]);
    if (seed % 2 === 0) sim.link.rates({ drop: 0.15, duplicate: 0.1, reorder: 0.1 });
    const dl = createDataLayer({ env: sim.env });
    const truth = new Map(paths.map((path) => [path, 0]));
    const pages = createPages(async (path) => {
      await sim.sleep(draw(40));
      const value = truth.get(path);
      await sim.sleep(draw(150));
      if (sim.random() < 0.05) throw new Error('unlucky');
      return value;
    });
    onTestFinished(keepCurrent(dl, pages, { env: sim.env }));
    onTestFinished(() => dl.dispose());

    function change(): void {
      const path = paths[draw(3)] ?? '';
      for (const one of [path, '/tickets', '/tickets?team=a']) truth.set(one, (truth.get(one) ?? 0) + 1);
      const id = Number(path.split('/').pop());
      sim.hub.emit([
        { op: 'refresh_item', name: 'ticket', id },
        { op: 'refresh_collection', name: 'tickets' },
      ]);
    }
    for (let step = 0; step < 80; step++) {
      if (step === 3) dl.init();
      if (draw(2) === 0) change();
      else void pages.get(paths[draw(paths.length)] ?? '').catch(() => undefined);
      await sim.advance(draw(120));
    }
    sim.link.rates({});
    await sim.advance(120_000); // Heartbeats and a resync.
    for (const path of paths) {
      const got = pages.get(path).catch(() => truth.get(path));
      await sim.advance(1000);
      expect([path, await got]).toEqual([path, truth.get(path)]);
    }
  },
);

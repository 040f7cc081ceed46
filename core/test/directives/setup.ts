// Steps and clients that the tests of directives share.

import type { SseOptions } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { envelope, refreshItem } from '../directives.ts';
import type { Stage } from '../world.ts';

/** Applies the directives and waits until their refetches have completed. */
export async function apply({ dl, sim }: Stage, ...directives: unknown[]): Promise<void> {
  void dl.applyDirectives(directives);
  await sim.advance(100);
}

/** Why directives were skipped, in order. */
export const reasons = ({ of }: Stage): string[] => of('directive:skipped').map(({ reason }) => reason);

/** A directive of this client's own mutation, for the ticket 7. */
export const own = ({ dl }: Stage, more: object = {}): object =>
  refreshItem('ticket', 7, { source: dl.clientId(), ...more });

/** A directive for the ticket of `createTracked`, without and with an inline result. */
export const ticket = { op: 'refresh_item', name: 'ticket', id: 1 } as const;
export const result = (v: number) => ({ ...ticket, result: { v } });

/** A client of a ticket that the server returns as `{ v: server.v }`, and that only directives make stale. */
export function createTracked(sse: Partial<SseOptions> = { enabled: false }) {
  const sim = createSimulation();
  const server = { v: 1, requests: 0, latencyMs: 0, isDown: false };
  const dl = sim.createDataLayer({ sse });
  dl.createType('ticket', {
    stalenessMs: Infinity,
    fetch: async () => {
      server.requests += 1;
      if (server.latencyMs > 0) await sim.sleep(server.latencyMs);
      if (server.isDown) throw new Error('down');
      return { v: server.v };
    },
  });
  return {
    sim,
    dl,
    server,
    /** Reads the ticket as a view does, and waits until it is cached. */
    async show() {
      const ref = dl.fetchItem('ticket', 1);
      dl.onRefChange(ref, () => undefined);
      await sim.settled();
      return ref;
    },
    /** One envelope with one directive, which has the number and the audience of the envelope. */
    push: (seq: number | undefined, directive: object, audience = 'global'): void =>
      dl.ingestEnvelope(envelope(seq as number, [{ ...directive, seq, audience }], { audience })),
    /** A mutation whose response contains these directives and arrives after `ms`. */
    send(path: string, ms: number, directives: object[]): void {
      sim.route(`POST ${path}`, async () => {
        await sim.sleep(ms);
        return Response.json({ directives });
      });
      void dl.fetch(path, { method: 'POST' });
    },
  };
}

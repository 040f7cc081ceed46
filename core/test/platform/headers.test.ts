// Headers and responses that are not those of the platform.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('a response of another make', () => {
  it('is one that can be waited for, also where the platform has none of its own', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    class Other {
      readonly headers = new Headers();
      get [Symbol.toStringTag](): string {
        return 'Response';
      }
    }
    const own = globalThis.Response;
    Reflect.deleteProperty(globalThis, 'Response');
    try {
      await dl.whenSettled(new Other() as unknown as Response); // As far as it is looked at.
      const settled = dl.whenSettled(dl.fetchItem('ticket', 1));
      await sim.advance(0);
      await settled;
    } finally {
      globalThis.Response = own;
    }
  });

  it('has headers whose entries are sent on', () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const entries = new Map([['authorization', 'Bearer x']]);
    // Such as that of node-fetch: iterable, and no instance of the platform's own.
    const headers = { [Symbol.iterator]: () => entries[Symbol.iterator]() } as unknown as Headers;
    expect(dl.directiveHeaders(headers)).toMatchObject({ authorization: 'Bearer x' });
  });
});

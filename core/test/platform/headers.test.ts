// Headers and responses of another implementation than the platform's.

import { createSimulation } from '@edict/core/testing';
import { describe, expect, it } from 'vitest';

describe('a response of another implementation', () => {
  it('is accepted by whenSettled, even if the platform has no Response', async () => {
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
      await dl.whenSettled(new Other() as unknown as Response); // The only parts that are read.
      const settled = dl.whenSettled(dl.fetchItem('ticket', 1));
      await sim.advance(0);
      await settled;
    } finally {
      globalThis.Response = own;
    }
  });

  it('has headers whose entries are sent', () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer({ sse: { enabled: false } });
    const entries = new Map([['authorization', 'Bearer x']]);
    // Like those of node-fetch: iterable, but not an instance of the platform's class.
    const headers = { [Symbol.iterator]: () => entries[Symbol.iterator]() } as unknown as Headers;
    expect(dl.directiveHeaders(headers)).toMatchObject({ authorization: 'Bearer x' });
  });
});

// The promises of whenSettled and the prefetch operations.

import { describe, expect, it } from 'vitest';
import { createDataLayer } from '@edict/core';

describe('D-FETCH-8 promises of whenSettled', () => {
  it('settle for hundreds of references and prefetches in one response each', async () => {
    const dl = createDataLayer();
    dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
    const ids = Array.from({ length: 500 }, (_, id) => id);
    const prefetched = ids.map((id) => dl.prefetchItem('ticket', id));
    const waiting = ids.map((id) => dl.whenSettled(dl.getItemRef('ticket', id)));
    const idle = dl.whenSettled();
    await Promise.all([...prefetched, ...waiting, idle]);
    expect(ids.every((id) => !dl.isItemLoading('ticket', id))).toBe(true);
    dl.dispose();
  });
});

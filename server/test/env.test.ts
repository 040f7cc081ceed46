import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHub } from '../src/index.ts';
import { hubForTest } from './support/servers.ts';

describe('a hub on its platform', () => {
  it('keeps no process alive with its timers', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    await hubForTest().emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    expect(timers.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  });

  it('logs a message without a detail as one text', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const hub = createHub({ connectionKey: () => 5 as never });
    await hub.fetchHandler(new Request('http://hub.test/'));
    await hub.close();
    expect(log.mock.calls).toEqual([
      ['[edict] connectionKey must return a string, or null for "no limit", but returned 5'],
    ]);
  });
});

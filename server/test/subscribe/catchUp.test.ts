import { expect, it } from 'vitest';
import { openChannel } from '../../src/deliver/channel.ts';
import { readOptions } from '../../src/options.ts';
import type { BackplaneLink, LogSink } from '../../src/log/backplane.ts';
import { whenAt } from '../../src/subscribe/catchUp.ts';
import { createWorld } from '../support/world.ts';

const at = (position: number): Parameters<LogSink['reset']>[0] => ({
  position,
  entries: [],
  reachSeq: position,
  reachAt: 0,
  emitted: true,
});

it('D-HUB-7 the wait for a position ends when the log is read again and reaches it', async () => {
  const world = createWorld();
  let reset: LogSink['reset'] = () => {};
  const link = {
    open(_: string, sink: LogSink) {
      ({ reset } = sink);
      return { ready: Promise.resolve(), close: () => {} };
    },
  } as unknown as BackplaneLink; // A channel uses only this member here.
  const { replay } = readOptions({});
  const channel = openChannel('a', { link, replay, heartbeatMs: 15_000, onNews: () => {}, onEnd: () => {} });
  reset(at(4));
  const wait = whenAt(channel, 5, world);
  expect(channel.positionListeners.size).toBe(1);
  reset(at(5));
  expect(channel.positionListeners.size).toBe(0);
  await wait;
  expect(world.timers()).toBe(0);
});

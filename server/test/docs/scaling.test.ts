// Runs the code blocks of docs/server/scaling.md.

import { expect, it, onTestFinished, vi } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { startRedis } from '../redis/redisServer.ts';
import { openPage } from '../support/pages.ts';
import { serveHttp, subscribe } from '../support/servers.ts';

it('D-HUB-7 “Several processes”: clients of one process receive directives of the other, and may reconnect to either', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.kill());
  vi.stubEnv('REDIS_URL', redis.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const nodes: { hub: Hub; url: string }[] = [];
  for (let count = 0; count < 2; count += 1) {
    vi.resetModules(); // Like a separate process.
    const { hub } = await openPage('docs/server/scaling.md').run<{ hub: Hub }>('process.env.REDIS_URL');
    onTestFinished(() => hub.close({ retryMs: [0, 0] }));
    nodes.push({ hub, url: (await serveHttp(hub.nodeHandler)).url });
  }
  const [first, second] = nodes as [{ hub: Hub; url: string }, { hub: Hub; url: string }]; // The loop created two.
  const stream = await subscribe(second.url, '?client_id=a');
  const [greeting] = await stream.atLeast(1);
  const [directive] = await first.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 7 }]);
  const [, pushed] = await stream.atLeast(2);
  expect(pushed?.envelope?.directives).toEqual([directive]);
  await stream.cancel();

  const again = await subscribe(first.url, `?client_id=a&last_seq=${greeting?.envelope?.seq}`);
  const [replayed, recovered] = await again.atLeast(2);
  expect(replayed?.envelope?.directives).toEqual([directive]);
  expect(recovered?.envelope?.recovered).toBe(true);
});

it('D-HUB-7 “Sentinel”: the backplane accepts the client of the page', async () => {
  vi.stubEnv('REDIS_PASSWORD', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(openPage('docs/server/scaling.md').run('sentinels')).resolves.toBeDefined();
});

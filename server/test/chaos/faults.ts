// The faults that tests cause in a scene during writes. At the end of each fault, everything is repaired.

import { withRedis } from '../redis/redisServer.ts';
import type { Proxy } from './proxy.ts';
import type { Scene } from './scene.ts';
import { audienceOf, teams } from './truth.ts';

/** A fault and its name. */
export interface Fault {
  readonly name: string;
  readonly play: (scene: Scene) => Promise<void>;
}

/** Begins a fault on the links, runs the function, and ends the fault. */
async function during(
  links: readonly Proxy[],
  begin: (link: Proxy) => void,
  end: (link: Proxy) => void,
  run: () => Promise<void>,
): Promise<void> {
  for (const link of links) begin(link);
  await run();
  for (const link of links) end(link);
}

/** Forbids the user of the hubs some commands for a while. */
async function withoutCommands({ redis, writes }: Scene, commands: readonly string[]): Promise<void> {
  const set = (sign: '+' | '-'): Promise<unknown> =>
    withRedis(redis, (admin) =>
      admin.call('ACL', ['SETUSER', 'default', ...commands.map((command) => `${sign}${command}`)]),
    );
  await set('-');
  await writes(60);
  await set('+');
}

const stall = (link: Proxy): void => link.stall(true);
const flow = (link: Proxy): void => link.stall(false);
const split = (link: Proxy): void => link.split(true);
const join = (link: Proxy): void => link.split(false);

const htmlPage = 'content-type: text/html\r\nconnection: close\r\n\r\n<!doctype html><title>Sign in</title>';
/** Responses of a proxy in place of a stream, after the version of HTTP. */
const proxyResponses = [
  `200 OK\r\n${htmlPage}`,
  '302 Found\r\nlocation: /sign-in\r\nconnection: close\r\n\r\n',
  `502 Bad Gateway\r\n${htmlPage}`,
  `503 Service Unavailable\r\nretry-after: 1\r\n${htmlPage}`,
  '200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: hello\n\ndata: {"type":"dir',
];

/** All faults, in an order in which they can follow each other. */
export const faults: readonly Fault[] = [
  {
    name: 'a hub is killed and comes back',
    async play({ nodes, killNode, writes, chance }) {
      const node = chance.pick(nodes);
      await killNode(node);
      await writes(30);
      await node.start();
    },
  },
  {
    name: 'all hubs are killed and come back',
    async play({ nodes, killNode, writes }) {
      await Promise.all(nodes.map((node) => killNode(node)));
      await writes(30);
      await Promise.all(nodes.map((node) => node.start()));
    },
  },
  {
    name: 'the hubs are closed and restarted one after the other',
    async play({ nodes, killNode, writes }) {
      for (const node of nodes) {
        await killNode(node, 'SIGTERM');
        await writes(10);
        await node.start();
      }
    },
  },
  {
    name: 'Redis is flushed while the clocks of the hubs differ and are set back',
    async play({ nodes, redis, writes }) {
      for (const errorMs of [
        [3_600_000, 0],
        [0, -60_000],
      ]) {
        await Promise.all(nodes.map((node, index) => node.act('/clock', errorMs[index])));
        await writes(10);
        await withRedis(redis, (admin) => admin.flushall());
        await writes(10);
      }
      await Promise.all(nodes.map((node) => node.act('/clock', 0)));
    },
  },
  {
    name: 'Redis is stopped for longer than every timeout, and continues',
    async play({ redis, writes }) {
      redis.pause();
      await writes(200);
      redis.resume();
    },
  },
  {
    name: 'Redis is killed and comes back with its data',
    async play({ redis, writes }) {
      await redis.kill();
      await writes(50);
      await redis.start();
    },
  },
  {
    name: 'Redis is killed and comes back without its data',
    async play({ redis, writes }) {
      await redis.kill();
      await writes(50);
      redis.forget();
      await redis.start();
    },
  },
  {
    name: 'Redis is flushed while connections are open',
    async play({ redis, writes }) {
      await withRedis(redis, (admin) => admin.flushall());
      await writes(20);
    },
  },
  {
    name: 'Redis refuses blocking reads',
    play: (scene) => withoutCommands(scene, ['xread']),
  },
  {
    name: 'Redis refuses all reads and appends',
    play: (scene) => withoutCommands(scene, ['xread', 'evalsha', 'eval']),
  },
  {
    name: 'the memory of Redis is full',
    async play({ redis, writes }) {
      const setMemory = (bytes: string): Promise<unknown> =>
        withRedis(redis, (admin) => admin.config('SET', 'maxmemory', bytes));
      await setMemory('1');
      await writes(60);
      await setMemory('0');
    },
  },
  {
    name: 'the links of the hubs to Redis are cut repeatedly',
    async play({ redisLinks, writes, chance }) {
      for (let cuts = 0; cuts < 8; cuts += 1) {
        chance.pick(redisLinks).cut();
        await writes(10);
      }
    },
  },
  {
    name: 'one hub cannot reach Redis',
    async play({ redisLinks, writes, chance }) {
      const link = chance.pick(redisLinks);
      await during(
        [link],
        (one) => one.refuse(true),
        (one) => one.refuse(false),
        () => writes(60),
      );
    },
  },
  {
    name: 'the link of one hub to Redis is stalled',
    play: ({ redisLinks, writes, chance }) =>
      during([chance.pick(redisLinks)], stall, flow, () => writes(120)),
  },
  {
    name: 'the connections of the hubs to Redis go dead without an error',
    async play({ redisLinks, writes }) {
      for (const link of redisLinks) link.abandon();
      await writes(60);
    },
  },
  {
    name: 'the links of the hubs to Redis are slow',
    play: ({ redisLinks, writes }) =>
      during(
        redisLinks,
        (link) => link.delay(60),
        (link) => link.delay(0),
        () => writes(60),
      ),
  },
  {
    name: 'the links of the hubs to Redis pass byte by byte',
    play: ({ redisLinks, writes }) => during(redisLinks, split, join, () => writes(40)),
  },
  {
    name: 'the streams of a team are revoked repeatedly',
    async play({ nodes, writes, chance }) {
      for (let times = 0; times < 4; times += 1) {
        await chance.pick(nodes).act('/disconnect', { audience: audienceOf(chance.pick(teams)) });
        await writes(15);
      }
    },
  },
  {
    name: 'the limits of the hubs refuse most clients',
    async play({ nodes, writes }) {
      for (const node of nodes) await node.act('/limit', true);
      for (const node of nodes) await node.act('/disconnect', { all: true });
      await writes(60);
      for (const node of nodes) await node.act('/limit', false);
    },
  },
  {
    name: 'the links of the clients are cut repeatedly',
    async play({ clientLink, writes }) {
      for (let cuts = 0; cuts < 4; cuts += 1) {
        clientLink.cut();
        await writes(15);
      }
    },
  },
  {
    name: 'the streams of the clients end within a frame',
    async play({ clientLink, writes }) {
      for (let times = 0; times < 4; times += 1) {
        clientLink.tear();
        await writes(15);
      }
    },
  },
  {
    name: 'a proxy returns pages, redirects and errors in place of the streams',
    async play({ clientLink, writes }) {
      for (const response of proxyResponses) {
        clientLink.respond(`HTTP/1.1 ${response}`);
        clientLink.cut();
        await writes(20);
      }
      clientLink.respond(null);
    },
  },
  {
    name: 'the links of the clients are stalled during a burst that is longer than the log',
    play: ({ clientLink, writes }) => during([clientLink], stall, flow, () => writes(250)),
  },
  {
    name: 'the links of the clients are stalled',
    play: ({ clientLink, writes }) => during([clientLink], stall, flow, () => writes(60)),
  },
  {
    name: 'the links of the clients are slow and pass byte by byte',
    play: ({ clientLink, writes }) =>
      during(
        [clientLink],
        (link) => {
          link.delay(50);
          link.split(true);
        },
        (link) => {
          link.delay(0);
          link.split(false);
        },
        () => writes(40),
      ),
  },
];

/** Faults that take too long for the short form. */
export const slowFaults: readonly Fault[] = [
  {
    name: 'the links of the clients are stalled for longer than the timeout of the clients',
    play: ({ clientLink, writes }) => during([clientLink], stall, flow, () => writes(1400)),
  },
  {
    name: 'Redis and the links of the clients are stopped together',
    play: ({ redis, clientLink, writes }) =>
      during([clientLink], stall, flow, async () => {
        redis.pause();
        await writes(400);
        redis.resume();
      }),
  },
  {
    name: 'a hub is killed while Redis is away, and both come back',
    async play({ redis, nodes, killNode, writes, chance }) {
      const node = chance.pick(nodes);
      await redis.kill();
      await writes(50);
      await killNode(node);
      await writes(50);
      await node.start();
      await redis.start();
    },
  },
];

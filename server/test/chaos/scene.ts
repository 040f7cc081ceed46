// The whole system: a Redis, two hub processes, twenty clients, and breakable links between them.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRedis, type RedisServer } from '../redis/redisServer.ts';
import { compileProgram } from '../support/program.ts';
import { within } from '../support/within.ts';
import { createChance, type Chance } from './chance.ts';
import { openClient, type Client } from './client.ts';
import { createEmitter } from './emitter.ts';
import { startNode, type HubNode } from './nodes.ts';
import { createProxy, type Proxy } from './proxy.ts';
import { createTruth, teams } from './truth.ts';

/** The counts of a run. */
export interface Report {
  seed: number;
  writes: number;
  confirmed: number;
  notConfirmed: number;
  requests: number;
  gaps: number;
  resyncs: number;
  connects: number;
  errors: number;
  replays: number;
  replayMisses: number;
  /** Streams that a limit of a connection key refused. */
  limited: number;
  /** Streams that a revocation ended. */
  revoked: number;
}

/** A running system in which faults are played. */
export interface Scene {
  readonly chance: Chance;
  readonly redis: RedisServer;
  readonly nodes: readonly HubNode[];
  /** The links from each node to Redis. */
  readonly redisLinks: readonly Proxy[];
  /** The link from all clients to the nodes. Each connection goes to a node that is up. */
  readonly clientLink: Proxy;
  /** Kills a node, and keeps its metrics for the report. */
  readonly killNode: (node: HubNode, signal?: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  /** Resolves after this many further writes. */
  readonly writes: (count: number) => Promise<void>;
  /** Stops writing. Resolves when all clients show the current data, or rejects with a difference after the deadline. */
  readonly calm: (deadlineMs: number) => Promise<void>;
  readonly report: () => Promise<Report>;
  readonly close: () => Promise<void>;
}

const clientCount = 20;
const redisTimeoutMs = 1000;
/** Redis stores its data in memory if possible, so that writes do not wait for a busy disk. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const hubProcess = fileURLToPath(new URL('./hubProcess.ts', import.meta.url));

/** Starts the system. */
export async function openScene(seed: number): Promise<Scene> {
  const chance = createChance(seed);
  const dir = mkdtempSync(join(memory, 'chaos-redis-'));
  const redis = await startRedis(dir);
  const redisLinks = [await createProxy(redis.port), await createProxy(redis.port)];
  const program = await compileProgram(hubProcess);
  const nodes = await Promise.all(
    redisLinks.map(({ port }) => startNode(program.file, `redis://127.0.0.1:${port}`, redisTimeoutMs)),
  );
  const clientLink = await createProxy(() => {
    const up = nodes.filter((node) => node.isUp());
    return chance.pick(up.length > 0 ? up : nodes).port;
  });
  const truth = createTruth(chance);
  const emitter = createEmitter(() => nodes.map((node) => node.port), chance);
  const clients: Client[] = Array.from({ length: clientCount }, (_, index) =>
    openClient(truth, chance, teams[index % teams.length] ?? 'red', `http://127.0.0.1:${clientLink.port}`),
  );
  const collected = { hits: 0, misses: 0, limited: 0 };

  let writer: ReturnType<typeof setTimeout> | null = null;
  let onWrite = (): void => {};
  function writeOn(): void {
    emitter.add(truth.write());
    onWrite();
    writer = setTimeout(writeOn, chance.next() * 20);
  }

  function firstDifference(): string | null {
    for (const [index, client] of clients.entries()) {
      const difference = client.difference();
      if (difference !== null)
        return `client ${index}: ${difference}; its stream: ${JSON.stringify(client.dl.state().sse)}`;
    }
    return null;
  }

  async function untilEqual(deadlineMs: number): Promise<void> {
    const ends: (() => void)[] = [];
    const equal = new Promise<void>((done) => {
      const look = (): void => {
        if (firstDifference() === null) done();
      };
      for (const { dl } of clients) ends.push(dl.onChange(look));
      look();
    });
    try {
      await within(deadlineMs, equal, () => firstDifference() ?? 'equal, but only just');
    } finally {
      for (const end of ends) end();
    }
  }

  async function collect(node: HubNode): Promise<void> {
    if (!node.isUp()) return;
    const metrics = await node.metrics();
    collected.hits += metrics.replayHits;
    collected.misses += metrics.replayMisses;
    for (const [code, count] of Object.entries(metrics.refusals))
      if (code.endsWith('_of_key')) collected.limited += count;
  }

  return {
    chance,
    redis,
    nodes,
    redisLinks,
    clientLink,
    async killNode(node, signal) {
      await collect(node);
      await node.kill(signal);
    },
    writes(count) {
      const until = truth.writes() + count;
      if (writer === null) writeOn();
      return new Promise((done) => {
        onWrite = () => {
          if (truth.writes() >= until) done();
        };
      });
    },
    async calm(deadlineMs) {
      if (writer !== null) clearTimeout(writer);
      writer = null;
      const until = performance.now() + deadlineMs;
      const left = (): number => until - performance.now();
      await within(left(), emitter.idle(), emitter.lastFault);
      await untilEqual(left());
      // Requests in flight must not change the data.
      for (const [index, { dl }] of clients.entries())
        await within(
          left(),
          dl.whenSettled(),
          () =>
            `client ${index} is not settled: ${JSON.stringify({ bulk: dl.state().bulk, items: dl.devtools().items })}`,
        );
      const difference = firstDifference();
      if (difference !== null) throw new Error(`It was equal, and is no more: ${difference}`);
    },
    async report() {
      for (const node of nodes) await collect(node);
      const sum = (count: keyof Client['counts']): number =>
        clients.reduce((total, { counts }) => total + counts[count], 0);
      return {
        seed,
        writes: truth.writes(),
        ...emitter.counts,
        requests: sum('requests'),
        gaps: sum('gaps'),
        resyncs: sum('resyncs'),
        connects: sum('connects'),
        errors: sum('errors'),
        replays: collected.hits,
        replayMisses: collected.misses,
        limited: collected.limited,
        revoked: nodes.reduce((total, node) => total + node.revoked(), 0),
      };
    },
    async close() {
      if (writer !== null) clearTimeout(writer);
      emitter.close();
      for (const client of clients) client.close();
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all([clientLink, ...redisLinks].map((link) => link.close()));
      await redis.kill();
      await program.remove();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

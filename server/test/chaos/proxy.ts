// A TCP link that can be treated badly, between a process under test and what it depends on.

import { createConnection, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A link on a port of its own. */
export interface Proxy {
  readonly port: number;
  /** Breaks every connection of now; new ones are accepted. */
  readonly cut: () => void;
  /** While refused, connections of now are broken and new ones fail at once. */
  readonly refuse: (isRefused: boolean) => void;
  /** While stalled nothing passes in either direction, and nobody is told. */
  readonly stall: (isStalled: boolean) => void;
  /** Connections of now carry nothing any more, and neither side is told, ever; new ones pass. */
  readonly abandon: () => void;
  /** Everything takes so many milliseconds longer, each way. */
  readonly delay: (ms: number) => void;
  /** Every byte travels in a write of its own. */
  readonly split: (isSplit: boolean) => void;
  /** How many connections were made through it. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Long messages are split at their first so many bytes; then the rest comes in one. */
const splitAtMost = 2000;

/** Listens on a free port and passes on to a port, which may be another for each connection. */
export async function createProxy(target: number | (() => number)): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>();
  const abandoned = new WeakSet<Socket>();
  let delayMs = 0;
  let isSplit = false;
  let isRefused = false;
  let isStalled = false;
  let connections = 0;

  function breakAll(): void {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
    pairs.clear();
  }

  /** One write for a byte: without waiting for each the kernel would join them again. */
  async function writeSplit(to: Socket, data: Buffer): Promise<void> {
    const bytes = Math.min(data.length, splitAtMost);
    for (let at = 0; at < bytes && !to.destroyed; at += 1)
      await new Promise<void>((done) => to.write(data.subarray(at, at + 1), () => setImmediate(done)));
    if (bytes < data.length && !to.destroyed) to.write(data.subarray(bytes));
  }

  function pass(from: Socket, to: Socket): void {
    /** One after the other, whatever the delay is by then. */
    let before = Promise.resolve();
    from.on('data', (data: Buffer) => {
      const dueAt = Date.now() + delayMs;
      before = before.then(async () => {
        const waitMs = dueAt - Date.now();
        if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
        if (to.destroyed || abandoned.has(to)) return;
        if (isSplit) await writeSplit(to, data);
        else if (!to.write(data)) {
          from.pause();
          to.once('drain', () => (isStalled ? undefined : from.resume()));
        }
      });
    });
  }

  const server = createServer((near) => {
    if (isRefused) return near.destroy();
    connections += 1;
    const far = createConnection({ port: typeof target === 'number' ? target : target(), host: '127.0.0.1' });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const [one, other] of [pair, [far, near] as const]) {
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        if (abandoned.has(one)) return;
        pairs.delete(pair);
        other.destroy();
      });
      pass(one, other);
      if (isStalled) one.pause();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  return {
    port: (server.address() as AddressInfo).port, // A TCP server has one.
    cut: breakAll,
    refuse(refused) {
      isRefused = refused;
      if (refused) breakAll();
    },
    stall(stalled) {
      isStalled = stalled;
      for (const socket of [...pairs].flat()) {
        if (stalled) socket.pause();
        else socket.resume();
      }
    },
    abandon() {
      for (const socket of [...pairs].flat()) abandoned.add(socket);
    },
    delay(ms) {
      delayMs = ms;
    },
    split(split) {
      isSplit = split;
    },
    connections: () => connections,
    async close() {
      breakAll();
      await new Promise((done) => server.close(done));
    },
  };
}

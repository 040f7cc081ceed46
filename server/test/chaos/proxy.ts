// A TCP link between a process under test and its dependency. Tests can break it in many ways.

import { createConnection, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A link with its own port. */
export interface Proxy {
  readonly port: number;
  /** Breaks every open connection. New ones are accepted. */
  readonly cut: () => void;
  /** Breaks every open connection. While refused, new ones fail immediately. */
  readonly refuse: (isRefused: boolean) => void;
  /** While stalled, no data passes in either direction, and no side receives an error. */
  readonly stall: (isStalled: boolean) => void;
  /** Stops all data on the open connections forever, without an error on either side. New connections work. */
  readonly abandon: () => void;
  /** Delays all data in each direction. */
  readonly delay: (ms: number) => void;
  /** Ends each open connection within the next data that it passes. */
  readonly tear: () => void;
  /** While set, every new connection receives this text in place of the server's response. */
  readonly respond: (text: string | null) => void;
  /** While split, every byte is written separately. */
  readonly split: (isSplit: boolean) => void;
  /** The number of connections that were opened through this link. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** The number of bytes of a message that are split. The rest is written in one piece. */
const splitAtMost = 2000;

/** Listens on a free port and forwards to `target`, which can be a different port for each connection. */
export async function createProxy(target: number | (() => number)): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>();
  const abandoned = new WeakSet<Socket>();
  let delayMs = 0;
  let isSplit = false;
  let isRefused = false;
  let isStalled = false;
  let response: string | null = null;
  let connections = 0;
  const torn = new WeakSet<Socket>();

  function breakAll(): void {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
    pairs.clear();
  }

  /** Writes each byte and waits for it, because the kernel would join the writes otherwise. */
  async function writeSplit(to: Socket, data: Buffer): Promise<void> {
    const bytes = Math.min(data.length, splitAtMost);
    for (let at = 0; at < bytes && !to.destroyed; at += 1)
      await new Promise<void>((done) => to.write(data.subarray(at, at + 1), () => setImmediate(done)));
    if (bytes < data.length && !to.destroyed) to.write(data.subarray(bytes));
  }

  function pass(from: Socket, to: Socket): void {
    /** Keeps the order of the data when the delay changes. */
    let before = Promise.resolve();
    from.on('data', (data: Buffer) => {
      const dueAt = Date.now() + delayMs;
      before = before.then(async () => {
        const waitMs = dueAt - Date.now();
        if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
        if (to.destroyed || abandoned.has(to)) return;
        if (torn.has(to)) to.end(data.subarray(0, data.length / 2));
        else if (isSplit) await writeSplit(to, data);
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
    if (response !== null) {
      const text = response;
      near.on('error', () => {});
      return near.once('data', () => near.end(text));
    }
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
    port: (server.address() as AddressInfo).port, // A TCP server has an address with a port.
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
    tear() {
      for (const socket of [...pairs].flat()) torn.add(socket);
    },
    respond(text) {
      response = text;
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

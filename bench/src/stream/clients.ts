// Many clients in one process. Each is a plain socket that sends a request and counts the messages it receives, which needs little CPU.

import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { stamp } from './feed.ts';
import type { ClientOrder, Received } from './orders.ts';

interface Client {
  readonly socket: Socket;
  messages: number;
  beats: number;
  seq: number;
  /** The end of the previous chunk, because a mark may be split between two chunks. */
  rest: Buffer;
  isStalled: boolean;
}

/** The number of clients that connect at the same time. */
const wave = 200;
/** One in this many clients measures the age of its messages. */
const sampled = 10;
const stampMark = Buffer.from('"timestamp":');
/** Every message contains this mark once. No heartbeat contains it. */
const messageMark = Buffer.from('"idempotency_key":');
/** Greetings and heartbeats contain this mark. No message contains it. */
const emptyMark = Buffer.from('"directives":[]');
const envelopeMark = Buffer.from('"type":"directives","seq":');
const none = Buffer.alloc(0);

const clients: Client[] = [];
let ages: number[] = [];
let lastAt = 0;
let made = 0;

function numberAt(chunk: Buffer, at: number): number {
  return Number.parseFloat(chunk.toString('latin1', at, at + 24));
}

function read(client: Client, chunk: Buffer, isSampled: boolean): void {
  const all = client.rest.length === 0 ? chunk : Buffer.concat([client.rest, chunk]);
  let end = 0;
  for (let at = all.indexOf(messageMark); at >= 0; at = all.indexOf(messageMark, at + messageMark.length)) {
    client.messages++;
    end = at + messageMark.length;
  }
  if (end > 0) lastAt = stamp();
  else {
    for (let at = all.indexOf(emptyMark); at >= 0; at = all.indexOf(emptyMark, at + emptyMark.length)) {
      client.beats++;
      end = at + emptyMark.length;
    }
  }
  const lastEnvelope = all.lastIndexOf(envelopeMark);
  if (lastEnvelope >= 0 && all.length - lastEnvelope > envelopeMark.length + 24)
    client.seq = Math.max(client.seq, numberAt(all, lastEnvelope + envelopeMark.length));
  if (isSampled) {
    // The timestamp must be complete, and one at the end of the chunk may be split.
    const at = all.lastIndexOf(stampMark, all.length - stampMark.length - 24);
    if (at >= 0) {
      const age = stamp() - numberAt(all, at + stampMark.length);
      if (age >= 0) ages.push(age);
    }
  }
  // Keeps the bytes in which a mark may begin. It keeps no counted mark, which would be counted twice.
  const keep = Math.max(end, all.length - 80);
  client.rest = keep < all.length ? Buffer.from(all.subarray(keep)) : none;
}

function open(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const number = made++;
    const socket = connectSocket({ port, host: '127.0.0.1' });
    const client: Client = { socket, messages: 0, beats: 0, seq: 0, rest: none, isStalled: false };
    const isSampled = number % sampled === 0;
    socket.on('error', reject);
    socket.once('connect', () => {
      socket.write(
        `GET /api/events?client_id=client-${number}&audience=global HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`,
      );
    });
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString('latin1', 9, 12) !== '200')
        reject(new Error(`refused: ${chunk.toString('latin1', 0, 200)}`));
      clients.push(client);
      socket.on('data', (next: Buffer) => read(client, next, isSampled));
      read(client, chunk, false);
      resolve();
    });
  });
}

async function connect(port: number, count: number): Promise<number> {
  for (let i = 0; i < count; i += wave)
    await Promise.all(Array.from({ length: Math.min(wave, count - i) }, () => open(port)));
  return clients.length;
}

async function disconnect(keep = 0): Promise<number> {
  for (const { socket } of clients.splice(keep)) socket.destroy();
  await wait(50);
  return clients.length;
}

function received(): Received {
  const sorted = ages.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  const seqs = clients.map(({ seq }) => seq);
  const sum = (list: readonly Client[]): number => list.reduce((total, { messages }) => total + messages, 0);
  return {
    messages: sum(clients.filter(({ isStalled }) => !isStalled)),
    stalledMessages: sum(clients.filter(({ isStalled }) => isStalled)),
    beats: clients.reduce((total, { beats }) => total + beats, 0),
    fewestBeats: Math.min(...clients.map(({ beats }) => beats)),
    lowestSeq: Math.min(...seqs),
    highestSeq: Math.max(...seqs),
    p50: at(0.5),
    p99: at(0.99),
    lastAt,
    open: clients.filter(({ socket }) => !socket.destroyed).length,
  };
}

async function obey(order: ClientOrder): Promise<unknown> {
  switch (order.do) {
    case 'connect':
      return connect(order.port, order.count);
    case 'disconnect':
      return disconnect(order.keep);
    case 'stall':
      for (const client of clients.slice(0, order.count)) {
        client.isStalled = true;
        client.socket.pause();
      }
      return null;
    case 'resume':
      for (const { socket } of clients) socket.resume();
      return null;
    case 'received':
      return received();
    case 'forget':
      ages = [];
      for (const client of clients) {
        client.messages = 0;
        client.beats = 0;
      }
      return null;
  }
}

process.on('message', (order: ClientOrder) => {
  obey(order).then(
    (ok) => process.send?.({ ok }),
    (error: unknown) => process.send?.({ fault: String(error instanceof Error ? error.stack : error) }),
  );
});

// The parent process has ended.
process.on('disconnect', () => process.exit());

import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Hub } from '../../src/index.ts';
import { hubForTest, serveHttp, serveHub } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { envelopesOf, idsOf, parseFrame, readStream, type Frame } from '../support/stream.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // The flag provides it.

const big = 'x'.repeat(50_000);
const emitBig = (hub: Hub, id: number): Promise<unknown> =>
  hub.emit([{ op: 'refresh_item', name: 'ticket', id, result: big }]);
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** A client on a bare socket. `until` resolves when its condition is true, which it checks after each chunk. */
function bareClient(
  url: string,
  take: (piece: string) => void,
): { socket: Socket; until: (holds: () => boolean) => Promise<void> } {
  let look = (): void => {};
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  );
  socket.setEncoding('utf8').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.on('data', (piece) => {
    take(String(piece));
    look();
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((done) => {
      look = () => {
        if (holds()) done();
      };
      look();
    });
  return { socket, until };
}

/** A client that reads only when the test resumes it. */
async function slowClient(url: string): Promise<{
  socket: Socket;
  frames: () => Frame[];
  until: (fits: (frame: Frame) => boolean) => Promise<void>;
}> {
  let rest = '';
  const received: Frame[] = [];
  const client = bareClient(url, (piece) => {
    const texts = (rest + piece).split('\n\n');
    rest = texts.pop() ?? '';
    received.push(...texts.map(parseFrame));
  });
  const frames = (): Frame[] => received;
  const until = (fits: (frame: Frame) => boolean): Promise<void> => client.until(() => frames().some(fits));
  await until(({ envelope }) => envelope !== null);
  return { socket: client.socket, frames, until };
}

/** A client that reads everything and stores nothing. */
async function countingClient(url: string): Promise<{ has: (count: number) => Promise<void> }> {
  let count = 0;
  let last = '';
  const { until } = bareClient(url, (data) => {
    const piece = last + data;
    count += piece.split('\n\n').length - 1;
    last = piece.endsWith('\n') && !piece.endsWith('\n\n') ? '\n' : '';
  });
  const has = (wanted: number): Promise<void> => until(() => count >= wanted);
  await has(1);
  return { has };
}

describe('a stream whose response throws', () => {
  it.each(['write', 'end'] as const)(
    'D-HUB-3 is closed with a warning when its %s throws, and does not affect other streams',
    async (method) => {
      let isBroken = false;
      const warnings: string[] = [];
      const hub = hubForTest({
        authorize: () => true,
        log: (_level, message) => void warnings.push(message),
      });
      const { url } = await serveHttp((req, res) => {
        if (req.url === '/broken') {
          const own = res[method].bind(res) as (...args: unknown[]) => never; // All arguments are passed on.
          res[method] = (...args: unknown[]) => {
            if (isBroken) throw new Error('a middleware that wraps it');
            return own(...args);
          };
        }
        hub.nodeHandler(req, res);
      });
      const broken = readStream((await fetch(`${url}/broken`)).body);
      const whole = readStream((await fetch(`${url}/whole`)).body);
      await Promise.all([broken.atLeast(1), whole.atLeast(1)]);
      isBroken = true;
      if (method === 'write') {
        await emitBig(hub, 1);
        await whole.atLeast(2);
        expect(hub.metrics()).toMatchObject({ connections: 1, destroyed: 1 });
      }
      await hub.close({ retryMs: [0, 0] });
      expect(await whole.ended).toBeNull();
      await broken.ended;
      expect(hub.metrics()).toMatchObject({ connections: 0, destroyed: 1 });
      expect(warnings).toEqual(['A stream could not be written to, so it is closed']);
    },
  );
});

describe('clients that stop reading', () => {
  it('D-HUB-3 use bounded memory, do not delay other clients, and recover by a position', async () => {
    const { hub, url } = await serveHub();
    const stalled = await Promise.all(Array.from({ length: 5 }, () => slowClient(url)));
    for (const { socket } of stalled) socket.pause();
    const healthy = await Promise.all(Array.from({ length: 10 }, () => countingClient(url)));
    await emitBig(hub, 0);
    const before = await memory();
    const rounds = 270; // About 200 MB for all 15 clients.
    for (let id = 1; id <= rounds; id += 1) {
      await emitBig(hub, id);
      // Every healthy client receives an envelope before the next one is emitted.
      await Promise.all(healthy.map(({ has }) => has(2 + id)));
    }
    expect((await memory()) - before).toBeLessThan(8_000_000);
    expect(hub.metrics().connections).toBe(15);

    for (const { socket } of stalled) socket.resume();
    const { seq } = await hub.cursor();
    // The ring no longer contains all missed envelopes, so the hub sends a position and the client resyncs.
    const isPosition = (frame: Frame): boolean =>
      frame.envelope?.seq === seq && frame.envelope.directives.length === 0;
    const isLast = (frame: Frame): boolean => frame.envelope?.seq === seq;
    await Promise.all(stalled.map(({ until }) => until(isLast)));
    for (const { frames } of stalled) {
      const envelopes = envelopesOf(frames()).filter(({ recovered }) => recovered === undefined);
      expect(envelopes.length).toBeLessThan(rounds);
      expect(frames().some((frame) => isPosition(frame) || frame.envelope?.directives.length === 0)).toBe(
        true,
      );
    }
    await emitBig(hub, 9999);
    await Promise.all(
      stalled.map(({ until }) => until(({ envelope }) => hasId(envelope?.directives[0], 9999))),
    );
  });

  it('D-HUB-3 continue from their position while the ring still contains it', async () => {
    const { hub, url } = await serveHub({ replay: { maxBytes: 50_000_000 }, heartbeatMs: 300_000 });
    const client = await slowClient(url);
    client.socket.pause();
    const { seq: start } = await hub.cursor();
    for (let id = 1; id <= 200; id += 1) {
      await emitBig(hub, id);
      await turn();
    }
    client.socket.resume();
    await client.until(({ envelope }) => envelope?.seq === start + 200);
    const seqs = envelopesOf(client.frames())
      .slice(1)
      .map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 200 }, (_, index) => start + index + 1));
  });

  it('D-HUB-3 are destroyed when their socket stays full for stallMs', async () => {
    const { hub, world, open } = simulate({ limits: { stallMs: 20_000 } });
    const response = await hub.fetchHandler(new Request('http://hub.test/')); // The body is not read.
    const healthy = await open();
    await emitBig(hub, 1);
    await emitBig(hub, 2);
    await world.advance(999);
    expect(hub.metrics()).toMatchObject({ stalled: 0, connections: 2 });
    await world.advance(1);
    expect(hub.metrics().stalled).toBe(1);
    await world.advance(18_999);
    expect(hub.metrics().destroyed).toBe(0);
    await world.advance(1);
    expect(hub.metrics()).toMatchObject({ stalled: 0, connections: 1, destroyed: 1 });
    await expect(response.text()).rejects.toThrow('The hub closed the stream.');
    expect(healthy.isEnded()).toBe(false);
  });

  it('D-HUB-3 are destroyed after a stallMs that is shorter than the heartbeat interval', async () => {
    const { hub, world } = simulate({ limits: { stallMs: 400 } });
    await hub.fetchHandler(new Request('http://hub.test/')); // The body is not read.
    await emitBig(hub, 1);
    await emitBig(hub, 2);
    await world.drain();
    await world.advance(399);
    expect(hub.metrics().destroyed).toBe(0);
    await world.advance(1);
    expect(hub.metrics()).toMatchObject({ connections: 0, destroyed: 1 });
  });

  it('D-HUB-4 receive the greeting after the replay, even if the socket was full in between', async () => {
    const { hub, world } = simulate();
    const { seq } = await hub.cursor();
    for (let id = 1; id <= 10; id += 1) await emitBig(hub, id);
    const response = await hub.fetchHandler(new Request(`http://hub.test/?last_seq=${seq}`));
    await emitBig(hub, 11);
    await world.drain();
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('"recovered"')) text += new TextDecoder().decode((await reader?.read())?.value);
    const envelopes = envelopesOf(text.split('\n\n').slice(0, -1).map(parseFrame));
    expect(envelopes.map((envelope) => (envelope.seq ?? 0) - seq)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11,
    ]);
    expect(envelopes.at(-1)?.recovered).toBe(true);
    await reader?.cancel();
  });

  it('D-HUB-4 receive no heartbeats while their socket is full', async () => {
    const { hub, world } = simulate();
    await hub.fetchHandler(new Request('http://hub.test/'));
    await emitBig(hub, 1);
    await emitBig(hub, 2);
    await world.drain();
    const { bytes } = hub.metrics();
    await world.advance(59_000);
    expect(hub.metrics().bytes).toBe(bytes);
  });
});

function hasId(directive: unknown, id: number): boolean {
  return typeof directive === 'object' && directive !== null && 'id' in directive && directive.id === id;
}

/** The bytes in use after garbage collection. Buffers are freed in a later turn. */
async function memory(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('clients that read', () => {
  it.each([
    ['envelopes', { maxEnvelopes: 40 }, ''],
    ['bytes', { maxBytes: 80_000 }, 'x'.repeat(2000)],
  ])(
    'D-HUB-3 receive every list of an author that awaits only its own emits (ring limited by %s)',
    async (_what, replay, result) => {
      const { hub, url } = await serveHub({ replay });
      const client = await slowClient(url);
      const ids = Array.from({ length: 400 }, (_, index) => index);
      for (const id of ids) await hub.emit([{ op: 'refresh_item', name: 'ticket', id, result }]);
      await client.until(({ envelope }) => hasId(envelope?.directives[0], 399));
      expect(idsOf(client.frames())).toEqual(ids);
    },
  );

  it.each([
    ['more envelopes than fit into the ring', { count: 3000 }, {}, ''],
    ['more bytes than fit into the ring', { count: 100 }, { maxBytes: 200_000 }, 'x'.repeat(20_000)],
    ['a ring of two envelopes', { count: 20 }, { maxEnvelopes: 2 }, ''],
    ['envelopes larger than the ring', { count: 10 }, { maxBytes: 1000 }, 'x'.repeat(20_000)],
  ])(
    'D-HUB-1 D-HUB-3 D-HUB-5 receive everything that is emitted in one turn, in order: %s',
    async (_, { count }, replay, result) => {
      const { hub, url } = await serveHub({ replay });
      const client = await slowClient(url);
      const ids = Array.from({ length: count }, (_each, index) => index);
      const stamped = await Promise.all(
        ids.map((id) => hub.emit([{ op: 'refresh_item', name: 'ticket', id, result }])),
      );
      await client.until(({ envelope }) => hasId(envelope?.directives[0], count - 1));
      expect(idsOf(client.frames())).toEqual(ids);
      const first = stamped[0]?.[0]?.seq ?? Number.NaN;
      expect(stamped.map(([directive]) => directive?.seq)).toEqual(ids.map((id) => first + id));
      expect(hub.metrics()).toMatchObject({ emits: count, deliveries: count });
    },
  );

  it('D-HUB-5 receive lists for several audiences in the order of the calls, even if some lists wait', async () => {
    const hub = hubForTest({ replay: { maxEnvelopes: 8 }, authorize: () => true });
    const open = async (audience: string): Promise<ReturnType<typeof readStream>> =>
      readStream((await hub.fetchHandler(new Request(`http://hub.test/?audience=${audience}`))).body);
    const streams = { a: await open('a'), b: await open('b') };
    const audiences = [['a'], ['a', 'b'], ['b'], ['b', 'a']];
    const ids = Array.from({ length: 200 }, (_, index) => index);
    const audienceOf = (id: number): string[] => audiences[(id * 7) % 4] ?? [];
    await Promise.all(
      ids.map((id) => hub.emit([{ op: 'refresh_item', name: 'ticket', id }], { audience: audienceOf(id) })),
    );
    for (const [audience, stream] of Object.entries(streams)) {
      const its = ids.filter((id) => audienceOf(id).includes(audience));
      await stream.until(({ envelope }) => hasId(envelope?.directives[0], its.at(-1) ?? 0));
      expect(idsOf(stream.frames)).toEqual(its);
      await stream.cancel();
    }
  });

  it('D-HUB-3 receive every list of such an author while large audiences are served', async () => {
    const hub = hubForTest({
      replay: { maxEnvelopes: 40 },
      authorize: () => true,
    });
    const open = (audience: string): Promise<Response> =>
      hub.fetchHandler(new Request(`http://hub.test/?audience=${audience}`));
    const crowds = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const crowd of crowds) await Promise.all(Array.from({ length: 300 }, () => open(crowd)));
    const client = readStream((await open('few')).body);

    const ids = Array.from({ length: 200 }, (_, index) => index);
    const emit = (id: number, audience: string): Promise<unknown> =>
      hub.emit([{ op: 'refresh_item', name: 'ticket', id }], { audience });
    let isDone = false;
    const author = async (): Promise<void> => {
      for (const id of ids) await emit(id, 'few');
      isDone = true;
    };
    const crowdsAuthor = async (): Promise<void> => {
      for (let at = 0; !isDone; at = (at + 1) % crowds.length) {
        void emit(0, crowds[at] ?? '');
        await turn();
      }
    };
    await Promise.all([author(), crowdsAuthor()]);
    await client.until(({ envelope }) => hasId(envelope?.directives[0], 199));
    expect(idsOf(client.frames)).toEqual(ids);
    await client.cancel();
  });

  it('D-HUB-3 D-HUB-5 an author that emits to many audiences does not block the event loop', async () => {
    const hub = hubForTest({ replay: { maxEnvelopes: 40 }, authorize: () => true });
    const audiences = Array.from({ length: 60 }, (_, index) => `user:${index}`);
    for (const audience of audiences)
      await hub.fetchHandler(new Request(`http://hub.test/?audience=${audience}`));
    let turns = 0;
    let isDone = false;
    const count = async (): Promise<void> => {
      for (; !isDone; turns += 1) await turn();
    };
    const counting = count();
    for (let round = 0; round < 5; round += 1) {
      for (const audience of audiences)
        await hub.emit([{ op: 'refresh_item', name: 'ticket', id: round }], { audience });
    }
    isDone = true;
    await counting;
    expect(turns).toBeGreaterThan(10);
  });
});

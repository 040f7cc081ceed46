import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { invalidate, type Directive } from '@edict/core/protocol';
import type { DirectiveInput } from '../../src/index.ts';
import type { DirectiveCollector } from '../../src/middleware/collector.ts';
import { hubForTest } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { frameworks, serveRoute, type Answer, type Route, type Serve } from './frameworks.ts';
import { asks, ticket } from './requests.ts';

/** A mutation whose client leaves while its handler runs. The handler collects and responds when `respond` is called. */
async function leave(serve: Serve) {
  const leaving = new AbortController();
  let respond = (): void => {};
  let onLeft = (): void => {};
  const hasLeft = new Promise<void>((done) => (onLeft = done));
  const { send, ...seen } = await serveRoute(
    serve,
    (collector, left) => {
      leaving.abort();
      const after = left().then(() => new Promise<void>((done) => ((respond = done), onLeft())));
      return { json: { ok: true }, after: after.then(() => collector.emit([ticket(1)])) };
    },
    hubForTest(),
  );
  await send(asks, 'PUT', 1, leaving.signal).catch(() => {});
  await hasLeft;
  return { respond, ...seen };
}

describe.each(frameworks)('the collector of %s', (_, serve) => {
  const setup = (route: Route, hub = hubForTest()) => serveRoute(serve, route, hub);

  it.each([
    ['without a source, if the response does not contain it', { 'x-service-client-id': 'me' }, undefined],
    ['with the client as its source, if the response contains it', asks, 'me'],
  ])('D-HUB-12 emits a directive that names a source itself %s', async (_name, headers, source) => {
    const hub = hubForTest();
    const emitted: Directive[] = [];
    const { send } = await setup(
      (collector) => {
        collector.emit([
          ticket(1, { source: 'me' }),
          invalidate([ticket(2, { source: 'me' })], { source: 'me' }),
        ]);
        return { json: { ok: true } };
      },
      {
        ...hub,
        async emit(...given) {
          emitted.push(...(await hub.emit(...given)));
          return emitted;
        },
      },
    );
    await send(headers);
    expect(emitted.map((directive) => directive.source)).toEqual([source, source]);
    expect(emitted[1]).toMatchObject({ targets: [expect.not.objectContaining({ source: 'me' })] });
  });

  it('D-HUB-6 lets a hub that closes wait for the directives of a mutation', async () => {
    const hub = hubForTest();
    let commit = (): void => {};
    let hasStarted = (): void => {};
    const started = new Promise<void>((done) => (hasStarted = done));
    const { send, lines } = await setup((collector) => {
      hasStarted();
      const committed = new Promise<void>((done) => (commit = done));
      return { json: { ok: true }, after: committed.then(() => collector.emit([ticket(1)])) };
    }, hub);
    const response = send();
    await started;
    let isClosed = false;
    const closed = hub.close().then(() => (isClosed = true));
    await hubForTest().close(); // It began to close later, and waits for nothing.
    expect(isClosed).toBe(false);
    commit();
    expect(await (await response).json()).toMatchObject({ directives: [{ id: 1, seq: expect.any(Number) }] });
    await closed;
    expect([hub.metrics().emits, lines]).toEqual([1, []]);
  });

  it('D-HUB-6 lets a hub that closes wait for the directives of a mutation whose client has left', async () => {
    const { hub, respond, lines } = await leave(serve);
    let isClosed = false;
    const closed = hub.close().then(() => (isClosed = true));
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    respond();
    await closed;
    expect([hub.metrics().emits, lines]).toEqual([1, []]);
  });

  it('D-HUB-6 lets a hub close during a read', async () => {
    const { hub } = simulate(); // Its time limit is never reached.
    let respond = (): void => {};
    let hasStarted = (): void => {};
    const started = new Promise<void>((done) => (hasStarted = done));
    const { send } = await setup(() => {
      hasStarted();
      return { json: { ok: true }, after: new Promise<void>((done) => (respond = done)) };
    }, hub);
    const response = send(asks, 'GET');
    await started;
    await hub.close();
    respond();
    expect((await response).status).toBe(200);
  });

  it('D-HUB-7 waits for one deadline of the backplane for any number of lists', async () => {
    const hub = hubForTest();
    const waiting: (() => void)[] = [];
    const { send } = await setup(
      (collector) => {
        for (const id of [1, 2, 3]) collector.emit([ticket(id)]);
        return { json: { ok: true } };
      },
      {
        ...hub,
        // No list is confirmed before all three are in flight.
        emit(list, options) {
          const emitted = hub.emit(list, options);
          return new Promise((resolve) => {
            waiting.push(() => resolve(emitted));
            if (waiting.length === 3) for (const confirm of waiting) confirm();
          });
        },
      },
    );
    const { directives } = (await (await send()).json()) as { directives: { id: number; seq: number }[] };
    expect(directives.map(({ id }) => id)).toEqual([1, 2, 3]);
    const seqs = directives.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_seq, index) => (seqs[0] ?? 0) + index));
  });

  it('D-HUB-12 emits a directive that is collected after the response without a source, and logs it', async () => {
    let late: DirectiveCollector | undefined;
    const { hub, send, sources, lines } = await setup((collector) => {
      collector.emit([ticket(1)]);
      late = collector;
      return { json: { ok: true } };
    });
    await send();
    late?.emit([ticket(2)]);
    expect(sources).toEqual(['me', null]);
    expect(lines).toEqual([expect.stringMatching(/^PUT \/tickets\/:id: directives .* after the response/)]);
    await hub.emit([ticket(3)]); // Resolves after the late directive was emitted.
    expect(hub.metrics().emits).toBe(3);
  });

  it.each<[string, Answer, number]>([
    ['responds with 4xx', { status: 409, json: { error: 'conflict' } }, 409],
    ['throws', { throws: true }, 500],
  ])(
    'D-HUB-12 drops the directives of a handler that %s, also those that it collects later',
    async (_name, answer, status) => {
      let late: DirectiveCollector | undefined;
      const { send, sources } = await setup((collector) => {
        collector.emit([ticket(1)]);
        late = collector;
        return answer;
      });
      const response = await send();
      late?.emit([ticket(2)]);
      expect(response.status).toBe(status);
      expect(await response.text()).not.toContain('directives');
      expect(sources).toEqual([]);
    },
  );

  it.each<[string, Parameters<DirectiveCollector['emit']>, string]>([
    [
      'D-HUB-12 an invalid directive',
      [[ticket(1), { op: 'refresh_item', name: 'ticket' } as DirectiveInput]],
      'directives[1].id',
    ],
    [
      'D-HUB-1 a misspelled option, which would send the directive to all clients',
      [[ticket(1)], { audiences: 'team-7' } as object],
      'audiences is not an option. Use one of: audience, source.',
    ],
    [
      'D-HUB-1 a directive for another audience than that of the list',
      [[ticket(1, { audience: 'team-7' })], { audience: 'team-8' }],
      'directives[0].audience',
    ],
    [
      'D-HUB-1 an invalidate with a target for another audience',
      [[{ op: 'invalidate', targets: [ticket(1, { audience: 'team-7' })] }]],
      'directives[0].targets[0].audience',
    ],
  ])('throws for %s, and drops only this list', async (_name, given, fault) => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(2)]);
      expect(() => collector.emit(...given)).toThrow(TypeError);
      expect(() => collector.emit(...given)).toThrow(`[edict] emit: ${fault}`);
      return { json: { ok: true } };
    });
    const response = await send();
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ directives: [{ id: 2 }] });
    expect(hub.metrics().emits).toBe(1);
  });

  it('D-HUB-12 fails a request whose handler does not catch the error', async () => {
    const { hub, send } = await setup((collector) => {
      collector.emit([ticket(2)]);
      collector.emit([ticket(1, { audience: 'team-7' })], { audience: 'team-8' });
      return { json: { ok: true } };
    });
    expect((await send()).status).toBe(500);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-12 keeps the response, and logs an error, when the hub refuses some of the directives', async () => {
    const { hub, send, lines } = await setup(
      (collector) => {
        collector.emit([ticket(1)]);
        collector.emit([ticket(2, { result: 'x'.repeat(5000) })]);
        collector.emit([ticket(3)]);
        return { json: { ok: true } };
      },
      hubForTest({ limits: { maxEnvelopeBytes: 4096 } }),
    );
    const response = await send();
    expect(response.status).toBe(200);
    const { directives } = (await response.json()) as { directives: { id: number }[] };
    expect(directives.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(hub.metrics().emits).toBe(2);
    expect(lines).toEqual([expect.stringContaining('were not emitted')]);
  });

  it('keeps the response and emits the other lists when one list is longer than clients accept', async () => {
    const { hub, send, lines } = await setup((collector) => {
      collector.emit([ticket(1)]);
      collector.emit(Array.from({ length: 10_001 }, (_, id) => ticket(id)));
      return { json: { ok: true } };
    });
    const response = await send();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
    expect(hub.metrics().emits).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining('were not emitted'));
  });

  it('warns of a mutation without directives by default, but not in production', async () => {
    const lines: string[] = [];
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const mode of ['production', 'development']) {
      vi.stubEnv('NODE_ENV', mode);
      const log = (_level: string, message: string): void => void lines.push(`${mode}: ${message}`);
      const url = await serve(hubForTest(), () => ({ json: {} }), { log });
      await fetch(`${url}/tickets/1`, { method: 'PUT' });
    }
    expect(lines).toEqual([expect.stringMatching(/^development: PUT /)]);
  });

  it('warns once per route whose mutation has no directives, but not for reads or failures', async () => {
    let status = 200;
    const { send, lines } = await setup((collector) => {
      if (status === 201) collector.emit([ticket(1)]);
      return { status, json: {} };
    });
    await send(asks, 'GET');
    status = 500;
    await send();
    status = 201;
    await send();
    expect(lines).toEqual([]);
    status = 200;
    await send(asks, 'PUT', 1);
    await send(asks, 'PUT', 2);
    expect(lines).toEqual([
      expect.stringMatching(/^PUT \/tickets\/:id responded 200 and collected no directive/),
    ]);
    await send(asks, 'DELETE');
    expect(lines).toHaveLength(2);
  });

  it('keeps the response of a mutation when the log throws', async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const failed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const log = (): never => {
      throw new Error('the log is full');
    };
    const url = await serve(hubForTest(), () => ({ json: { ok: true } }), { log, warnWhenSilent: true });
    const answer = await fetch(`${url}/tickets/1`, { method: 'PUT' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true });
    expect(failed).toHaveBeenCalledWith('[edict] The option "log" failed', new Error('the log is full'));
    expect(said).toHaveBeenCalledWith(expect.stringContaining('collected no directive'));
  });
});

// Hono's handlers return a promise, so their end is known.
describe.each(frameworks.filter(([name]) => name !== 'Hono'))('a hub that closes with %s', (_, serve) => {
  it('waits no longer for a handler without a response when its client left 30 s ago', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { hub } = await leave(serve);
    vi.advanceTimersByTime(30_000);
    // Its own deadline never comes, because the time stands still.
    await expect(hub.close()).resolves.toBeUndefined();
  });
});

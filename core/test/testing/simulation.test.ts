import { describe, expect, it, vi } from 'vitest';
import type { Directive } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import type { Simulation } from '@edict/core/testing';
import { untyped } from '../world.ts';

const refreshItem = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

/** Opens a stream and gathers the envelopes that arrive. */
async function listen(
  sim: Simulation,
  query = '',
  options: { headers?: Record<string, string>; signal?: AbortSignal; env?: Simulation['env'] } = {},
) {
  const got: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const state = { status: 0, ended: null as null | string };
  const { env = sim.env, ...init } = options;
  const run = async (): Promise<void> => {
    const response = await env.fetch(`/api/events?client_id=me&audience=global${query}`, init);
    state.status = response.status;
    if (!response.ok || response.body === null) return void (state.ended = await response.text());
    const decoder = new TextDecoder();
    for await (const bytes of response.body) {
      const text = decoder.decode(bytes);
      texts.push(text);
      for (const line of text.split('\n')) if (line.startsWith('data: ')) got.push(JSON.parse(line.slice(6)));
    }
    state.ended = 'closed';
  };
  void run().catch((error: unknown) => (state.ended = String(error)));
  await sim.advance(0);
  return { got, texts, state };
}

const seqs = (envelopes: readonly Record<string, unknown>[]): unknown[] => envelopes.map((one) => one['seq']);

describe('the simulated clock', () => {
  it('runs each timer at its own time, including nested timers', async () => {
    const sim = createSimulation({ startAt: 1000 });
    const seen: number[] = [];
    sim.env.setTimeout(() => {
      seen.push(sim.now());
      sim.env.setTimeout(() => seen.push(sim.now()), 5);
    }, 10);
    sim.env.setTimeout(() => seen.push(sim.now()), 12);
    await sim.advance(20);
    expect(seen).toEqual([1010, 1012, 1015]);
    expect(sim.now()).toBe(1020);
  });

  it('waits for all asynchronous work between two timers', async () => {
    const sim = createSimulation({ startAt: 0 });
    const seen: string[] = [];
    sim.env.setTimeout(() => {
      void (async () => {
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        seen.push(`rest at ${sim.now()}`);
      })();
    }, 1);
    sim.env.setTimeout(() => seen.push('second'), 1);
    await sim.advance(1);
    expect(seen).toEqual(['rest at 1', 'second']);
  });

  it('does not run cleared timers, and counts pending timers', async () => {
    const sim = createSimulation();
    let ran = false;
    const handle = sim.env.setTimeout(() => (ran = true), 5);
    expect(sim.pendingTimers()).toBe(1);
    sim.env.clearTimeout(handle);
    expect(sim.pendingTimers()).toBe(0);
    await sim.advance(10);
    expect(ran).toBe(false);
  });

  it('counts whole milliseconds, so the hub accepts its own sequence numbers after a fractional time', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer();
    await sim.advance(0.5);
    await sim.advance(100.75);
    const start = sim.env.now();
    const woken = sim.sleep(10.9).then(() => sim.env.now());
    await sim.advance(20);
    expect(await woken).toBe(start + 10);
    sim.hub.emit([refreshItem]);
    await sim.advance(1000);
    expect(Number.isInteger(dl.state().sse.lastSeq['global'])).toBe(true);

    sim.link.cut();
    await sim.advance(1000);
    sim.link.restore();
    await sim.advance(5000);
    expect(dl.state().sse.status).toBe('open');
  });

  it('runs many timers in the order of their times', async () => {
    const sim = createSimulation({ seed: 5, startAt: 0 });
    const seen: number[] = [];
    for (let count = 0; count < 300; count += 1) {
      sim.env.setTimeout(() => seen.push(sim.now()), Math.floor(sim.random() * 1000));
    }
    await sim.advance(1000);
    expect(seen).toHaveLength(300);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('advances without setImmediate and MessageChannel, as in Jest, even with fake timers', async () => {
    vi.stubGlobal('setImmediate', undefined);
    vi.stubGlobal('MessageChannel', undefined);
    vi.resetModules();
    const testing = await import('@edict/core/testing');
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const sim = testing.createSimulation({ startAt: 0 });
      const seen: number[] = [];
      sim.env.setTimeout(() => void Promise.resolve().then(() => seen.push(sim.now())), 1);
      await sim.advance(2);
      expect(seen).toEqual([1]);
    } finally {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    }
  });

  it('rejects a second advance while the clock is advancing', async () => {
    const sim = createSimulation();
    const first = sim.advance(1);
    await expect(sim.advance(1)).rejects.toThrow(/Await the call before/);
    await first;
  });
});

describe('the simulated randomness', () => {
  it('repeats a session of tabs that share a stream', async () => {
    const session = async (seed: number): Promise<string[]> => {
      const sim = createSimulation({ seed });
      const browser = sim.createBrowser();
      const events: string[] = [];
      const layers = ['a', 'b', 'c'].map((name) => {
        const tab = browser.createTab();
        tab.link.delay([1, 200]);
        const dl = tab.createDataLayer({ sse: { share: true } });
        dl.onLifecycle('*', ({ event }) => events.push(`${sim.now()} ${name} ${event}`));
        return dl;
      });
      for (let step = 0; step < 10; step += 1) {
        sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
        if (sim.random() < 0.3) sim.hub.end({ retryMs: 100 });
        await sim.advance(sim.random() * 3000);
      }
      for (const dl of layers) dl.dispose();
      return events;
    };
    for (let seed = 1; seed <= 5; seed += 1) expect(await session(seed)).toEqual(await session(seed));
  });

  it('repeats for the same seed and differs for another seed', () => {
    const draw = (seed: number): number[] => {
      const sim = createSimulation({ seed });
      return [sim.env.random(), sim.env.random(), sim.random()];
    };
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('returns ids that no two clients share', () => {
    const sim = createSimulation();
    const ids = [sim.env.newId(), sim.createClient().env.newId(), sim.env.newId()];
    expect(new Set(ids).size).toBe(3);
  });
});

describe('the simulated hub', () => {
  it('D-HUB-1 adds audience, sequence number, source, and key, and keeps an existing key', () => {
    const sim = createSimulation({ startAt: 1000 });
    const stamped = sim.hub.emit([refreshItem, { ...refreshItem, idempotency_key: 'mine' }], {
      source: 'me',
    });
    expect(stamped).toEqual([
      { ...refreshItem, audience: 'global', seq: 1_000_001, source: 'me', idempotency_key: 'key-1' },
      { ...refreshItem, audience: 'global', seq: 1_000_001, source: 'me', idempotency_key: 'mine' },
    ]);
  });

  it('D-HUB-1 numbers each audience separately and rejects a directive for another audience', () => {
    const sim = createSimulation({ startAt: 1000 });
    const stamped = sim.hub.emit([refreshItem, { ...refreshItem, audience: 'team-7' }, refreshItem]);
    expect(stamped.map(({ audience, seq }) => [audience, seq])).toEqual([
      ['global', 1_000_001],
      ['global', 1_000_001],
      ['team-7', 1_000_001],
    ]);
    expect(() => sim.hub.emit([{ ...refreshItem, audience: 'team-7' }], { audience: 'global' })).toThrow(
      new TypeError(
        '[edict] Simulation: emit: directives[0].audience is "team-7", but the call is for "global". Emit it in its own call.',
      ),
    );
    expect(() => sim.hub.emit({} as Directive[])).toThrow(
      /accepts a list of directives, but received object/,
    );
    expect(() => sim.hub.emit([5 as unknown as Directive])).toThrow(
      /directives\[0\] must be a directive, but is 5/,
    );
  });

  it('D-HUB-5 rejects a malformed directive with the path of the issue and assigns no sequence number', () => {
    const sim = createSimulation({ startAt: 1000 });
    const wrong = { op: 'invalidate', targets: [{ op: 'refresh_item', name: 'ticket' }] };
    expect(() => sim.hub.emit([refreshItem, wrong as unknown as Directive])).toThrow(TypeError);
    expect(() => sim.hub.emit([refreshItem, wrong as unknown as Directive])).toThrow(
      /directives\[1\]\.targets\[0\]\.id/,
    );
    expect(sim.hub.cursor()).toEqual({ audience: 'global', seq: 1_000_000 });
  });

  it.each<[string, unknown[], object, RegExp]>([
    [
      'a misspelled option, which would reach every client',
      [refreshItem],
      { audiences: 'a' },
      /no option audiences/,
    ],
    ['no audience at all', [refreshItem], { audience: [] }, /audience of emit is an empty list/],
    ['a source that is no string', [refreshItem], { source: 5 }, /source must be a string or null, not 5/],
    ['an audience without a name', [refreshItem], { audience: '' }, /audience of directives\[0\] is ""/],
    ['an own audience with a line break', [{ ...refreshItem, audience: 'a\n' }], {}, /is "a\\n"/],
    [
      'a target with another audience than its wrapper',
      [{ op: 'invalidate', targets: [{ ...refreshItem, audience: 'a' }] }],
      {},
      /directives\[0\]\.targets\[0\]\.audience is "a", but the call is for "global"/,
    ],
  ])('D-HUB-1 rejects like a real hub: %s', (_, list, options, reason) => {
    const sim = createSimulation();
    expect(() => sim.hub.emit(list as Directive[], options)).toThrow(reason);
    expect(sim.hub.cursor().seq).toBe(sim.hub.cursor('a').seq);
  });

  it('D-HUB-1 sends once to an audience that is named twice, and to the default audience if none is named', () => {
    const sim = createSimulation();
    const audiences = (options: object): unknown[] =>
      sim.hub.emit([refreshItem], options).map(({ audience }) => audience);
    expect(audiences({ audience: ['a', 'a', 'b'] })).toEqual(['a', 'b']);
    expect(audiences({ audience: null })).toEqual(['global']);
  });

  it('sends its position in the greeting, which is recovered if nothing was emitted', async () => {
    const sim = createSimulation({ startAt: 1000 });
    const { got } = await listen(sim);
    expect(got).toEqual([
      {
        type: 'directives',
        seq: 1_000_000,
        audience: 'global',
        directives: [],
        recovered: true,
        heartbeat_ms: 15_000,
      },
    ]);
  });

  it('sends a greeting that is not recovered to a subscriber without a cursor after an emit', async () => {
    const sim = createSimulation();
    sim.hub.emit([refreshItem]);
    const { got } = await listen(sim);
    expect(got[0]).toMatchObject({ recovered: false, directives: [] });
  });

  it('replays the envelopes after last_seq, then sends the greeting', async () => {
    const sim = createSimulation({ startAt: 1000 });
    for (let count = 0; count < 3; count += 1) sim.hub.emit([refreshItem]);
    const { got } = await listen(sim, '&last_seq=1000001');
    expect(seqs(got)).toEqual([1_000_002, 1_000_003, 1_000_003]);
    expect(got[2]).toMatchObject({ recovered: true, directives: [] });
  });

  it('prefers Last-Event-ID over last_seq, and treats an invalid one as a replay miss', async () => {
    const sim = createSimulation({ startAt: 1000 });
    for (let count = 0; count < 3; count += 1) sim.hub.emit([refreshItem]);
    const resumed = await listen(sim, '&last_seq=1000001', { headers: { 'last-event-id': '1000002' } });
    expect(seqs(resumed.got)).toEqual([1_000_003, 1_000_003]);
    const missed = await listen(sim, '', { headers: { 'last-event-id': 'x' } });
    expect(missed.got[0]).toMatchObject({ recovered: false });
  });

  it('replays two seconds more than since_ms, and is recovered as far as the log reaches', async () => {
    const sim = createSimulation();
    sim.hub.emit([refreshItem]);
    await sim.advance(10_000);
    sim.hub.emit([refreshItem]);
    await sim.advance(1500);
    sim.hub.emit([refreshItem]);
    await sim.advance(500);
    const { got } = await listen(sim, '&since_ms=600');
    expect(got).toHaveLength(3);
    expect(got[2]).toMatchObject({ recovered: true });
    expect((await listen(sim, '&since_ms=600000')).got[0]).toMatchObject({ recovered: false });
    expect((await listen(sim, '&since_ms=0')).got).toHaveLength(1);
  });

  it('sends a greeting that is not recovered if the log no longer reaches back to last_seq', async () => {
    const sim = createSimulation({ startAt: 1000, replay: { maxEnvelopes: 2 } });
    for (let count = 0; count < 4; count += 1) sim.hub.emit([refreshItem]);
    expect((await listen(sim, '&last_seq=1000001')).got[0]).toMatchObject({
      recovered: false,
      seq: 1_000_004,
    });
    expect((await listen(sim, '&last_seq=1000002')).got).toHaveLength(3);
  });

  it('sends a heartbeat for each audience without a frame', async () => {
    const sim = createSimulation({ startAt: 1000 });
    const { got } = await listen(sim, '&audience=team');
    await sim.advance(5000);
    sim.hub.emit([refreshItem]);
    await sim.advance(10_000);
    const beats = (): unknown[] => got.slice(3).map((one) => [one['audience'], one['seq']]);
    expect(beats()).toEqual([['team', 1_000_000]]);
    await sim.advance(5000);
    expect(beats()).toEqual([
      ['team', 1_000_000],
      ['global', 1_000_001],
    ]);
  });

  it.each([
    [{ numbers: 'kept' }, true, 1_000_001],
    [{ numbers: 'kept', log: 'lost' }, true, 1_000_001],
    [{ numbers: 'clock' }, false, 1_500_000],
    [{ numbers: 'zero' }, false, 0],
  ] as const)(
    'sends a greeting to a current client after a restart with %j',
    async (restart, recovered, seq) => {
      const sim = createSimulation({ startAt: 1000 });
      const first = await listen(sim);
      sim.hub.emit([refreshItem]);
      await sim.advance(500);
      sim.hub.restart(restart);
      await sim.advance(0);
      expect(first.state.ended).toMatch(/network error/);
      const { got } = await listen(sim, '&last_seq=1000001');
      expect(got).toHaveLength(1);
      expect(got[0]).toMatchObject({ recovered, seq });
    },
  );

  it('announces its heartbeat interval in a header', async () => {
    const sim = createSimulation({ heartbeatMs: 4000 });
    const { headers } = await sim.env.fetch('/api/events');
    expect(headers.get('x-service-heartbeat-ms')).toBe('4000');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('refuses with the code and audience from the test', async () => {
    const sim = createSimulation();
    sim.hub.refuse({ status: 403, code: 'audience_refused', audience: 'team-7' });
    const dl = sim.createDataLayer();
    const errors: unknown[] = [];
    dl.onLifecycle('sse:error', ({ detail }) => errors.push(detail));
    await sim.advance(10);
    expect(errors).toMatchObject([{ status: 403, code: 'audience_refused', audience: 'team-7' }]);
    dl.dispose();
  });

  it('delays the bodies of streams while the link buffers', async () => {
    const sim = createSimulation();
    sim.link.buffer();
    const dl = sim.createDataLayer({ sse: { retryJitter: 0 } });
    const errors: unknown[] = [];
    dl.onLifecycle('sse:error', ({ detail }) => errors.push(detail.reason));
    await sim.advance(30_000);
    expect(dl.state().sse).toMatchObject({ connected: true, lastSeq: {} });
    await sim.advance(8000);
    expect(errors).toEqual(['silent']);
    sim.link.restore();
    await sim.advance(2000);
    expect(dl.state().sse.lastSeq).toEqual({ global: sim.hub.cursor().seq });
    dl.dispose();
  });

  it('refuses invalid parameters and every connection that the test refuses', async () => {
    const sim = createSimulation();
    expect((await listen(sim, '&audience=global')).state.status).toBe(400);
    expect((await listen(sim, '&last_seq=x')).state.status).toBe(400);
    expect((await listen(sim, '&last_seq=1&last_seq=2')).state.status).toBe(400);
    sim.hub.refuse({ status: 503, headers: { 'retry-after': '3' }, count: 1 });
    expect((await listen(sim)).state.status).toBe(503);
    expect((await listen(sim)).state.status).toBe(200);
  });

  it('closes streams, after a retry field if the test passes one', async () => {
    const sim = createSimulation();
    const { texts, state } = await listen(sim);
    sim.hub.end({ retryMs: 120 });
    await sim.advance(0);
    expect(texts.at(-1)).toBe('retry: 120\n\n');
    expect(state.ended).toBe('closed');
    expect(sim.hub.connections()).toEqual([]);
  });

  it('removes a connection that its client aborted', async () => {
    const sim = createSimulation();
    const giveUp = new AbortController();
    const { state } = await listen(sim, '', { signal: giveUp.signal });
    expect(sim.hub.connections()).toEqual([{ clientId: 'me', audiences: ['global'] }]);
    giveUp.abort();
    await sim.advance(0);
    expect(sim.hub.connections()).toEqual([]);
    expect(state.ended).toMatch(/AbortError/);
  });
});

describe('the simulated link', () => {
  it('delays each message by the latency and keeps their order', async () => {
    const sim = createSimulation({ startAt: 1000 });
    sim.link.delay([10, 40]);
    sim.hub.cursor();
    const { got } = await listen(sim);
    expect(got).toEqual([]);
    await sim.advance(80);
    for (let count = 0; count < 5; count += 1) sim.hub.emit([refreshItem]);
    expect(got).toHaveLength(1);
    await sim.advance(40);
    expect(seqs(got)).toEqual([1_000_000, 1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_005]);
  });

  it('drops, duplicates, and reorders the next frames', async () => {
    const sim = createSimulation({ startAt: 0 });
    const { got } = await listen(sim);
    const emit = (): unknown => sim.hub.emit([refreshItem]);
    sim.link.drop();
    emit();
    sim.link.duplicate();
    emit();
    sim.link.reorder();
    emit();
    emit();
    sim.link.reorder();
    emit();
    await sim.advance(1000);
    expect(seqs(got)).toEqual([0, 2, 2, 4, 3, 5]);
  });

  it('fails streams and requests when cut, and allows new ones when restored', async () => {
    const sim = createSimulation();
    sim.route('GET /slow', () => sim.sleep(100));
    const { state } = await listen(sim);
    const asked = sim.env.fetch('/slow').catch(String);
    await sim.advance(10);
    sim.link.cut();
    await sim.advance(0);
    expect(state.ended).toMatch(/network error/);
    expect(await asked).toMatch(/fetch failed/);
    expect(sim.hub.connections()).toEqual([]);
    await expect(sim.env.fetch('/slow')).rejects.toThrow('fetch failed');
    sim.link.restore();
    expect((await listen(sim)).got).toHaveLength(1);
  });

  it('delivers nothing and reports no error while it hangs', async () => {
    const sim = createSimulation();
    const { got, state } = await listen(sim);
    sim.link.hang();
    sim.hub.emit([refreshItem]);
    await sim.advance(60_000);
    const begun = await listen(sim);
    expect(begun.got).toEqual([]);
    sim.link.restore();
    sim.hub.emit([refreshItem]);
    await sim.advance(60_000);
    expect(got).toHaveLength(1);
    expect(state.ended).toBeNull();
    expect(begun.got.length).toBeGreaterThan(1);
  });

  it('loses a request before it reaches the server, or its response afterwards', async () => {
    const sim = createSimulation();
    let served = 0;
    sim.route('POST /things', () => void (served += 1));
    const post = (): Promise<string> =>
      sim.env.fetch('/things', { method: 'POST' }).then((r) => String(r.status), String);
    sim.link.loseRequests();
    expect(await post()).toMatch(/fetch failed/);
    expect(served).toBe(0);
    sim.link.loseAnswers();
    expect(await post()).toMatch(/fetch failed/);
    expect(served).toBe(1);
    expect(await post()).toBe('204');
  });

  it('is separate for each client', async () => {
    const sim = createSimulation();
    const other = sim.createClient();
    other.link.cut();
    expect((await listen(sim)).got).toHaveLength(1);
    expect((await listen(sim, '', { env: other.env })).state.ended).toMatch(/fetch failed/);
  });
});

describe('the simulated server', () => {
  it('responds with JSON and passes params, body, and client id to the route', async () => {
    const sim = createSimulation();
    sim.route('PATCH /tickets/:id', ({ params, body, clientId }) => ({ params, body, clientId }));
    const init = { method: 'PATCH', body: '{"a":1}', headers: { 'X-Service-Client-ID': 'me' } };
    const response = await sim.env.fetch('/tickets/a%20b', init);
    expect(await response.json()).toEqual({ params: { id: 'a b' }, body: { a: 1 }, clientId: 'me' });
    // The fetch of the platform accepts null too.
    expect((await sim.env.fetch('/nowhere', null as never)).status).toBe(404);
    expect(sim.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      'PATCH /tickets/a%20b',
      'GET /nowhere',
    ]);
  });

  it('passes a form or a file to its route, which reads it from the request', async () => {
    const sim = createSimulation();
    sim.route('POST /files', async ({ request, body }) => {
      const file = (await request.formData()).get('file');
      return { body, text: file instanceof Blob ? await file.text() : file };
    });
    sim.route('PUT /notes', async ({ request, body }) => ({ body, text: await request.text() }));
    const form = new FormData();
    form.set('file', new Blob(['bytes']), 'a.txt');
    const uploaded = await sim.env.fetch('/files', { method: 'POST', body: form });
    expect(await uploaded.json()).toEqual({ body: null, text: 'bytes' });
    const noted = await sim.env.fetch('/notes', { method: 'PUT', body: 'so it is' });
    expect(await noted.json()).toEqual({ body: null, text: 'so it is' });
    const headers = { 'content-type': 'application/json' };
    expect((await sim.env.fetch('/notes', { method: 'PUT', body: '{', headers })).status).toBe(500);
  });

  it('responds with 500 if a route throws', async () => {
    const sim = createSimulation();
    sim.route('GET /bad', () => {
      throw new Error('no');
    });
    expect((await sim.env.fetch('/bad')).status).toBe(500);
  });

  it('rejects an aborted request with the reason of its signal', async () => {
    const sim = createSimulation();
    sim.route('GET /slow', () => sim.sleep(100));
    const giveUp = new AbortController();
    const asked = sim.env.fetch('/slow', { signal: giveUp.signal });
    giveUp.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

describe('the simulated page', () => {
  it('notifies its listeners of changes only', () => {
    const sim = createSimulation();
    const seen: string[] = [];
    const stop = sim.env.page?.onChange((what) => seen.push(what));
    sim.page.setVisible(false);
    sim.page.setVisible(false);
    sim.page.setOnline(false);
    sim.page.hide();
    sim.page.restore();
    expect(seen).toEqual(['visibility', 'network', 'hide', 'restore']);
    expect(sim.env.page?.isVisible()).toBe(false);
    stop?.();
    expect(sim.page.listeners()).toBe(0);
  });

  it('records reloads and logs, and keeps the session store', () => {
    const sim = createSimulation({ startAt: 5 });
    sim.env.reloadPage?.(true);
    sim.env.log('warn', 'hm', 1);
    sim.env.sessionStore?.set('a', 'b');
    expect(sim.reloads).toEqual([{ at: 5, hard: true }]);
    expect(sim.log).toEqual([{ at: 5, level: 'warn', message: 'hm', detail: 1 }]);
    expect(sim.env.sessionStore?.get('a')).toBe('b');
    expect(createSimulation({ isBrowser: false }).env.page).toBeNull();
  });
});

describe('a data layer in the simulated world', () => {
  it('is initialized, connects, fetches over the simulated network, and leaves no timers', async () => {
    const sim = createSimulation();
    sim.link.delay(20);
    sim.route('GET /tickets/:id', ({ params }) => ({ id: params['id'], title: 'first' }));
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      fetch: async (id, { signal }) => (await sim.env.fetch(`/tickets/${id}`, { signal })).json(),
    });
    const ref = dl.fetchItem('ticket', 7);
    await sim.settled();
    expect(ref.data).toEqual({ id: '7', title: 'first' });
    expect(dl.state().sse).toMatchObject({ connected: true, status: 'open' });
    dl.dispose();
    expect(sim.pendingTimers()).toBe(0);
    expect(sim.page.listeners()).toBe(0);
  });

  it('settles only when emitted changes were fetched and shown', async () => {
    const sim = createSimulation();
    sim.link.delay([5, 50]);
    let title = 'first';
    const dl = sim.createDataLayer();
    dl.createType('ticket', {
      async fetch(id) {
        await sim.sleep(300);
        return { id, title };
      },
    });
    const ref = dl.fetchItem('ticket', 7);
    await sim.settled();
    title = 'second';
    sim.hub.emit([refreshItem]);
    await sim.settled();
    expect(ref.data).toEqual({ id: 7, title: 'second' });
  });

  it('settles only when a pending resync is finished', async () => {
    const sim = createSimulation();
    let title = 'first';
    const dl = sim.createDataLayer();
    dl.createType('ticket', { fetch: (id) => ({ id, title }) });
    const ref = dl.fetchItem('ticket', 7);
    dl.onRefChange(ref, () => undefined);
    await sim.settled();
    title = 'second';
    sim.hub.lose();
    sim.hub.emit([{ ...refreshItem, id: 8 }]);
    await sim.settled();
    expect(ref.data).toEqual({ id: 7, title: 'second' });
  });

  it('reports what is in flight when nothing ever settles', async () => {
    const sim = createSimulation();
    const dl = sim.createDataLayer();
    dl.createType('ticket', { fetch: () => new Promise(() => undefined), timeoutMs: 0 });
    dl.fetchItem('ticket', 7);
    await expect(sim.settled()).rejects.toThrow(/1 data layers are busy/);
  });

  it('does not wait for a tab that crashed', async () => {
    const sim = createSimulation();
    const tab = sim.createBrowser().createTab();
    const dl = tab.createDataLayer();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.fetchItem('ticket', 7);
    await sim.settled();
    sim.hub.lose();
    sim.hub.emit([refreshItem]); // A resync is scheduled, and the item waits in the window.
    await sim.advance(1);
    tab.crash();
    await expect(sim.settled()).resolves.toBeUndefined();
  });

  it('D-NAME-3 shares nothing with the data layer of another client', async () => {
    const sim = createSimulation();
    const mine = sim.createDataLayer();
    const other = sim.createClient();
    const theirs = other.createDataLayer();
    expect(mine.clientId()).not.toBe(theirs.clientId());
    await sim.settled();
    other.link.cut();
    await sim.advance(0);
    expect([mine.state().sse.connected, theirs.state().sse.connected]).toEqual([true, false]);
    expect(sim.hub.connections()).toHaveLength(1);
  });
});

describe('an option', () => {
  it.each<[object, string]>([
    [{ sed: 7 }, 'sed is not an option. Use one of: isBrowser, seed, startAt,'],
    [untyped(null), 'the options must be an object, but they are null.'],
    [untyped(7), 'the options must be an object, but they are 7.'],
    [{ seed: '7' }, 'seed must be of type number, not string.'],
    [{ seed: Number.NaN }, 'seed must be of type number, not NaN.'],
    [{ startAt: '2026-01-01' }, 'startAt must be of type number, not string.'],
    [
      { origin: 'app.test' },
      'origin must be a scheme and a host, such as "https://app.test", but it is "app.test".',
    ],
    [
      { origin: 'https://app.test/' },
      'origin must be a scheme and a host, such as "https://app.test", but it is',
    ],
    [{ streamPath: 'events' }, 'streamPath must begin with /, but it is "events".'],
    [{ params: { client: 'id' } }, 'params.client is not an option. Use one of: clientId, audience.'],
    [
      { replay: { maxEnvelope: 5 } },
      'replay.maxEnvelope is not an option. Use one of: maxEnvelopes, maxAgeMs.',
    ],
  ])('of a simulation that is misspelled or wrong throws a TypeError: %j', (options, message) => {
    expect(() => createSimulation(options)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringContaining(`[edict] createSimulation: ${message}`) as string,
      }),
    );
  });

  it('of a route without a handler throws a TypeError', () => {
    expect(() => createSimulation().route('GET /tickets', untyped([]))).toThrow(
      new TypeError(
        '[edict] Simulation: the handler of route "GET /tickets" must be a function. Pass one that returns the response.',
      ),
    );
  });

  it('of a client that is misspelled throws a TypeError', () => {
    const options: object = { isBrowse: false };
    expect(() => createSimulation().createClient(options)).toThrow(
      '[edict] createClient: isBrowse is not an option. Use one of: isBrowser.',
    );
  });
});

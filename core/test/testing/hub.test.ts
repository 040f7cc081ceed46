import { describe, expect, it } from 'vitest';
import type { Directive } from '@edict/core';
import { createSimulation } from '@edict/core/testing';
import { listen, seqs } from './listen.ts';

const refreshItem = { op: 'refresh_item', name: 'ticket', id: 7 } as const;

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

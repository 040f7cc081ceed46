import type { Directive, InvalidateDirective } from '@edict/core/protocol';
import { describe, expect, it } from 'vitest';
import type { DirectiveInput, HubOptions } from '../../src/index.ts';
import { envelopesOf, idsOf } from '../support/stream.ts';
import { simulate } from '../support/simulated.ts';

const ticket = (id: number, more: object = {}): Directive => ({
  op: 'refresh_item',
  name: 'ticket',
  id,
  ...more,
});
const open: HubOptions = { authorize: () => true };

/** Passes a value as an untyped caller might. */
const untyped = (value: unknown): DirectiveInput[] => value as DirectiveInput[];

describe('emit', () => {
  it('D-HUB-1 adds audience, sequence number, source and key, and delivers the directives that it resolves to', async () => {
    const { hub, open: openStream, world } = simulate();
    const stream = await openStream();
    const stamped = await hub.emit([ticket(1), ticket(2, { idempotency_key: 'mine' })], {
      source: 'client-1',
    });
    await world.drain();
    const seq = stream.frames[0]?.envelope?.seq ?? 0;
    expect(stamped).toEqual([
      { ...ticket(1), idempotency_key: 'id-1', source: 'client-1', audience: 'global', seq: seq + 1 },
      { ...ticket(2), idempotency_key: 'mine', source: 'client-1', audience: 'global', seq: seq + 1 },
    ]);
    expect(stream.frames[1]).toEqual({
      id: String(seq + 1),
      event: 'message',
      retry: null,
      envelope: { type: 'directives', seq: seq + 1, audience: 'global', directives: stamped },
    });
  });

  it('D-HUB-1 D-DIR-11 replaces an empty key, which clients would ignore', async () => {
    const { hub } = simulate();
    const [stamped] = await hub.emit([ticket(1, { idempotency_key: '' })]);
    expect(stamped?.idempotency_key).toBe('id-1');
  });

  it.each([
    [
      'a string',
      'team-7',
      '[edict] emit: options must be an object such as { audience, source }, not "team-7".',
    ],
    [
      'a misspelt option',
      { audiences: 'team-7' },
      '[edict] emit: audiences is not an option. Use one of: audience, source.',
    ],
  ])(
    'D-HUB-1 rejects %s as its options, so that no private data is broadcast',
    async (_, options, message) => {
      const { hub, open: openStream, world } = simulate();
      const stream = await openStream();
      await expect(hub.emit([ticket(1)], options as object)).rejects.toThrow(new TypeError(message));
      await world.drain();
      expect(stream.frames).toHaveLength(1);
    },
  );

  it('D-HUB-1 sends each directive to its own audience, in one envelope per audience and in the order of the list', async () => {
    const { hub, open: openStream, world } = simulate(open);
    const stream = await openStream('?audience=a&audience=b&audience=global');
    const list = [
      ticket(1, { audience: 'b' }),
      ticket(2),
      ticket(3, { audience: 'a' }),
      ticket(4, { audience: 'b' }),
    ];
    const stamped = await hub.emit(list);
    await world.drain();
    expect(stamped.map(({ audience }) => audience)).toEqual(['b', 'global', 'a', 'b']);
    const sent = envelopesOf(stream.frames.slice(3));
    expect(sent.map(({ audience, directives }) => [audience, directives.length])).toEqual([
      ['b', 2],
      ['global', 1],
      ['a', 1],
    ]);
  });

  it('D-HUB-1 sends to every audience of a list, with the same key and the sequence number of each audience', async () => {
    const { hub } = simulate(open);
    await hub.cursor('a');
    const before = [await hub.cursor('a'), await hub.cursor('b')];
    const stamped = await hub.emit([ticket(1)], { audience: ['a', 'b', 'a'], source: 'me' });
    expect(stamped.map(({ audience, seq, source }) => ({ audience, seq, source }))).toEqual(
      before.map(({ audience, seq }) => ({ audience, seq: seq + 1, source: 'me' })),
    );
    expect(new Set(stamped.map((directive) => directive.idempotency_key)).size).toBe(1);
  });

  it('D-HUB-1 overwrites the sequence number of a directive, and removes it from targets', async () => {
    const { hub } = simulate();
    const [wrapper] = await hub.emit([
      { op: 'invalidate', idempotency_key: 'mine', seq: 7, targets: [ticket(1, { seq: 9 })] },
    ]);
    const { seq } = await hub.cursor();
    expect(wrapper).toMatchObject({ op: 'invalidate', idempotency_key: 'mine', seq, targets: [ticket(1)] });
    const [target] = (wrapper as InvalidateDirective).targets;
    expect(target).not.toHaveProperty('seq');
  });

  it('D-HUB-1 overwrites the source of targets if the call has a source', async () => {
    const { hub } = simulate();
    const inner = { op: 'invalidate' as const, targets: [ticket(1, { source: 'own' })] };
    const [named] = await hub.emit([{ op: 'invalidate', targets: [inner] }], { source: 'call' });
    expect(named).toMatchObject({ source: 'call', targets: [{ targets: [ticket(1)] }] });
    expect(JSON.stringify(named)).not.toContain('own');
    const [unnamed] = await hub.emit([inner]);
    expect(unnamed).toMatchObject({ targets: [ticket(1, { source: 'own' })] });
  });

  it('D-HUB-1 keeps the source of a directive if the call has no source', async () => {
    const { hub } = simulate();
    const [own, none] = await hub.emit([ticket(1, { source: 'own' }), ticket(2)], { source: null });
    expect(own?.source).toBe('own');
    expect(none).not.toHaveProperty('source');
  });

  it.each([
    ['a directive', [ticket(1), ticket(2, { audience: 'team-7' })], 'directives[1].audience'],
    [
      'a target',
      [{ op: 'invalidate', targets: [ticket(1, { audience: 'team-7' })] }],
      'directives[0].targets[0].audience',
    ],
  ])(
    'D-HUB-1 rejects %s that is for another audience, so that no private data is broadcast',
    async (_, list, path) => {
      const { hub } = simulate(open);
      const before = await hub.cursor();
      await expect(hub.emit(untyped(list), { audience: 'global' })).rejects.toThrow(path);
      expect(await hub.cursor()).toEqual(before);
    },
  );

  it('D-HUB-1 rejects a target for another audience than that of its wrapper when the call has no audience', async () => {
    const { hub } = simulate(open);
    const list = untyped([{ op: 'invalidate', targets: [ticket(1, { audience: 'team-7' })] }]);
    await expect(hub.emit(list)).rejects.toThrow(
      'directives[0].targets[0].audience is "team-7", which is not an audience of this list, so other clients would receive it. Emit it in a separate call.',
    );
    await expect(hub.emit(untyped([{ ...list[0], audience: 'team-7' }]))).resolves.toHaveLength(1);
  });

  it('D-HUB-5 rejects a target whose audience has an invalid name', async () => {
    const { hub } = simulate(open);
    const list = untyped([{ op: 'invalidate', audience: 'a', targets: [ticket(1, { audience: '' })] }]);
    await expect(hub.emit(list)).rejects.toThrow('emit: directives[0].targets[0].audience must have');
  });

  it('D-HUB-1 treats null as an omitted option', async () => {
    const { hub } = simulate();
    for (const options of [null, { audience: null, source: null }]) {
      const [stamped] = await hub.emit([ticket(1, { source: 'own' })], options as object);
      expect(stamped).toMatchObject({ audience: 'global', source: 'own' });
    }
  });

  it('D-HUB-5 emits nothing for an empty list', async () => {
    const { hub } = simulate();
    const before = await hub.cursor();
    expect(await hub.emit([])).toEqual([]);
    expect(await hub.cursor()).toEqual(before);
    expect(hub.metrics().emits).toBe(0);
  });

  it('D-HUB-5 copies the list, so later changes by the caller are not sent', async () => {
    const { hub, open: openStream, world } = simulate();
    const stream = await openStream();
    const result = { title: 'before' };
    const emitted = hub.emit([ticket(1, { result })]);
    result.title = 'after';
    await emitted;
    await world.drain();
    expect(stream.text()).toContain('before');
    expect(stream.text()).not.toContain('after');
  });

  it('D-HUB-5 keeps the order of the calls when emits overlap', async () => {
    const { hub, open: openStream, world } = simulate();
    const streams = [await openStream(), await openStream()];
    await Promise.all(Array.from({ length: 50 }, (_, id) => hub.emit([ticket(id)])));
    await world.drain();
    const order = Array.from({ length: 50 }, (_, id) => id);
    for (const stream of streams) expect(idsOf(stream.frames)).toEqual(order);
    const seqs = envelopesOf(streams[0]?.frames ?? []).map(({ seq }) => seq ?? 0);
    expect(seqs).toEqual(seqs.map((_, index) => (seqs[0] ?? 0) + index));
  });
});

describe('an invalidate of every item of a type', () => {
  const everyTicket = { op: 'invalidate', kind: 'item', name: 'ticket' } as const;

  it('D-HUB-5 is completed and delivered like any other directive', async () => {
    const { hub, open: openStream, world } = simulate(open);
    const stream = await openStream('?audience=a');
    const [completed] = await hub.emit([
      everyTicket,
      { ...everyTicket, audience: 'a', id: null } as DirectiveInput,
    ]);
    expect(completed).toMatchObject({ ...everyTicket, audience: 'global', idempotency_key: 'id-1' });
    await world.drain();
    expect(envelopesOf(stream.frames.slice(1)).flatMap(({ directives }) => directives)).toMatchObject([
      { ...everyTicket, audience: 'a' },
    ]);
  });

  it.each([
    ['directives[0].name', { op: 'invalidate', kind: 'item' }],
    ['directives[0].targets', { op: 'invalidate', kind: 'item', name: 'ticket', id: 1 }],
    ['directives[0].targets', { op: 'invalidate', kind: 'collection', name: 'tickets' }],
    ['directives[0].op', { op: 'refresh', kind: 'item', name: 'ticket', id: 1 }],
    ['directives[0].targets[0].targets', { op: 'invalidate', targets: [everyTicket] }],
    ['directives[0].audience', { ...everyTicket, audience: 'a\n' }],
  ])('D-HUB-5 is the only legacy directive that emit accepts: %s is wrong', async (path, directive) => {
    const { hub } = simulate();
    await expect(hub.emit(untyped([directive]))).rejects.toThrow(path);
  });
});

describe('the validation of emit', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = { cycle };
  const deep = (depth: number): unknown => (depth === 1 ? {} : { a: deep(depth - 1) });
  const nested = (depth: number): unknown =>
    depth === 1 ? ticket(1) : { op: 'invalidate', targets: [nested(depth - 1)] };
  const item = (more: object): unknown => [{ op: 'refresh_item', name: 'ticket', id: 1, ...more }];

  it.each([
    ['a value that is no array', { op: 'refresh_item' }, 'directives must be an array, not an object.'],
    ['a directive that is no object', [ticket(1), 5], 'directives[1]: '],
    ['null as a directive', [null], 'directives[0]: '],
    ['a hole', [, ticket(1)], 'directives[0]'], // oxlint-disable-line no-sparse-arrays
    [
      'an unknown op',
      [{ op: 'refresh' }],
      "directives[0].op: Invalid discriminator value. Expected 'refresh_collection' | 'refresh_item' | 'invalidate' | 'force_reload_page', not \"refresh\".",
    ],
    ['a missing name', [{ op: 'refresh_collection' }], 'directives[0].name: expected string, not undefined.'],
    ['an empty name', [{ op: 'refresh_collection', name: '' }], 'directives[0].name'],
    [
      'a missing id',
      [ticket(1), { op: 'refresh_item', name: 'ticket' }],
      'directives[1].id: expected string or expected number, not undefined.',
    ],
    ['an id of another type', item({ id: { nested: true } }), 'directives[0].id'],
    ['NaN as an id', item({ id: Number.NaN }), 'directives[0].id'],
    [
      'params that are a list',
      [{ op: 'refresh_collection', name: 'tickets', params: [] }],
      'directives[0].params',
    ],
    [
      'an unknown mode',
      [{ op: 'refresh_collection', name: 'tickets', params_mode: 'like' }],
      'directives[0].params_mode: Invalid option: expected one of "exact"|"contains", not "like".',
    ],
    ['missing targets', [{ op: 'invalidate' }], 'directives[0].targets'],
    [
      'a wrong target',
      [ticket(1), { op: 'invalidate', targets: [{ op: 'refresh_item', name: 'x' }] }],
      'directives[1].targets[0].id',
    ],
    ['a function', item({ result: { a: [() => 1] } }), 'directives[0].result.a[0]'],
    ['a symbol', item({ result: Symbol('x') }), 'directives[0].result'],
    ['a bigint', item({ result: { count: 1n } }), 'directives[0].result.count'],
    ['NaN', item({ result: { 'odd name': Number.NaN } }), 'directives[0].result["odd name"]'],
    ['a Map', item({ result: new Map() }), 'directives[0].result'],
    [
      'an error',
      item({ result: new Error('no') }),
      'directives[0].result has no JSON form, because it is an instance of Error.',
    ],
    [
      'a Set',
      [{ op: 'refresh_collection', name: 'tickets', params: { tags: new Set() } }],
      'directives[0].params.tags',
    ],
    ['undefined in a list', item({ result: [1, undefined] }), 'directives[0].result[1]'],
    [
      'a cycle',
      item({ result: cycle }),
      'directives[0].result.self.cycle has no JSON form, because it is a cycle.',
    ],
    [
      'a value that is nested too deep',
      item({ result: deep(501) }),
      '.a has no JSON form, because it is a value nested deeper than 500.',
    ],
    [
      'an audience with a control character',
      item({ audience: 'a\nb' }),
      'directives[0].audience must have 1 to 128 characters without control characters, not "a\\nb"',
    ],
    [
      'an audience with half a surrogate pair, which no URL can contain',
      item({ audience: 'a\ud800' }),
      'directives[0].audience must have 1 to 128 characters without control characters, not "a\\ud800"',
    ],
    ['targets that are nested too deep', [nested(10)], 'directives[0]'],
    ['an invalid date', item({ result: { at: new Date(Number.NaN) } }), 'directives[0].result.at'],
    [
      'a getter that throws',
      item({
        result: {
          get total() {
            throw new Error('no total');
          },
        },
      }),
      'directives[0].result.total has no JSON form, because it is something that throws when it is read (Error: no total)',
    ],
    [
      'a toJSON that throws',
      [
        {
          op: 'refresh_collection',
          name: 'tickets',
          params: {
            since: {
              toJSON() {
                throw new Error('no form');
              },
            },
          },
        },
      ],
      'directives[0].params.since',
    ],
  ])('D-HUB-5 rejects %s with the path of the error, and sends nothing', async (_, list, path) => {
    const { hub, open: openStream, world } = simulate();
    const stream = await openStream();
    const before = await hub.cursor();
    const emitted = hub.emit(untyped(list));
    await expect(emitted).rejects.toThrow(TypeError);
    await expect(emitted).rejects.toThrow(path);
    await world.drain();
    expect(stream.frames).toHaveLength(1);
    expect(await hub.cursor()).toEqual(before);
  });

  it('D-HUB-5 accepts values that have a JSON form: dates, null, dropped undefined, a member named __proto__', async () => {
    const { hub, open: openStream, world } = simulate();
    const stream = await openStream();
    const twice = { toJSON: 'data' }; // An object that occurs twice is no cycle.
    const result: unknown = {
      list: [twice, twice, { toJSON: () => null }],
      when: new Date(0),
      gone: undefined,
      nothing: null,
      ...JSON.parse('{"x":{"__proto__":1}}'),
    };
    await hub.emit([ticket(1, { result })]);
    await world.drain();
    expect(stream.text()).toContain(
      '"result":{"list":[{"toJSON":"data"},{"toJSON":"data"},null],"when":"1970-01-01T00:00:00.000Z","nothing":null,"x":{"__proto__":1}}',
    );
  });

  it('D-HUB-5 accepts at most maxDirectivesPerEnvelope directives, targets included', async () => {
    const { hub } = simulate({ limits: { maxDirectivesPerEnvelope: 3 } });
    const wrapper = (count: number): Directive => ({
      op: 'invalidate',
      targets: Array.from({ length: count }, (_, id) => ticket(id)),
    });
    await expect(hub.emit([wrapper(2)])).resolves.toHaveLength(1);
    await expect(hub.emit([wrapper(3)])).rejects.toThrow(
      'more than 3 directives, targets included. Emit them in several calls, or refresh the collection.',
    );
    await expect(hub.emit([ticket(1), ticket(2), ticket(3)])).resolves.toHaveLength(3);
    await expect(hub.emit([ticket(1), ticket(2), ticket(3), ticket(4)])).rejects.toThrow('more than 3');
  });

  it.each([1, 700])('D-HUB-5 rejects an envelope of more bytes than the limit: %i units', async (units) => {
    const audience = '€'.repeat(128);
    const emitWithin = (maxEnvelopeBytes: number) => {
      const simulated = simulate({ authorize: () => true, limits: { maxEnvelopeBytes } });
      const emit = () => simulated.hub.emit([ticket(1, { result: 'ü'.repeat(units) })], { audience });
      return { ...simulated, emit };
    };
    const { open, emit, world } = emitWithin(65_536);
    const stream = await open(`?audience=${audience}`);
    await emit();
    await world.drain();
    const bytes = Buffer.byteLength(stream.text().split('data: ').at(-1)?.trim() ?? '');
    await expect(emitWithin(bytes).emit()).resolves.toHaveLength(1);
    await expect(emitWithin(bytes - 1).emit()).rejects.toThrow(
      `has ${bytes} bytes, but limits.maxEnvelopeBytes is ${bytes - 1}`,
    );
  });

  it.each([
    ['audience', { audience: '' }, 'such names, not ""'],
    ['audience', { audience: [] }, 'Omit it'],
    ['audience', { audience: ['a', 'b\u0000'] }, 'such names, not "b\\u0000"'],
    ['audience', { audience: 'x'.repeat(129) }, `such names, not "${'x'.repeat(40)}…"`],
    ['source', { source: 5 }, 'a string or null, not 5'],
  ])('D-HUB-1 rejects an invalid %s option: %j', async (name, options, words) => {
    const { hub } = simulate();
    await expect(hub.emit([ticket(1)], options as object)).rejects.toThrow(`emit: ${name} must`);
    await expect(hub.emit([ticket(1)], options as object)).rejects.toThrow(words);
  });

  it('rejects after the hub is closed', async () => {
    const { hub } = simulate();
    await hub.close();
    await expect(hub.emit([ticket(1)])).rejects.toThrow('closed');
  });
});

describe('hostile text', () => {
  const nasty = 'a\r\nb\n\ndata: {"type":"directives"}\n\nid: 1\u0000\u007f\u2028\ud800';

  it('stays within one frame if every field contains line ends and control characters', async () => {
    const { hub, open: openStream, world } = simulate();
    const stream = await openStream();
    const directive = ticket(1, {
      name: nasty,
      id: nasty,
      level: nasty,
      result: { [nasty]: nasty },
      idempotency_key: nasty,
    });
    await hub.emit([directive], { source: nasty });
    await world.drain();
    expect(stream.frames).toHaveLength(2);
    const [sent] = envelopesOf(stream.frames.slice(1));
    expect(sent?.directives).toEqual([
      expect.objectContaining({ name: nasty, id: nasty, level: nasty, source: nasty }),
    ]);
    expect(stream.text()).not.toContain('\r');
  });
});

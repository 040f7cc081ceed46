import { describe, expect, it, vi } from 'vitest';
import { invalidate, type Directive } from '@edict/core/protocol';
import type { DirectiveInput, Hub } from '../../src/index.ts';
import { createUnconfirmed } from '../../src/middleware/unconfirmed.ts';
import { playedBackplane } from '../support/recordedBackplane.ts';
import { hubForTest } from '../support/servers.ts';
import { simulate } from '../support/simulated.ts';
import { createWorld } from '../support/world.ts';
import { frameworks, serveRoute } from './frameworks.ts';
import { ticket } from './requests.ts';

function setup() {
  const world = createWorld();
  const { hub } = simulate({}, world);
  const emitted: unknown[] = [];
  const lines: string[] = [];
  let fault: Error | null = null;
  const counting: Hub = {
    ...hub,
    async emit(list: readonly DirectiveInput[]) {
      emitted.push(...list.map((directive) => 'id' in directive && directive.id));
      if (fault !== null) throw fault;
      return [];
    },
  };
  const emitAgain = createUnconfirmed(counting, world, (_level, message) => void lines.push(message));
  const add = (id: number): void => emitAgain({ list: [ticket(id)], options: {} });
  return { world, hub, add, lines, fail: (error: Error | null) => void (fault = error), emitted };
}

describe('lists that were not confirmed', () => {
  it('D-HUB-12 are emitted again after 0.5, 1, 2, 4, 8, and then every 10 s, until the first one is confirmed', async () => {
    const { world, add, fail, emitted } = setup();
    fail(new Error('not confirmed'));
    add(1);
    add(2);
    let at = 0;
    for (const delayMs of [500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
      await world.advance(delayMs - 1);
      expect(emitted).toHaveLength(at);
      await world.advance(1);
      expect(emitted).toHaveLength(++at);
    }
    fail(null);
    await world.advance(10_000);
    expect(emitted.slice(at)).toEqual([1, 2]);
    await world.advance(60_000);
    expect(emitted).toHaveLength(at + 2);
    add(3);
    await world.advance(500);
    expect(emitted.at(-1)).toBe(3);
  });

  it('do not wait behind a list that the hub refuses', async () => {
    const { world, add, fail, emitted } = setup();
    fail(new TypeError('above a limit'));
    add(1);
    add(2);
    await world.advance(500);
    expect(emitted).toEqual([1, 2]);
    await world.advance(60_000);
    expect(emitted).toHaveLength(2);
  });

  it('D-HUB-12 are dropped when the hub is closed', async () => {
    const { world, hub, add, fail, emitted } = setup();
    fail(new Error('not confirmed'));
    add(1);
    await hub.close();
    await world.advance(60_000);
    expect(emitted).toEqual([1]);
    expect(world.timers()).toBe(0);
  });

  it('are at most 10,000, and the log says so', () => {
    const { add, lines } = setup();
    for (let id = 0; id < 10_000; id += 1) add(id);
    expect(lines).toEqual([]);
    add(10_000);
    expect(lines).toEqual([expect.stringContaining('10000 lists')]);
  });
});

describe.each(frameworks)('the mutations of %s', (_, serve) => {
  it.each([
    ['without a key', {}],
    ['D-DIR-11 with an empty key', { idempotency_key: '' }],
  ])(
    'respond with a directive %s and its key, even if the backplane did not confirm',
    async (_name, more) => {
      const backplane = playedBackplane();
      backplane.setAway(true);
      const { send, lines } = await serveRoute(
        serve,
        (collector) => {
          collector.emit([ticket(1, more)]);
          return { json: { ok: true } };
        },
        hubForTest({ backplane }),
      );
      const response = await send();
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        ok: true,
        directives: [{ ...ticket(1), idempotency_key: expect.stringMatching(/./) }],
      });
      expect(lines).toEqual([expect.stringContaining('not confirmed')]);
    },
  );

  it('D-HUB-12 emits directives that were not confirmed again, in order and as plain refreshes', async () => {
    const backplane = playedBackplane();
    const hub = hubForTest({ backplane });
    const again: unknown[] = [];
    const { send } = await serveRoute(
      serve,
      (collector) => {
        collector.emit([ticket(1, { result: { title: 'old' } }), invalidate([ticket(2, { result: null })])]);
        collector.emit([ticket(3)], { audience: ['a'] });
        return { json: { ok: true } };
      },
      {
        ...hub,
        async emit(...given) {
          const sent = await hub.emit(...given);
          again.push(...given);
          return sent;
        },
      },
    );
    backplane.setAway(true);
    const { directives } = (await (await send()).json()) as { directives: Directive[] };
    backplane.setAway(false);
    await vi.waitUntil(() => again.length === 4, { timeout: 5000 });
    const [one, many, three] = directives;
    expect(again).toEqual([
      [
        { ...ticket(1), idempotency_key: one?.idempotency_key },
        { op: 'invalidate', targets: [ticket(2)], idempotency_key: many?.idempotency_key },
      ],
      { source: 'me' },
      [{ ...ticket(3), idempotency_key: three?.idempotency_key }],
      { audience: ['a'], source: 'me' },
    ]);
  });
});

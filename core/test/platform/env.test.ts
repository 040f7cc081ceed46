// The environment of a data layer: its own functions, those of the platform, the listeners of the page, and the log.

import { JSDOM } from 'jsdom';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer, Env, Id } from '@edict/core';
import { refreshItem } from '../directives.ts';
import { createWorld, untyped, watchPromise } from '../world.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('D-NAME-3 the environment', () => {
  it('provides time, timers, randomness, ids, fetch, storage, reload and logging', async () => {
    const platform = [
      vi.spyOn(Date, 'now'),
      vi.spyOn(globalThis, 'setTimeout'),
      vi.spyOn(globalThis, 'setInterval'),
      vi.spyOn(Math, 'random'),
      vi.spyOn(globalThis.crypto, 'randomUUID'),
      vi.spyOn(globalThis, 'fetch'),
      ...(['debug', 'info', 'log', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level)),
    ];
    const { dl, sim } = createWorld({ init: { sse: { enabled: true }, bulk: { jitterMs: 10 } } });
    for (const spy of platform) spy.mockClear();
    dl.createType('ticket', { fetch: (id) => ({ id }) });
    dl.createCollection('tickets', { fetch: () => Promise.reject(new Error('down')) });
    const ref = dl.fetchItem('ticket', 1);
    dl.fetchCollection('tickets');
    dl.onRefChange(ref, () => {
      throw new Error('a listener');
    });
    await sim.advance(10);
    void dl.applyDirectives([refreshItem('ticket', 1), null, { op: 'nonsense' }]);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    await sim.advance(100);
    sim.hub.lose(3);
    sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
    sim.link.cut();
    await sim.advance(5000);
    sim.link.restore();
    await sim.advance(60_000);
    sim.route('POST /change', () => ({ directives: [{ op: 'force_reload_page', idempotency_key: 'k' }] }));
    await Promise.all([dl.fetch('/change', { method: 'POST' }), sim.advance(10)]);
    await sim.advance(1_000_000);
    dl.dispose();
    expect(sim.reloads).toHaveLength(1);
    expect(sim.sessionStore.size).toBeGreaterThan(0);
    expect(sim.log.length).toBeGreaterThan(0);
    expect(platform.filter((spy) => spy.mock.calls.length > 0).map((spy) => spy.getMockName())).toEqual([]);
  });

  it('reproduces the same events with the same seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const { dl, sim } = createWorld({
        seed,
        init: { sse: { enabled: true }, bulk: { jitterMs: 100 } },
      });
      const log: unknown[] = [];
      dl.onLifecycle('*', ({ event, detail }) => void log.push([sim.now(), event, detail]));
      sim.link.delay([1, 40]);
      sim.link.rates({ drop: 0.3 });
      dl.createType('ticket', { fetch: async (id) => (await sim.sleep(5), { id }) });
      dl.onRefChange(dl.fetchItem('ticket', 1), () => undefined);
      for (let times = 0; times < 20; times += 1) {
        sim.hub.emit([{ op: 'refresh_item', name: 'ticket', id: 1 }]);
        await sim.advance(300);
      }
      await sim.advance(60_000);
      return JSON.stringify(log);
    };
    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
  });

  it('creates the client id only when it is first used, because some platforms forbid randomness while modules load', () => {
    let asked = 0;
    const dl = createDataLayer({ env: { newId: () => `me-${(asked += 1)}` } });
    dl.createType('ticket', { fetch: (id: Id) => ({ id }) });
    expect(asked).toBe(0);
    expect(dl.clientId()).toBe('me-1');
    expect(dl.directiveHeaders()['X-Service-Client-ID']).toBe('me-1');
    expect(dl.devtools().clientId).toBe('me-1');
    dl.dispose();
  });

  it.each([
    ['missing', {}],
    ['undefined', { now: undefined, log: undefined, page: undefined }],
  ])(
    'uses the functions of the platform for members that are %s, and looks them up on each call',
    (_, env) => {
      vi.spyOn(Date, 'now').mockReturnValue(0);
      // `undefined` is possible without `exactOptionalPropertyTypes`.
      const dl = createDataLayer({ env: { newId: () => 'me', ...env } as unknown as Partial<Env> });
      dl.createType('ticket', { fetch: (id: Id) => ({ id }) });
      expect(dl.clientId()).toBe('me');
      expect(dl.getItemRef('ticket', 1).meta.lastUsedAt).toBe('1970-01-01T00:00:00.000Z');
      dl.dispose();
    },
  );

  it('D-DIR-5 D-DIR-7 sends batches at the end of the task by default, even when fake timers replace queueMicrotask', async () => {
    vi.useFakeTimers({ toFake: ['queueMicrotask', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const dl = createDataLayer();
    const batches: unknown[] = [];
    dl.init({ sse: { enabled: false }, bulk: { delayMs: 0 } });
    dl.createType('ticket', {
      fetch: (id) => ({ id }),
      bulkFetch: (ids) => (batches.push(ids), ids.map((id) => ({ id }))),
    });
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 2);
    await dl.whenSettled();
    await dl.applyDirectives([refreshItem('ticket', 1), refreshItem('ticket', 2)]);
    expect(batches).toEqual([
      [1, 2],
      [1, 2],
    ]);
    dl.dispose();
  });
});

/** A data layer under jsdom with Node's own `AbortController`, as Jest and global-jsdom set it up. */
function underJsdom(): { dl: DataLayer; window: JSDOM['window'] } {
  const { window } = new JSDOM('', { url: 'http://app.test/' });
  for (const name of ['window', 'document', 'location', 'navigator', 'sessionStorage'] as const)
    vi.stubGlobal(name, name === 'window' ? window : window[name]);
  const dl = createDataLayer();
  onTestFinished(() => dl.dispose());
  dl.createType('ticket', { stalenessMs: 0, fetch: (id) => Promise.resolve({ id }) });
  return { dl, window };
}

describe('the listeners of the page', () => {
  it('accept the AbortController of another realm', async () => {
    const { dl } = underJsdom();
    const ticket = dl.fetchItem('ticket', 7);
    await dl.whenSettled(ticket);
    expect(ticket.data).toEqual({ id: 7 });
  });

  it('are removed by dispose', () => {
    const { dl, window } = underJsdom();
    const live = new Set<string>();
    for (const target of [window, window.document] as EventTarget[]) {
      vi.spyOn(target, 'addEventListener').mockImplementation((event) => void live.add(event));
      vi.spyOn(target, 'removeEventListener').mockImplementation((event) => void live.delete(event));
    }
    dl.onRefChange(dl.getItemRef('ticket', 7), () => undefined)();
    expect([...live].toSorted()).toEqual([
      ...['freeze', 'offline', 'online', 'pagehide', 'pageshow', 'resume', 'visibilitychange'],
    ]);
    dl.dispose();
    expect([...live]).toEqual([]);
  });
});

describe('an instance of a class', () => {
  class Test {
    #ids = 0;
    readonly page = null;
    newId(): string {
      this.#ids += 1;
      return `client-${this.#ids}`;
    }
  }

  it('D-NAME-3 is accepted as the environment', () => {
    const dl = createDataLayer({ env: new Test() });
    expect(dl.clientId()).toBe('client-1');
    dl.reset();
    expect(dl.clientId()).toBe('client-2');
  });

  it('D-REG-4 is checked like an object', () => {
    class Wrong extends Test {
      get now(): never {
        return 5 as never;
      }
    }
    expect(() => createDataLayer({ env: new Wrong() })).toThrow(/env\.now must be a function, but it is 5/);
  });

  it('is accepted as options', () => {
    class Sse {
      get audience(): string {
        return 'team-7';
      }
    }
    const dl = createDataLayer();
    dl.configureSse(new Sse());
    expect(dl.state().sse.audience).toBe('team-7');
  });
});

it.each<[unknown, string]>([
  [null, 'the options must be an object, but it is null.'],
  [{ env: null }, 'env must be an object, but it is null.'],
  [{ env: { now: 5 } }, 'env.now must be a function, but it is 5.'],
  [{ env: { page: 5 } }, 'env.page must be an object, but it is 5.'],
  [{ env: { sessionStore: 'local' } }, 'env.sessionStore must be an object, but it is "local".'],
  [{ env: { tabs: false } }, 'env.tabs must be an object, but it is false.'],
  [{ env: { reloadPage: true } }, 'env.reloadPage must be a function, but it is true.'],
  [{ envs: {} }, 'envs is not an option. Use one of: env, register, defaults.'],
])('D-REG-4 createDataLayer rejects %o', (options, message) => {
  expect(() => createDataLayer(untyped(options))).toThrow(
    new TypeError(`[edict] createDataLayer: ${message}`),
  );
});

it('accepts null for the parts that exist only in a browser', () => {
  const env = { page: null, sessionStore: null, tabs: null, reloadPage: null };
  expect(() => createDataLayer({ env }).dispose()).not.toThrow();
});

describe('a log function', () => {
  it.each<[string, Env['log']]>([
    [
      'that throws',
      () => {
        throw new Error('The log service does not respond.');
      },
    ],
    ['that rejects', (() => Promise.reject(new Error('The log service does not respond.'))) as Env['log']],
  ])('%s is reported to the console with the message that it lost', async (_title, log) => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const dl = createDataLayer({ env: { log } });
    await dl.applyDirectives([{ op: 'unknown' }]);
    dl.dispose();
    await Promise.resolve();
    expect(shown).toHaveBeenCalledOnce();
    expect(shown.mock.calls[0]?.[0]).toMatch(/^\[edict\] env\.log failed: .*rejected/);
    expect(String(shown.mock.calls[0]?.[1])).toContain('The log service does not respond.');
  });

  it('that throws does not prevent directives from being applied or subscribers from being notified', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const fails = (): never => {
      throw new Error('The log service does not respond.');
    };
    const { dl, sim, held } = createWorld({ env: () => ({ log: fails }) });
    const one = held();
    dl.createType('ticket', { fetch: one.fetch });
    const ref = dl.fetchItem('ticket', 1);
    await one.last().answer({ version: 1 });
    let told = 0;
    dl.onRefChange(ref, fails);
    dl.onRefChange(ref, () => told++);
    const applied = watchPromise(
      dl.applyDirectives([{ op: 'refresh_item', name: 'ticket' }, refreshItem('ticket', 1)]),
    );
    await sim.advance(50);
    await one.at(1).answer({ version: 2 });
    expect([applied.is, ref.data]).toEqual(['resolved', { version: 2 }]);
    expect(told).toBeGreaterThan(0);
    expect(ref.meta).toMatchObject({ isStale: false, isLoading: false });
  });

  it('and a console that both throw do not prevent directives from being applied', async () => {
    const fails = (): never => {
      throw new Error('This console is closed.');
    };
    vi.spyOn(console, 'error').mockImplementation(fails);
    const dl = createDataLayer({ env: { log: fails } });
    await expect(dl.applyDirectives([{ op: 'unknown' }])).resolves.toBeUndefined();
    dl.dispose();
  });
});

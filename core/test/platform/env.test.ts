// The platform's environment: the listeners of the page, and log functions and callbacks that fail.

import { JSDOM } from 'jsdom';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer, Env } from '@edict/core';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
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

describe('an async callback that rejects is logged and stops nothing', () => {
  const reject = (() => Promise.reject(new Error('This listener fails.'))) as () => void;

  it.each<[string, (dl: DataLayer) => void]>([
    ['of onChange', (dl) => void dl.onChange(reject)],
    ['of onRefChange', (dl) => void dl.onRefChange(dl.getItemRef('ticket', 7), reject)],
    ['of onLifecycle', (dl) => void dl.onLifecycle('item:fetch:intent', reject)],
    ['of a directive source', (dl) => dl.configureDirectiveSource({ type: 'socket', connect: () => reject })],
    [
      'that connects a directive source',
      (dl) => dl.configureDirectiveSource({ type: 'socket', connect: reject }),
    ],
  ])('%s', async (_title, pass) => {
    const logged: unknown[] = [];
    const dl = createDataLayer({ env: { log: (level) => void logged.push(level) } });
    dl.createType('ticket', { fetch: (id) => Promise.resolve({ id }) });
    dl.init({ sse: { enabled: false } });
    pass(dl);
    await dl.prefetchItem('ticket', 7);
    dl.configureDirectiveSource(null);
    await new Promise(setImmediate); // The platform reports unhandled rejections after the microtasks.
    dl.dispose();
    expect(logged).toContain('error');
  });
});

// The page reload of the default environment.

import { createDataLayer } from '@edict/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

describe('§4.5 D-DIR-12 a page reload', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  /** Stubs the parts of a page that the default environment uses. */
  function page(fetched: () => Promise<Response>) {
    const log: string[] = [];
    const target = new EventTarget();
    vi.stubGlobal('window', target);
    vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
    vi.stubGlobal('location', {
      href: 'https://app.test/desk',
      origin: 'https://app.test',
      reload: () => void log.push('reload'),
    });
    vi.stubGlobal('navigator', { onLine: true });
    vi.stubGlobal('caches', {
      keys: () => Promise.resolve(['v1', 'v2']),
      delete: (name: string) => (log.push(`delete ${name}`), Promise.resolve(true)),
    });
    vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
      log.push(`fetch ${input} ${init.cache}`);
      return fetched();
    });
    vi.useFakeTimers();
    return { log, dl: createDataLayer() };
  }
  const hard = { op: 'force_reload_page', hard: true };

  it('that is soft calls the normal reload immediately', () => {
    const { log, dl } = page(() => Promise.resolve(new Response('')));
    void dl.applyDirectives([{ op: 'force_reload_page' }]);
    expect(log).toEqual(['reload']);
    dl.dispose();
  });

  it('that is hard deletes the caches and refetches the document before the reload', async () => {
    const { log, dl } = page(() => Promise.resolve(new Response('')));
    void dl.applyDirectives([hard]);
    await vi.advanceTimersByTimeAsync(100);
    expect(log).toEqual(['delete v1', 'delete v2', 'fetch https://app.test/desk reload', 'reload']);
    dl.dispose();
  });

  it('that is hard falls back to a soft one if the document cannot be fetched', async () => {
    const { log, dl } = page(() => Promise.reject(new TypeError('offline')));
    void dl.applyDirectives([hard]);
    await vi.advanceTimersByTimeAsync(100);
    expect(log.at(-1)).toBe('reload');
    expect(log.filter((line) => line === 'reload')).toHaveLength(1);
    dl.dispose();
  });

  it('that is hard refetches the document without a Cache Storage', async () => {
    const { log, dl } = page(() => Promise.resolve(new Response('')));
    vi.stubGlobal('caches', undefined);
    void dl.applyDirectives([hard]);
    await vi.advanceTimersByTimeAsync(100);
    expect(log).toEqual(['fetch https://app.test/desk reload', 'reload']);
    dl.dispose();
  });

  it('that is hard refetches the document if access to the Cache Storage is denied', async () => {
    const { log, dl } = page(() => Promise.resolve(new Response('')));
    vi.stubGlobal('caches', { keys: () => Promise.reject(new DOMException('denied', 'SecurityError')) });
    void dl.applyDirectives([hard]);
    await vi.advanceTimersByTimeAsync(100);
    expect(log).toEqual(['fetch https://app.test/desk reload', 'reload']);
    dl.dispose();
  });

  it('that is hard reloads after 3 s if the document request hangs', async () => {
    const { log, dl } = page(() => new Promise(() => undefined));
    void dl.applyDirectives([hard]);
    await vi.advanceTimersByTimeAsync(2999);
    expect(log).not.toContain('reload');
    await vi.advanceTimersByTimeAsync(1);
    expect(log.filter((line) => line === 'reload')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(log.filter((line) => line === 'reload')).toHaveLength(1);
    dl.dispose();
  });
});

// Functions of the application that are async and reject.

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDataLayer } from '@edict/core';
import type { DataLayer, Id } from '@edict/core';
import { createWorld } from '../world.ts';

const unhandled = vi.fn();

/** The platform reports unhandled rejections after the microtasks. */
const reported = (): Promise<unknown> => new Promise(setImmediate);

beforeEach(() => {
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
});

describe('D-NAME-5 an async callback that rejects is logged and stops nothing', () => {
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
    await reported();
    dl.dispose();
    expect(logged).toContain('error');
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('D-NAME-5 a function of the application that should return a value', () => {
  it.each<[option: string, config: object]>([
    ['getId', { getId: () => Promise.reject(new Error('no id')) }],
    [
      'checkIfExists',
      { levels: { full: { fetch: () => 1, checkIfExists: () => Promise.reject(new Error('no')) } } },
    ],
    [
      'retryOn',
      {
        bulkFetch: () => Promise.reject(new Error('down')),
        retry: { attempts: 1, retryOn: () => Promise.reject(new Error('no')) },
      },
    ],
  ])('may reject: %s', async (_option, config) => {
    const { dl, sim } = createWorld();
    dl.createType('ticket', {
      fetch: (id: Id) => ({ id }),
      bulkFetch: (ids: Id[]) => ids.map((id) => ({ id })),
      levelConversionMap: { default: ['full'] },
      ...config,
    });
    dl.fetchItem('ticket', 1);
    dl.fetchItem('ticket', 2);
    await sim.settled();
    await reported();
    expect(unhandled).not.toHaveBeenCalled();
  });
});

it('D-NAME-5 the log function may reject when it reports another function that rejected', async () => {
  const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => shown.mockRestore());
  const { dl } = createWorld({ env: () => ({ log: () => Promise.reject(new Error('log service')) }) });
  dl.createType('ticket', { fetch: (id) => ({ id }) });
  dl.onLifecycle('item:fetch:intent', () => Promise.reject(new Error('a callback')));
  dl.fetchItem('ticket', 1);
  await reported();
  expect(unhandled).not.toHaveBeenCalled();
  expect(shown).toHaveBeenCalledTimes(1);
});

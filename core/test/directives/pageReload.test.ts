// The directive `force_reload_page`. Its keys are tested with the other keys, and the reload itself with the platform.

import { directiveSchema } from '@edict/core/protocol';
import { describe, expect, it } from 'vitest';
import { refreshItem } from '../directives.ts';
import { createCachedStage, createStage } from '../world.ts';
import { apply } from './setup.ts';

const reload = { op: 'force_reload_page' };

describe('§4.5 D-DIR-12 force_reload_page', () => {
  it.each<[title: string, fields: object, hard: boolean]>([
    ['soft when hard is omitted', {}, false],
    ['soft when hard is false', { hard: false }, false],
    ['soft when hard is null', { hard: null }, false],
    ['hard when hard is true', { hard: true }, true],
    [
      'soft when it has all metadata and no hard',
      { idempotency_key: 'k', timestamp: 1_767_225_600_000, audience: 'global', source: 'c9', seq: 3 },
      false,
    ],
  ])('§2.1 requests a reload that is %s', async (_title, fields, hard) => {
    const { sim, dl } = createStage();
    await dl.applyDirectives([{ ...reload, ...fields }]);
    expect(sim.reloads).toMatchObject([{ hard }]);
    expect(directiveSchema.safeParse({ ...reload, ...fields }).success).toBe(true);
  });

  it('emits directive:processed with kind page_reload before the reload is invoked', async () => {
    const order: string[] = [];
    const { dl } = createStage({ env: () => ({ reloadPage: () => void order.push('reload') }) });
    dl.onLifecycle('directive:processed', ({ detail }) => void order.push(`processed ${detail.kind}`));
    await dl.applyDirectives([reload]);
    expect(order).toEqual(['processed page_reload', 'reload']);
  });

  it('reloads every client, including the originator, by pull and by push', async () => {
    const a = createStage({ init: { sse: {} } });
    const client = a.sim.createClient();
    const b = client.createDataLayer();
    await a.sim.advance(100);
    a.sim.route('POST /deploy', ({ clientId }) => ({
      directives: a.sim.hub.emit([{ op: 'force_reload_page' }], { source: clientId }),
    }));
    await Promise.all([a.dl.fetch('/deploy', { method: 'POST' }), a.sim.advance(100)]);
    expect(a.sim.reloads).toHaveLength(1);
    expect(client.reloads).toHaveLength(1);
    a.sim.hub.emit([{ op: 'force_reload_page' }], { source: a.dl.clientId() });
    await a.sim.advance(100);
    expect([a.sim.reloads.length, client.reloads.length]).toEqual([2, 2]);
    a.dl.dispose();
    b.dispose();
  });

  it.each<[string, object]>([
    ['itself', reload],
    ['among the targets of a wrapper', { op: 'invalidate', targets: [reload] }],
  ])('D-SRC-1 reloads the page of its own source: %s', async (_title, directive) => {
    const { sim, dl } = createStage();
    await dl.applyDirectives([{ ...directive, source: dl.clientId() }]);
    expect(sim.reloads).toHaveLength(1);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('not now');
      },
    ],
    ['rejects', () => Promise.reject(new Error('not now'))],
  ])('D-FETCH-8 logs an error when reloadPage %s, and applyDirectives resolves', async (_how, reloadPage) => {
    const { sim, dl } = createStage({ env: () => ({ reloadPage }) });
    await dl.applyDirectives([reload]);
    await sim.advance(0);
    expect(sim.log.map(({ message }) => message)).toEqual(['reloadPage failed.']);
  });

  it('stops the directives after it and not those before it', async () => {
    const stage = await createCachedStage();
    await stage.hold(() => stage.item('ticket', 2));
    const before = refreshItem('ticket', 7);
    await apply(stage, before, reload, refreshItem('ticket', 2), reload);
    expect(stage.of('directive:processed').map(({ directive }) => directive)).toEqual([before, reload]);
    expect(stage.dl.getItemRef('ticket', 2).meta.isStale).toBe(false);
    expect(stage.sim.reloads).toHaveLength(1);
  });

  it('inside a wrapper stops the directives after it and after the wrapper, which emits no event of its own', async () => {
    const stage = createStage();
    const targets = [reload, refreshItem('ticket', 1)];
    await apply(stage, { op: 'invalidate', targets }, refreshItem('ticket', 2));
    expect(stage.sim.reloads).toHaveLength(1);
    expect(stage.of('directive:processed')).toMatchObject([{ kind: 'page_reload' }]);
  });

  it('does not stop later directives when it is skipped as a duplicate', async () => {
    const stage = await createCachedStage();
    const keyed = { ...reload, idempotency_key: 'r' };
    void stage.dl.applyDirectives([keyed]);
    await apply(stage, keyed, refreshItem('ticket', 7));
    expect(stage.sim.reloads).toHaveLength(1);
    expect(stage.taken()).toEqual(['ticket 7']);
  });

  it('outside a browser logs a warning, reloads nothing, and does not stop the directives after it', async () => {
    const stage = await createCachedStage({ isBrowser: false });
    await apply(stage, reload, refreshItem('ticket', 7));
    expect(stage.sim.reloads).toEqual([]);
    expect(stage.sim.log.map(({ level }) => level)).toEqual(['warn']);
    expect(stage.of('directive:processed')[0]).toMatchObject({ kind: 'page_reload' });
    expect(stage.taken()).toEqual(['ticket 7']);
  });
});

// The wrapper `invalidate` with targets: its metadata, its key, and its events.

import { describe, expect, it } from 'vitest';
import { refreshItem, refreshList } from '../directives.ts';
import { createCachedStage, createStage } from '../world.ts';
import { apply, reasons } from './setup.ts';

const wrapper = (targets: object[], more: object = {}): object => ({ op: 'invalidate', targets, ...more });
const keyed = (id: number, key: string): object => refreshItem('ticket', id, { idempotency_key: key });

/** A stage whose cache contains the tickets 1, 2, and 3. */
async function setup() {
  const stage = createStage();
  await stage.hold(...[1, 2, 3].map((id) => () => stage.item('ticket', id)));
  return stage;
}

describe('§4.5 D-DIR-10 a wrapper', () => {
  it('has the same effect as its targets without a wrapper', async () => {
    const stage = await createCachedStage();
    await stage.hold(() => stage.item('doc', 7, 'full'));
    const targets = [refreshItem('doc', 7), refreshList('tickets')];
    for (const directives of [[wrapper(targets)], targets]) {
      await apply(stage, ...directives);
      expect(stage.taken().toSorted()).toEqual(['doc 7 full', 'tickets {}']);
    }
  });

  it.each(['own-source', 'audience'])('passes its metadata to targets without it: %s', async (reason) => {
    const stage = await setup();
    const isSource = reason === 'own-source';
    const given = isSource ? { source: stage.dl.clientId() } : { audience: 'team-1' };
    const other = isSource ? { source: 'another' } : { audience: 'global' };
    await apply(stage, wrapper([refreshItem('ticket', 1), refreshItem('ticket', 2, other)], given));
    expect(stage.taken()).toEqual(['ticket 2']);
    expect(reasons(stage)).toContain(reason);
  });

  it('uses up its key: the same wrapper is skipped as a whole, and a directive with that key too', async () => {
    const stage = await setup();
    const change = wrapper([refreshItem('ticket', 1)], { idempotency_key: 'k' });
    await apply(stage, change);
    await apply(stage, change);
    await apply(stage, keyed(1, 'k'));
    expect(stage.taken()).toEqual(['ticket 1']);
    expect(stage.of('directive:skipped')).toEqual([
      { directive: change, reason: 'duplicate' },
      { directive: keyed(1, 'k'), reason: 'duplicate' },
    ]);
  });

  it('D-DIR-2 is skipped when it is repeated, also if a target is wrong', async () => {
    const stage = await setup();
    const change = wrapper([{ op: 'refresh', name: 'ticket' }, refreshItem('ticket', 1)], { key: 'k' });
    await apply(stage, change);
    await apply(stage, change, refreshItem('ticket', 2));
    expect(stage.taken()).toEqual(['ticket 1', 'ticket 2']);
    expect(reasons(stage)).toEqual(['duplicate']);
  });

  it.each<[title: string, change: object, calls: string[], skipped: string[]]>([
    [
      'targets that inherit its key',
      wrapper([refreshItem('ticket', 1), refreshItem('ticket', 2)], { idempotency_key: 'k' }),
      ['ticket 1', 'ticket 2'],
      [],
    ],
    [
      'targets that repeat its key',
      wrapper([refreshItem('ticket', 1), keyed(2, 'k'), keyed(3, 'k')], { idempotency_key: 'k' }),
      ['ticket 1', 'ticket 2', 'ticket 3'],
      [],
    ],
    [
      'a target with the key of an outer wrapper, inside a wrapper with another key',
      wrapper([wrapper([keyed(1, 'outer')], { idempotency_key: 'inner' })], { idempotency_key: 'outer' }),
      ['ticket 1'],
      [],
    ],
    [
      'a target with the key of an outer wrapper, inside a wrapper without a key',
      wrapper([wrapper([keyed(1, 'k')])], { idempotency_key: 'k' }),
      ['ticket 1'],
      [],
    ],
    [
      'all targets except the one whose own key was seen before',
      wrapper([keyed(1, 'seen'), refreshItem('ticket', 2)], { idempotency_key: 'k' }),
      ['ticket 2'],
      ['duplicate'],
    ],
    [
      'only the first of two targets with the same key, if it has no key itself',
      wrapper([keyed(1, 'twice'), keyed(2, 'twice')]),
      ['ticket 1'],
      ['duplicate'],
    ],
  ])('applies %s', async (_title, change, calls, skipped) => {
    const stage = await setup();
    await apply(stage, keyed(1, 'seen'));
    stage.taken();
    await apply(stage, change);
    expect(stage.taken()).toEqual(calls);
    expect(reasons(stage)).toEqual(skipped);
  });

  it('D-DIR-4 is processed after its targets, with empty lists', async () => {
    const stage = await setup();
    const [one, two] = [refreshItem('ticket', 1), refreshItem('ticket', 2)];
    const inner = wrapper([one]);
    const outer = wrapper([inner, two]);
    await apply(stage, outer);
    expect(stage.taken()).toEqual(['ticket 1', 'ticket 2']);
    const processed = stage.of('directive:processed');
    expect(processed.map(({ directive }) => directive)).toEqual([one, inner, two, outer]);
    expect(processed[3]).toEqual({ directive: outer, triggered: [], satisfied: [] });
  });

  it('without targets is processed and does nothing', async () => {
    const stage = await setup();
    await apply(stage, wrapper([]));
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:processed')).toHaveLength(1);
  });
});

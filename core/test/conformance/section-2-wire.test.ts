// Specification §2.1 to §2.3: every field of the wire format.

import { describe, expect, it } from 'vitest';
import { envelopeSchema } from '@edict/core/protocol';
import { refreshList } from '../directives.ts';
import { type Stage, createStage } from '../world.ts';

async function held(): Promise<Stage> {
  const stage = createStage();
  await stage.hold(
    () => stage.item('ticket', 7),
    () => stage.item('ticket', 'seven'),
    () => stage.item('doc', 7, 'full'),
    () => stage.list('tickets'),
    () => stage.list('tickets', { page: 1, q: 'x' }),
  );
  return stage;
}

describe('§2.3 the envelope', () => {
  const envelope = (more: object = {}): object => ({
    type: 'directives',
    seq: 1,
    audience: 'global',
    directives: [refreshList('tickets', { params: {} })],
    ...more,
  });

  it('has type, seq, audience and directives, and the directives are applied', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(envelope());
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.of('directive:received')).toMatchObject([{ audience: 'global' }]);
    expect(stage.dl.state().sse.lastSeq).toEqual({ global: 1 });
    expect(envelopeSchema.safeParse(envelope()).success).toBe(true);
  });

  it('is applied as the hub sends it', async () => {
    const stage = createStage({ init: { sse: {} } });
    await stage.hold(() => stage.list('tickets'));
    stage.sim.hub.emit([{ op: 'refresh_collection', name: 'tickets' }], { source: 'c9' });
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual(['tickets {}']);
    expect(stage.of('directive:received').at(-1)).toMatchObject({
      audience: 'global',
      directives: [{ op: 'refresh_collection', name: 'tickets', source: 'c9' }],
    });
    stage.dl.dispose();
  });

  it('its source applies to directives without a source', async () => {
    const stage = await held();
    stage.dl.ingestEnvelope(envelope({ source: stage.dl.clientId() }));
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.of('directive:skipped').map(({ reason }) => reason)).toEqual(['own-source']);
  });

  it('seq is counted per audience', async () => {
    const stage = createStage({ init: { sse: { connectOnInit: false, audience: ['global', 'team'] } } });
    stage.dl.ingestEnvelope(envelope({ seq: 41 }));
    stage.dl.ingestEnvelope(envelope({ seq: 7, audience: 'team' }));
    stage.dl.ingestEnvelope(envelope({ seq: 42 }));
    stage.dl.ingestEnvelope(envelope({ seq: 8, audience: 'team' }));
    expect(stage.of('sse:gap')).toEqual([]);
    expect(stage.dl.state().sse.lastSeq).toEqual({ global: 42, team: 8 });
    stage.dl.dispose();
  });

  it.each([
    ['another type', envelope({ type: 'news' })],
    ['an audience without a subscription', envelope({ audience: 'team-9' })],
  ])('with %s is not applied', async (_title, given) => {
    const stage = await held();
    stage.dl.ingestEnvelope(given);
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
    expect(stage.dl.state().sse.lastSeq).toEqual({});
  });

  it.each([
    ['null', null],
    ['a string', 'x'],
    ['an array', []],
    ['directives that are not an array', envelope({ directives: 'all' })],
  ])('is ignored without throwing: %s', async (_title, given) => {
    const stage = await held();
    expect(() => stage.dl.ingestEnvelope(given)).not.toThrow();
    await stage.sim.advance(100);
    expect(stage.taken()).toEqual([]);
  });
});
